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
import { Link, useScope } from '../location.tsx';
import { Empty, Loaded, State, Title, sizeText } from '../parts.tsx';
import { isInScope } from '../scope.ts';
import { sourceOf } from './artifact-facts.ts';

type Change = 'new' | 'changed' | 'same';

/** What an archive brings, against what runs in one group. */
interface InGroup {
  readonly group: string;
  readonly artifacts: readonly Compared[];
}

interface Compared extends ArchivedArtifact {
  readonly change: Change;
  readonly running: string;
}

/** Puts an archive on some nodes, after showing how it differs from what runs there. */
export function DeployPage({ user }: { user: User }) {
  const scope = useScope();
  const nodes = useResource<ListOf<NodeFacts>>('/nodes', 30);
  return (
    <>
      <p className="quiet crumbs">
        <Link to="/artifacts/application">Applications</Link>
      </p>
      <Title title="Deploy an archive" />
      {user.isAdmin ? (
        <Loaded resource={nodes}>
          {({ list }) => {
            const able = list
              .filter((node) => isInScope(scope, node))
              .filter(({ trust, health }) => trust === 'approved' && health !== 'lost');
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
  const [found, setFound] = useState<readonly InGroup[]>();
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
      const groups = [...new Set(nodes.map(({ group }) => group))];
      setFound(
        await Promise.all(
          groups.map(async (group) => ({
            group,
            artifacts: await Promise.all(artifacts.map((artifact) => compare(group, artifact))),
          })),
        ),
      );
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
  const reached = new Set(nodes.filter((node) => chosen.has(keyOf(node))).map(({ group }) => group));
  // What it would change where nobody wants to send it says nothing.
  const shown = (found ?? []).filter(({ group }) => reached.has(group));
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
          <p>
            <strong>{file.name}</strong>, {sizeText(file.size)}
          </p>
          <div role="status">
            {shown.map((each) => (
              <p key={each.group} className="line">
                {summaryOf(each)}
              </p>
            ))}
          </div>
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
          {shown.map(({ group, artifacts }) => (
            <section key={group} aria-label={`What it changes in ${group}`}>
              <h2>What it changes in {group}</h2>
              {artifacts.map((artifact) => (
                <details
                  key={`${artifact.kind} ${artifact.name}`}
                  open={artifact.change === 'changed' && artifacts.length < 6}
                >
                  <summary>
                    <State word={artifact.change} /> {artifact.kind} <strong>{artifact.name}</strong>
                  </summary>
                  <Difference before={comparable(artifact.running)} after={comparable(artifact.source)} />
                </details>
              ))}
              {artifacts.length === 0 && <Empty>It holds no artifact whose source could be compared.</Empty>}
            </section>
          ))}
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

/** How many artifacts are new, changed and the same in a group. */
function summaryOf({ group, artifacts }: InGroup): string {
  const count = (change: Change): number => artifacts.filter((each) => each.change === change).length;
  return `${count('new')} new, ${count('changed')} changed, ${count('same')} the same as what runs in ${group}.`;
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
