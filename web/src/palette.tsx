import { useEffect, useRef, useState } from 'react';
import { useResource, type ArtifactRow, type ListOf, type NodeFacts } from './api.ts';
import { setPaused, useLive } from './live.tsx';
import { navigate } from './location.tsx';
import { writePreference } from './preferences.ts';
import { artifactPath } from './artifact-path.ts';
import { sections } from './sections.ts';

interface Choice {
  readonly key: string;
  readonly kind: string;
  readonly title: string;
  /** A page to go to, or something to do. */
  readonly to: string | (() => void);
}

/** What can be done from everywhere. */
function commandsNow(isPaused: boolean): readonly Choice[] {
  const command = (title: string, to: Choice['to']): Choice => ({ key: title, kind: 'command', title, to });
  const isDark = document.documentElement.dataset['theme'] === 'dark';
  return [
    command('Deploy an archive', '/deploy'),
    command(isPaused ? 'Go on with live updates' : 'Pause live updates', () => setPaused(!isPaused)),
    command(isDark ? 'Light colours' : 'Dark colours', () => writePreference('theme', isDark ? 'light' : 'dark')),
    command('Show failed traces', '/traces?failed=true'),
    command('Show artifacts that differ between nodes', '/artifacts?drift=true'),
    command('Show problems of artifact files', '/problems'),
    command('Show keys that are written', '/configuration?written=true'),
    command('Change log levels', '/logs?tab=levels'),
    command('Copy a link to this page', () => void navigator.clipboard.writeText(location.href)),
  ];
}

/** Finds any artifact, node or page by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = useResource<ListOf<ArtifactRow>>(
    text === '' ? undefined : `/artifacts?limit=12&q=${encodeURIComponent(text)}`,
    3600,
  );
  const nodes = useResource<ListOf<NodeFacts>>('/nodes', 3600);
  useEffect(() => dialog.current?.showModal(), []);
  const { isPaused } = useLive();
  const word = text.toLowerCase();
  const choices: Choice[] = [
    ...sections
      .filter(({ title }) => title.toLowerCase().includes(word))
      .map(({ path, title }) => ({ key: path, kind: 'page', title, to: path })),
    ...(found.data?.list ?? []).map((artifact) => ({
      key: artifactPath(artifact),
      kind: artifact.kind,
      title: artifact.name,
      to: artifactPath(artifact),
    })),
    ...(word === '' ? [] : commandsNow(isPaused)).filter(({ title }) => title.toLowerCase().includes(word)),
    ...(word === '' ? [] : (nodes.data?.list ?? []))
      .filter(({ id }) => id.toLowerCase().includes(word))
      .map(({ group, id }) => {
        const to = `/nodes/${encodeURIComponent(group)}/${encodeURIComponent(id)}`;
        return { key: to, kind: 'node', title: `${group} / ${id}`, to };
      }),
  ];
  const chosen = choices[Math.min(at, choices.length - 1)];
  const open = (choice: Choice | undefined): void => {
    if (!choice) return;
    dialog.current?.close();
    if (typeof choice.to === 'string') navigate(choice.to);
    else choice.to();
  };
  return (
    <dialog ref={dialog} className="palette" onClose={onClose} aria-label="Search">
      <input
        type="search"
        autoFocus
        placeholder="Artifact, node, page or command"
        aria-label="Artifact, node, page or command"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-choices"
        {...(chosen ? { 'aria-activedescendant': `choice-${choices.indexOf(chosen)}` } : {})}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(choices.length - 1, at + 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
          else if (event.key === 'Enter') open(chosen);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-choices" role="listbox" aria-label="Found">
        {choices.map((choice, index) => (
          <li
            key={choice.key}
            id={`choice-${index}`}
            role="option"
            aria-selected={choice === chosen}
            onClick={() => open(choice)}
          >
            <span className="quiet">{choice.kind}</span>
            <span>{choice.title}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p>Nothing is called so.</p>}
    </dialog>
  );
}
