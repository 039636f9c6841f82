import { useState } from 'react';
import {
  ApiError,
  ask,
  messageOf,
  nodePath,
  useResource,
  type ArtifactRow,
  type ListOf,
  type NodeFacts,
  type User,
} from '../api.ts';
import { artifactsIn, comparable, type ArchivedArtifact } from '../archive.ts';
import { artifactPath } from '../artifact-path.ts';
import { Difference } from '../difference.tsx';
import { Link, usePlace } from '../location.tsx';
import { Empty, Loaded, State, Title, sizeText } from '../parts.tsx';
import { sourceOf } from './artifact-facts.ts';

type Change = 'new' | 'changed' | 'same';

interface Compared extends ArchivedArtifact {
  readonly change: Change;
  readonly running: string;
}

/** Puts an archive on some nodes, after showing how it differs from what runs there. */
export function DeployPage({ user }: { user: User }) {
  const group = usePlace().search.get('group');
  const nodes = useResource<ListOf<NodeFacts>>(
    `/nodes${group === null ? '' : `?group=${encodeURIComponent(group)}`}`,
    30,
  );
  return (
    <>
      <p className="quiet crumbs">
        <Link to="/artifacts/application">Applications</Link>
      </p>
      <Title title="Deploy an archive" />
      {user.isAdmin ? (
        <Loaded resource={nodes}>
          {({ list }) => {
            const able = list.filter(({ trust, health }) => trust === 'approved' && health !== 'lost');
            return able.length === 0 ? <Empty>No runtime can be asked now.</Empty> : <Deploy nodes={able} />;
          }}
        </Loaded>
      ) : (
        <Empty>Only administrators deploy archives.</Empty>
      )}
    </>
  );
}

function Deploy({ nodes }: { nodes: readonly NodeFacts[] }) {
  const [file, setFile] = useState<File>();
  const [found, setFound] = useState<readonly Compared[]>();
  const [problem, setProblem] = useState<string>();
  const [results, setResults] = useState<ReadonlyMap<string, string>>();
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set(nodes.map(keyOf)));
  const [isBusy, setBusy] = useState(false);
  const read = async (picked: File | undefined): Promise<void> => {
    setFile(picked);
    setFound(undefined);
    setResults(undefined);
    setProblem(undefined);
    if (!picked) return;
    try {
      const artifacts = await artifactsIn(await picked.arrayBuffer());
      setFound(await Promise.all(artifacts.map((artifact) => compare(nodes[0]?.group ?? 'default', artifact))));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const deploy = async (): Promise<void> => {
    if (!file) return;
    setBusy(true);
    const outcome = new Map<string, string>();
    // One node after the other: what goes wrong on the first stops before the others.
    for (const node of nodes.filter((each) => chosen.has(keyOf(each)))) {
      const form = new FormData();
      form.set('file', file, file.name);
      try {
        const { Message } = (await ask('POST', nodePath(node, 'applications'), form)) as { Message?: string };
        outcome.set(keyOf(node), Message ?? 'deployed');
      } catch (error) {
        outcome.set(keyOf(node), `failed: ${messageOf(error)}`);
        break;
      } finally {
        setResults(new Map(outcome));
      }
    }
    setBusy(false);
  };
  const changes = (change: Change): number => (found ?? []).filter((each) => each.change === change).length;
  return (
    <>
      <label className="drop">
        <span>Archive (.car)</span>
        <input type="file" accept=".car" onChange={(event) => void read(event.target.files?.[0])} />
      </label>
      {problem !== undefined && (
        <div className="note bad" role="alert">
          {problem}
        </div>
      )}
      {file && found && (
        <>
          <p role="status">
            <strong>{file.name}</strong>, {sizeText(file.size)}: {changes('new')} new, {changes('changed')} changed,{' '}
            {changes('same')} the same as what runs in {nodes[0]?.group}.
          </p>
          <fieldset>
            <legend>Nodes</legend>
            {nodes.map((node) => (
              <label key={keyOf(node)} className="check">
                <input
                  type="checkbox"
                  checked={chosen.has(keyOf(node))}
                  onChange={() => {
                    const next = new Set(chosen);
                    if (!next.delete(keyOf(node))) next.add(keyOf(node));
                    choose(next);
                  }}
                />{' '}
                {node.group} / {node.id}{' '}
                {results?.has(keyOf(node)) && <em role="status">{results.get(keyOf(node))}</em>}
              </label>
            ))}
          </fieldset>
          <button className="primary" disabled={isBusy || chosen.size === 0} onClick={() => void deploy()}>
            {isBusy ? 'Deploying…' : `Deploy on ${chosen.size} ${chosen.size === 1 ? 'node' : 'nodes'}`}
          </button>
          <h2>What it changes</h2>
          {found.map((artifact) => (
            <details key={`${artifact.kind} ${artifact.name}`} open={artifact.change === 'changed' && found.length < 6}>
              <summary>
                <State word={artifact.change} /> {artifact.kind} <strong>{artifact.name}</strong>
              </summary>
              <Difference before={comparable(artifact.running)} after={comparable(artifact.source)} />
            </details>
          ))}
          {found.length === 0 && <Empty>It holds no artifact whose source could be compared.</Empty>}
        </>
      )}
      {!file && (
        <p className="quiet">
          Nothing is sent before you have seen how it differs. What a runtime finds wrong changes nothing there.
        </p>
      )}
    </>
  );
}

function keyOf({ group, id }: NodeFacts): string {
  return `${group}/${id}`;
}

async function compare(group: string, artifact: ArchivedArtifact): Promise<Compared> {
  try {
    const { detail } = (await ask('GET', artifactPath({ group, ...artifact }))) as ArtifactRow & {
      detail: Readonly<Record<string, unknown>>;
    };
    const running = sourceOf(detail);
    return { ...artifact, running, change: comparable(running) === comparable(artifact.source) ? 'same' : 'changed' };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { ...artifact, running: '', change: 'new' };
    throw error;
  }
}
