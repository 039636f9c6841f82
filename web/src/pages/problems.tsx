import { artifactPath } from '../artifact-path.ts';
import { Link, setSearch, usePlace, useScope } from '../location.tsx';
import { CopyButton, Empty, Loaded, State, Title } from '../parts.tsx';
import { brokenFiles, markedLine, placeOf, type BrokenFile, type Problem } from '../problems.ts';
import { SilentNodes } from '../silent-nodes.tsx';
import { artifactOf } from '../trace-model.ts';
import { useProblems } from '../use-problems.ts';

/** What is wrong with the files of artifacts: why, where, on which nodes, and what runs of them all the same. */
export function ProblemsPage() {
  const { search } = usePlace();
  const severity = search.get('severity');
  const word = (search.get('q') ?? '').toLowerCase();
  const problems = useProblems(useScope());
  return (
    <>
      <p className="quiet crumbs">
        <Link to="/artifacts">Artifacts</Link>
      </p>
      <Title title="Problems">
        <CopyButton text={location.href} label="Copy link" />
      </Title>
      <div className="bar">
        <input
          type="search"
          placeholder="Filter by file or reason"
          aria-label="Filter by file or reason"
          value={search.get('q') ?? ''}
          onChange={(event) => setSearch('q', event.target.value)}
        />
        {(['error', 'warning'] as const).map((name) => (
          <button
            key={name}
            className="chip"
            aria-pressed={severity === name}
            onClick={() => setSearch('severity', severity === name ? '' : name)}
          >
            {name === 'error' ? 'Errors' : 'Warnings'}
          </button>
        ))}
        <span className="quiet" role="status">
          {problems.data && countsOf(problems.data.list)}
        </span>
      </div>
      <Loaded resource={problems}>
        {({ list, silent }) => {
          const files = brokenFiles(
            list
              .filter((problem) => severity === null || problem.severity === severity)
              .filter(({ file, message, code }) => `${file} ${message} ${code}`.toLowerCase().includes(word)),
          );
          return (
            <>
              <SilentNodes nodes={silent} />
              {files.map((file) => (
                <OneFile key={file.key} file={file} />
              ))}
              {list.length > 0 && files.length === 0 && <Empty>Nothing fits. Take a filter away to see more.</Empty>}
              {list.length === 0 && (
                <Empty snippet="bin/millrace check ./my-project">
                  Every artifact file that was read is sound. This finds what is wrong before it is deployed:
                </Empty>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function countsOf(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const text = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  return `${text(errors, 'error')}, ${text(problems.length - errors, 'warning')}`;
}

function OneFile({ file }: { file: BrokenFile }) {
  const isBroken = file.problems.some(({ severity }) => severity === 'error');
  return (
    <section className="problem-file" aria-label={file.file}>
      <h2 className="file">
        <code>{file.file}</code>
      </h2>
      <p className="line">
        <State word={isBroken ? 'not deployed' : 'deployed'} tone={isBroken ? 'bad' : 'warn'} />
        <span className="quiet">
          in {file.group} on {file.nodes.join(', ')}
        </span>
        {file.application !== undefined && (
          <span>
            part of{' '}
            <Link to={artifactPath({ group: file.group, kind: 'application', name: file.application })}>
              {file.application}
            </Link>
          </span>
        )}
      </p>
      <p className="line">
        {isBroken ? (
          <strong>{file.runs.length === 0 ? 'Nothing of it runs.' : 'The last good version runs:'}</strong>
        ) : null}
        {file.runs.slice(0, 20).map((key) => (
          <Link key={key} to={`${artifactPath({ group: file.group, ...artifactOf(key) })}?tab=source`}>
            {key}
          </Link>
        ))}
        {file.runs.length > 20 && <span className="quiet">and {file.runs.length - 20} more</span>}
      </p>
      {file.problems.map((problem, index) => (
        <OneProblem key={index} problem={problem} />
      ))}
    </section>
  );
}

/** One finding: what was expected and found, where, and what to do. */
export function OneProblem({ problem }: { problem: Problem }) {
  const { severity, message, code, hint } = problem;
  const marked = markedLine(problem);
  return (
    <div className={`note${severity === 'error' ? ' bad' : ''}`}>
      <p className="line">
        <State word={severity} tone={severity === 'error' ? 'bad' : 'warn'} />
        <code>{placeOf(problem)}</code>
        <CopyButton text={placeOf(problem)} label="Copy place" />
        <span className="quiet">{code}</span>
      </p>
      <p>{message}</p>
      {marked !== undefined && (
        <pre tabIndex={0} aria-label={`Line ${problem.line}`}>
          {marked}
        </pre>
      )}
      {hint !== undefined && <p>{hint}</p>}
    </div>
  );
}
