import { nodePath, useResource } from '../api.ts';
import { Link } from '../location.tsx';
import { brokenFiles, type Problem } from '../problems.ts';
import { useProblems } from '../use-problems.ts';
import type { Artifact } from './artifact-facts.ts';
import { OneProblem } from './problems.tsx';

/** What is wrong with the file of an artifact, or with an archive. */
export function useOwnProblems({ group, kind, name }: Pick<Artifact, 'group' | 'kind' | 'name'>): readonly Problem[] {
  const problems = useProblems({ group, nodes: [] });
  return (problems.data?.list ?? []).filter((problem) =>
    kind === 'application' ? problem.application === name : problem.runs.includes(`${kind}:${name}`),
  );
}

/** Beside the title: that what runs is not what the file says. */
export function BrokenMark({ problems }: { problems: readonly Problem[] }) {
  const [file] = brokenFiles(problems.filter(({ severity }) => severity === 'error'));
  if (!file) return null;
  return (
    <Link
      className="state bad"
      to={`/problems?q=${encodeURIComponent(file.file)}`}
      title={`${file.file} could not be deployed as it is: what you see here is the last good version, which runs`}
    >
      file not deployed, see why
    </Link>
  );
}

/** Why an artifact or an archive is not what its file says: reason and line, from every node that says so. */
export function WhatIsWrong({ artifact, problems }: { artifact: Artifact; problems: readonly Problem[] }) {
  const { group, name, on } = artifact;
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  const faulty = on.filter(({ state, health }) => state === 'faulty' && health !== 'lost').map(({ node }) => node);
  return (
    <>
      {problems.length > 0 && (
        <section aria-label="What is wrong with its file">
          <h2>What is wrong with its file</h2>
          {hasErrors && <p>What you see here is the last good version, which runs.</p>}
          {problems.map((problem, index) => (
            <OneProblem key={index} problem={problem} />
          ))}
        </section>
      )}
      {!hasErrors && faulty.map((node) => <Fault key={node} group={group} node={node} name={name} />)}
    </>
  );
}

/** What a runtime says about an archive that it could not deploy, as those of the original do. */
function Fault({ group, node, name }: { group: string; node: string; name: string }) {
  const path = nodePath({ group, id: node }, `applications/${encodeURIComponent(name)}/fault`);
  const fault = useResource<{ faultStackTrace?: string }>(path, 60);
  if (fault.isLoading) return null;
  return (
    <section aria-label={`Why it is faulty on ${node}`}>
      <h2>Why it is faulty on {node}</h2>
      {fault.data?.faultStackTrace === undefined ? (
        <p>
          The runtime does not say. <Link to={`/logs?node=${encodeURIComponent(node)}`}>Its log</Link> may.
        </p>
      ) : (
        <pre tabIndex={0}>{fault.data.faultStackTrace}</pre>
      )}
    </section>
  );
}
