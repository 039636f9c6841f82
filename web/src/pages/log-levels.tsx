import { useState, type FormEvent } from 'react';
import { ask, messageOf, nodePath, useResource, type ListOf, type NodeFacts, type User } from '../api.ts';
import { setSearch, usePlace, useScope } from '../location.tsx';
import { Loaded } from '../parts.tsx';
import { isInScope } from '../scope.ts';

interface Logger {
  readonly loggerName: string;
  readonly componentName?: string;
  readonly level: string;
}

interface Change {
  readonly method: 'PATCH' | 'DELETE';
  readonly rest: string;
  readonly body?: Readonly<Record<string, string>>;
}

const levels = ['OFF', 'TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

/** Levels of loggers: changed, added and forgotten, on one node or on all of its group that are in the scope. */
export function LogLevels({ node, user }: { node: NodeFacts; user: User }) {
  const { search } = usePlace();
  const scope = useScope();
  const loggers = useResource<ListOf<Logger>>(nodePath(node, 'logging'));
  const nodes = useResource<ListOf<NodeFacts>>('/nodes', 30);
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isBad: boolean }>();
  const peers = (nodes.data?.list ?? [])
    .filter((each) => each.group === node.group && isInScope(scope, each))
    .filter(({ trust, health }) => trust === 'approved' && health !== 'lost');
  const isForAll = search.get('all') === 'true' && peers.length > 1;
  const change = async ({ method, rest, body }: Change): Promise<void> => {
    const targets = isForAll ? peers : [node];
    const results = await Promise.all(
      targets.map(async (target) => {
        try {
          await ask(method, nodePath(target, `logging${rest}`), body);
          return undefined;
        } catch (error) {
          return `${target.id}: ${messageOf(error)}`;
        }
      }),
    );
    const failed = results.filter((result) => result !== undefined);
    const done = targets.length - failed.length;
    setOutcome({
      text: [`Done on ${done} of ${targets.length} ${targets.length === 1 ? 'node' : 'nodes'}.`, ...failed].join(' '),
      isBad: failed.length > 0,
    });
    loggers.reload();
  };
  const add = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const [loggerName, loggerClass, loggingLevel] = [text('name'), text('class'), text('level')];
    void change({ method: 'PATCH', rest: '', body: { loggerName, loggerClass, loggingLevel } });
    event.currentTarget.reset();
  };
  return (
    <>
      {peers.length > 1 && (
        <label className="bar">
          <input
            type="checkbox"
            className="small"
            checked={isForAll}
            onChange={({ target: { checked } }) => setSearch('all', checked ? 'true' : '')}
          />
          Change them on all {peers.length} nodes of {node.group} that are chosen
        </label>
      )}
      {user.isAdmin && (
        <form className="bar" onSubmit={add}>
          <input name="name" aria-label="Name of the new logger" placeholder="Name" required />
          <input name="class" aria-label="Class or area of the new logger" placeholder="Class or area" required />
          <select name="level" aria-label="Level of the new logger" defaultValue="DEBUG">
            {levels.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <button>Add logger</button>
        </form>
      )}
      {outcome && (
        <div className={`note${outcome.isBad ? ' bad' : ''}`} role={outcome.isBad ? 'alert' : 'status'}>
          {outcome.text}
        </div>
      )}
      <Loaded resource={loggers}>
        {({ list }) => (
          <div className="scroll" tabIndex={0} role="region" aria-label="Loggers">
            <table>
              <thead>
                <tr>
                  <th>Logger</th>
                  <th>Component</th>
                  <th>Level</th>
                  {user.isAdmin && <th>Actions</th>}
                </tr>
              </thead>
              <tbody>
                {list.map(({ loggerName, componentName, level }) => (
                  <tr key={loggerName}>
                    <td className="mono">{loggerName}</td>
                    <td>{componentName}</td>
                    <td>
                      <select
                        aria-label={`Level of ${loggerName}`}
                        value={level}
                        disabled={!user.isAdmin}
                        onChange={({ target: { value } }) =>
                          void change({ method: 'PATCH', rest: '', body: { loggerName, loggingLevel: value } })
                        }
                      >
                        {[...new Set([level, ...levels])].map((name) => (
                          <option key={name}>{name}</option>
                        ))}
                      </select>
                    </td>
                    {user.isAdmin && (
                      <td>
                        <button
                          aria-label={`Forget ${loggerName}`}
                          title="Takes away a logger that was added, or a level that was changed"
                          onClick={() =>
                            void change({ method: 'DELETE', rest: `?loggerName=${encodeURIComponent(loggerName)}` })
                          }
                        >
                          Forget
                        </button>
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
    </>
  );
}
