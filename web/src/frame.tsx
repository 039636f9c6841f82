import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useResource, type ListOf, type NodeFacts, type User } from './api.ts';
import { Icon } from './icons.tsx';
import { setPaused, takeNewer, useLive } from './live.tsx';
import { Link, navigate, usePlace, useScope } from './location.tsx';
import { Palette } from './palette.tsx';
import { readPreference, writePreference } from './preferences.ts';
import { ScopeChoice } from './scope-choice.tsx';
import { scoped } from './scope.ts';
import { RangeChoice } from './time-range.tsx';
import { kindTitle, sections } from './sections.ts';

/** The rail, the top bar, and the page between them. */
export function Frame({ user, onSignOut, children }: { user: User; onSignOut: () => void; children: ReactNode }) {
  const { path } = usePlace();
  const [isNarrow, setNarrow] = useState(readPreference('rail', 'wide') === 'narrow');
  const [isPaletteOpen, openPalette] = useState(false);
  const [isHelpOpen, openHelp] = useState(false);
  const { isPaused, newer } = useLive();
  const kinds = useResource<ListOf<{ kind: string; count: number }>>(scoped('/kinds', useScope()));
  const nodes = useResource<ListOf<NodeFacts>>('/nodes');
  useShortcuts({ openPalette: () => openPalette(true), openHelp: () => openHelp(true) });
  return (
    <div className={`frame${isNarrow ? ' narrow' : ''}`}>
      <nav className="rail" aria-label="Pages">
        <div className="brand label">Millrace</div>
        {sections.map((section) => (
          <div key={section.path}>
            <Link
              to={section.path}
              title={`${section.title} (g ${section.letter})`}
              {...(isAt(path, section.path) ? { 'aria-current': 'page' as const } : {})}
            >
              <Icon name={section.icon} />
              <span className={isNarrow ? 'visually-hidden' : 'label'}>{section.title}</span>
            </Link>
            {section.path === '/artifacts' &&
              path.startsWith('/artifacts') &&
              (kinds.data?.list ?? [])
                .filter(({ count }) => count > 0)
                .map(({ kind, count }) => (
                  <Link
                    key={kind}
                    className="sub"
                    to={`/artifacts/${kind}`}
                    {...(path === `/artifacts/${kind}` ? { 'aria-current': 'page' as const } : {})}
                  >
                    {kindTitle(kind)}
                    <span className="count">{count}</span>
                  </Link>
                ))}
          </div>
        ))}
        <button
          className="fold"
          aria-label={isNarrow ? 'Widen the rail' : 'Fold the rail'}
          onClick={() => {
            writePreference('rail', isNarrow ? 'wide' : 'narrow');
            setNarrow(!isNarrow);
          }}
        >
          <Icon name={isNarrow ? 'unfold' : 'fold'} />
        </button>
      </nav>
      <div>
        <header className="top">
          <ScopeChoice nodes={nodes.data?.list ?? []} />
          <RangeChoice />
          <button className="live" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            <Icon name={isPaused ? 'pause' : 'live'} />
            {isPaused ? 'Paused' : 'Live'}
          </button>
          <span role="status">
            {isPaused && newer > 0 && (
              <button className="primary" onClick={takeNewer}>
                {newer} newer
              </button>
            )}
          </span>
          <span className="space" />
          <button onClick={() => openPalette(true)}>
            <Icon name="search" /> <span className="wide-text">Search</span> <kbd className="quiet wide">Ctrl K</kbd>
          </button>
          <UserMenu user={user} onSignOut={onSignOut} />
        </header>
        <main>{children}</main>
      </div>
      {isPaletteOpen && <Palette onClose={() => openPalette(false)} />}
      {isHelpOpen && <Help onClose={() => openHelp(false)} />}
    </div>
  );
}

/** Who is here, how the console looks for them, and the way out. */
function UserMenu({ user, onSignOut }: { user: User; onSignOut: () => void }) {
  return (
    <details className="menu">
      <summary>
        <Icon name="access" /> <span className="wide">{user.name}</span>
        <span className="visually-hidden">Account and appearance</span>
      </summary>
      <div>
        <p>
          <strong>{user.name}</strong>
          <br />
          <span className="quiet">{user.isAdmin ? 'Administrator' : 'May look and switch'}</span>
        </p>
        <label>
          Colours
          <select
            defaultValue={readPreference('theme', 'system')}
            onChange={(event) => writePreference('theme', event.target.value)}
          >
            <option value="system">As the system</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <label>
          Rows
          <select
            defaultValue={readPreference('density', 'normal')}
            onChange={(event) => writePreference('density', event.target.value)}
          >
            <option value="compact">Compact</option>
            <option value="normal">Normal</option>
            <option value="comfortable">Comfortable</option>
          </select>
        </label>
        <button onClick={onSignOut}>Sign out</button>
      </div>
    </details>
  );
}

function isAt(path: string, section: string): boolean {
  return section === '/' ? path === '/' : path === section || path.startsWith(`${section}/`);
}

/** `g` and a letter, `/`, `?` and Ctrl K. */
function useShortcuts({ openPalette, openHelp }: { openPalette: () => void; openHelp: () => void }): void {
  const prefix = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, select, textarea, dialog')) return;
      const section = sections.find(({ letter }) => letter === event.key);
      if (Date.now() - prefix.current < 1000 && section) {
        prefix.current = 0;
        navigate(section.path);
      } else if (event.key === 'g') prefix.current = Date.now();
      else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (!field) return;
        event.preventDefault();
        field.focus();
      } else if (event.key === '?') openHelp();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const rows = [
    ['Ctrl K', 'find an artifact, a page or an action'],
    ['/', 'search in this page'],
    ...sections.map(({ letter, title }) => [`g ${letter}`, title]),
    ['↑ ↓ or J K', 'move in a table or a trace'],
    ['Enter', 'open the row'],
    ['Space', 'peek at the row'],
    ['[ ]', 'page before and after, of stored messages'],
  ];
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keyboard</h2>
      <dl className="facts">
        {rows.flatMap(([keys, what]) => [
          <dt key={keys}>
            <kbd>{keys}</kbd>
          </dt>,
          <dd key={`${keys} what`}>{what}</dd>,
        ])}
      </dl>
      <button onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
