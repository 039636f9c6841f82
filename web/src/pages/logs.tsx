import { useEffect, useRef, useState } from 'react';
import { nodePath, useResource, type ListOf, type NodeFacts, type User } from '../api.ts';
import { setSearch, usePlace } from '../location.tsx';
import { useLogLines } from '../log-lines.ts';
import { OfNode } from '../of-node.tsx';
import { CopyButton, Empty, Loaded } from '../parts.tsx';
import { Tabs } from '../tabs.tsx';
import { LogLevels } from './log-levels.tsx';

export function LogsPage({ user }: { user: User }) {
  const tab = usePlace().search.get('tab') ?? 'log';
  return (
    <OfNode title="Logs">
      {(node) => (
        <>
          <Tabs tab={tab} names={['log', 'levels']} />
          {tab === 'levels' ? <LogLevels node={node} user={user} /> : <LiveLog node={node} />}
        </>
      )}
    </OfNode>
  );
}

interface LogFile {
  readonly FileName: string;
  readonly Size: string;
}

/** How bad a line is, least first. */
const severities = ['debug', 'info', 'warn', 'error'];
/** Words and numbers of levels as log formats write them. */
const levelWord = /"level":\s*"?(\w+)"?|\b(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b/i;

function severityOf(line: string): number {
  const found = levelWord.exec(line);
  const word = (found?.[1] ?? found?.[2] ?? '').toLowerCase();
  if (/^\d+$/.test(word)) return Math.min(3, Math.max(0, Number(word) / 10 - 2));
  if (word === 'fatal') return 3;
  if (word === 'warning') return 2;
  return word === 'trace' ? 0 : severities.indexOf(word) < 0 ? 1 : severities.indexOf(word);
}

/** The file that is shown first. */
const mainLog = 'wso2carbon.log';
/** Lines of a file that are shown. */
const shownLines = 500;

function LiveLog({ node }: { node: NodeFacts }) {
  const { search } = usePlace();
  const files = useResource<ListOf<LogFile>>(nodePath(node, 'logs'), 30);
  const names = (files.data?.list ?? []).map(({ FileName }) => FileName).filter((name) => name !== 'NO_LOG_FILES');
  const file = search.get('file') ?? (names.includes(mainLog) ? mainLog : names[0]);
  const { lines: all, problem } = useLogLines(node, file);
  const box = useRef<HTMLPreElement>(null);
  const word = (search.get('q') ?? '').toLowerCase();
  const least = severities.indexOf(search.get('least') ?? '');
  const lines = all
    .filter((line) => word === '' || line.toLowerCase().includes(word))
    .filter((line) => least < 0 || severityOf(line) >= least)
    .slice(-shownLines);
  const [isFollowing, follow] = useState(true);
  useEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isFollowing, lines.length, all]);
  return (
    <Loaded resource={files}>
      {() =>
        names.length === 0 ? (
          <Empty>This node writes its log to standard output alone: `[millrace] log_files.enable` is off.</Empty>
        ) : (
          <>
            <div className="bar">
              <select aria-label="File" value={file} onChange={(event) => setSearch('file', event.target.value)}>
                {names.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
              <input
                type="search"
                placeholder="Lines with"
                aria-label="Lines with"
                value={search.get('q') ?? ''}
                onChange={(event) => setSearch('q', event.target.value)}
              />
              {severities.slice(1).map((name) => {
                const isOn = search.get('least') === name;
                return (
                  <button
                    key={name}
                    className="chip"
                    aria-pressed={isOn}
                    title={`Lines of level ${name} and worse`}
                    onClick={() => setSearch('least', isOn ? '' : name)}
                  >
                    {name}
                  </button>
                );
              })}
              <button aria-pressed={isFollowing} onClick={() => follow(!isFollowing)}>
                Follow
              </button>
              <CopyButton text={lines.join('\n')} label="Copy lines" />
              <span className="quiet" role="status">
                the last {lines.length} of {all.length} lines
              </span>
            </div>
            {problem !== undefined && (
              <div className="note bad" role="alert">
                {problem}
              </div>
            )}
            <pre
              ref={box}
              className="source log"
              tabIndex={0}
              aria-label="Log"
              onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
                follow(scrollHeight - scrollTop - clientHeight < 24)
              }
            >
              {lines.map((line, index) => (
                <span key={index} className={`line ${severities[severityOf(line)] ?? ''}`}>
                  {line}
                </span>
              ))}
              {lines.length === 0 && (all.length === 0 ? 'The file is empty.' : 'No line fits; take a filter away.')}
            </pre>
          </>
        )
      }
    </Loaded>
  );
}
