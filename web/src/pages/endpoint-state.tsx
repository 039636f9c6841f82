import { nodePath, useResource, type NodeFacts } from '../api.ts';
import { Empty, Facts, Loaded, State, countText, durationText } from '../parts.tsx';

interface EndpointState {
  readonly name: string;
  readonly state: 'active' | 'timeout' | 'suspended' | 'off';
  readonly retryIn?: number;
  readonly retriesLeft?: number;
  readonly sent?: number;
  readonly failed?: number;
  readonly failuresByCode?: Readonly<Record<string, number>>;
  readonly totalTime?: number;
  readonly shortestTime?: number;
  readonly longestTime?: number;
  readonly members: readonly EndpointState[];
}

/** Codes as the language numbers them. */
const codes: Readonly<Record<string, string>> = {
  101500: 'sender failed',
  101501: 'receiving failed',
  101503: 'connection failed',
  101504: 'connection timed out',
  101505: 'connection closed',
  101506: 'protocol violated',
  101507: 'connection cancelled',
  101508: 'connect timed out',
  101509: 'answer cut off',
  303001: 'not ready',
};

/** Where an endpoint stands on each node: its state machine with the state marked, what failed, when it is tried again. */
export function EndpointStates({ group, nodes, name }: { group: string; nodes: readonly string[]; name: string }) {
  return (
    <>
      {nodes.map((node) => (
        <section key={node} className="state-of" aria-label={`State on ${node}`}>
          <h2>On {node}</h2>
          <OneNode node={{ group, id: node }} name={name} />
        </section>
      ))}
    </>
  );
}

function OneNode({ node, name }: { node: Pick<NodeFacts, 'group' | 'id'>; name: string }) {
  const state = useResource<EndpointState>(nodePath(node, `endpoint-states/${encodeURIComponent(name)}`), 3);
  if (state.error && !state.data) return <Empty>This runtime tells only whether an endpoint is active.</Empty>;
  return <Loaded resource={state}>{(facts) => <StateOf facts={facts} />}</Loaded>;
}

function StateOf({ facts }: { facts: EndpointState }) {
  const { state, sent, failed = 0, failuresByCode = {}, totalTime = 0, members } = facts;
  const answered = (sent ?? 0) - failed;
  return (
    <>
      {members.length === 0 && <Machine facts={facts} />}
      {sent !== undefined && (
        <div className="tiles">
          <div>
            <strong>{countText(sent)}</strong> sent
          </div>
          <div className={failed > 0 ? 'bad' : ''}>
            <strong>{countText(failed)}</strong> failed
          </div>
          <div>
            <strong>{answered > 0 ? durationText(totalTime / answered) : '–'}</strong> to the answer, on average
          </div>
          <div>
            <strong>{durationText(facts.longestTime)}</strong> the slowest
          </div>
        </div>
      )}
      {Object.keys(failuresByCode).length > 0 && (
        <Facts
          rows={Object.entries(failuresByCode).map(([code, count]) => [
            `${code}${codes[code] === undefined ? '' : `, ${codes[code]}`}`,
            `${countText(count)} times`,
          ])}
        />
      )}
      {members.map((member) => (
        <section key={member.name} className="member" aria-label={`Member ${member.name}`}>
          <p className="line">
            <strong>{member.name}</strong> <State word={member.state} />
          </p>
          <StateOf facts={member} />
        </section>
      ))}
      {members.length > 0 && state === 'off' && <p>It was switched off as a whole.</p>}
    </>
  );
}

const places = {
  active: [10, 50],
  timeout: [220, 50],
  suspended: [430, 50],
  off: [220, 122],
} as const;

/** What leads from one state to another, with where its word stands. */
const arrows = [
  { word: 'timeout', way: 'M160 62H216', x: 164, y: 54 },
  { word: 'no retry', way: 'M370 62H426', x: 371, y: 54 },
  { word: 'answer', way: 'M220 82H164', x: 170, y: 98 },
  { word: 'other error', way: 'M85 50C85 6 505 6 505 46', x: 270, y: 14 },
  { word: 'an answer again', way: 'M505 90C505 232 85 232 85 94', x: 430, y: 186 },
] as const;

/** The state machine of an endpoint (active, marked after timeouts, suspended, switched off), the state that it has marked. */
function Machine({ facts }: { facts: EndpointState }) {
  const { state, retryIn, retriesLeft } = facts;
  const words: Readonly<Record<string, string>> = {
    timeout: `${retriesLeft ?? 0} retries left`,
    suspended: retryIn === undefined ? '' : `tried in ${durationText(Math.round(retryIn))}`,
    active: '',
    off: '',
  };
  const said = {
    active: 'It is active: messages are sent.',
    timeout: `It failed with a timeout: ${retriesLeft ?? 0} more before it is suspended.`,
    suspended: `It is suspended: ${retryIn === undefined || retryIn === 0 ? 'the next message tries it' : `messages are refused for ${durationText(Math.round(retryIn))}`}.`,
    off: 'It is switched off until somebody activates it.',
  }[state];
  return (
    <figure className="machine">
      <svg viewBox="0 0 590 200" aria-hidden="true">
        <defs>
          <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 8 4 0 8z" className="tip" />
          </marker>
        </defs>
        {arrows.map(({ way, x, y, word }) => (
          <g key={word}>
            <path d={way} markerEnd="url(#tip)" />
            <text x={x} y={y}>
              {word}
            </text>
          </g>
        ))}
        {Object.entries(places).map(([name, [x, y]]) => (
          <g key={name} className={name === state ? `now ${name}` : ''}>
            <rect x={x} y={y} width={150} height={40} rx={20} />
            <text x={x + 75} y={y + (name === state && words[name] ? 18 : 25)} textAnchor="middle" className="name">
              {name}
            </text>
            {name === state && words[name] && (
              <text x={x + 75} y={y + 33} textAnchor="middle">
                {words[name]}
              </text>
            )}
          </g>
        ))}
      </svg>
      <figcaption>{said}</figcaption>
    </figure>
  );
}
