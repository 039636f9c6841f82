import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ask, messageOf, nodePath, useResource, type ListOf, type NodeFacts } from './api.ts';
import { Link } from './location.tsx';
import { Difference } from './difference.tsx';
import { durationText } from './parts.tsx';
import { memberLines, pretty, type Trace, type TracedRequest } from './trace-model.ts';

/** What an API answered to a replayed request. */
export interface Answer {
  readonly status: number;
  readonly duration: number;
  readonly size: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
}

/** Marks a replayed request, so that its own trace is found. */
const mark = 'X-Millrace-Replay';

/** Sends a traced request once more, to any node, after whoever does so has looked at it. */
export function ReplayDialog(props: {
  request: TracedRequest;
  node: Pick<NodeFacts, 'group' | 'id'>;
  answerBefore: string;
  onAnswer: (answer: Answer) => void;
  onClose: () => void;
}) {
  const { request, node, answerBefore, onAnswer, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const nodes = useResource<ListOf<NodeFacts>>(`/nodes?group=${encodeURIComponent(node.group)}`, 3600);
  const [outcome, setOutcome] = useState<{ answer?: Answer; trace?: number; problem?: string; on: string }>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const send = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    };
    const on = text('node');
    const target = { group: node.group, id: on };
    setBusy(true);
    try {
      const value = crypto.randomUUID();
      const { id } = (await ask('POST', nodePath(target, 'captures'), {
        header: { name: mark, value },
        next: 1,
        seconds: 60,
        payloads: true,
      })) as { id: string };
      const answer = (await ask('POST', nodePath(target, 'replays'), {
        method: text('method'),
        path: text('path'),
        headers: { ...headersOf(text('headers')), [mark]: value },
        ...(text('body') !== '' && { body: text('body') }),
      })) as Answer;
      const { list } = (await ask('GET', nodePath(target, 'traces'))) as ListOf<Trace>;
      const trace = list.findLast(({ capture }) => capture === id)?.number;
      setOutcome({ answer, on, ...(trace !== undefined && { trace }) });
      onAnswer(answer);
    } catch (error) {
      setOutcome({ problem: messageOf(error), on });
    }
    setBusy(false);
  };
  const { answer, problem, trace, on = node.id } = outcome ?? {};
  return (
    <dialog ref={dialog} className="wide-dialog" onClose={onClose} aria-labelledby="replay-title">
      <h2 id="replay-title">Replay the request</h2>
      {request.masked.length > 0 && (
        <div className="note">
          Masked when it was traced, and so not known here: {request.masked.join(', ')}. Fill in what the API needs.
        </div>
      )}
      <form onSubmit={(event) => void send(event)}>
        <div className="bar">
          <label>
            Node
            <select name="node" defaultValue={node.id}>
              {(nodes.data?.list ?? [{ id: node.id }]).map(({ id }) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          </label>
          <label>
            Method
            <input name="method" defaultValue={request.method} size={8} required />
          </label>
          <label className="grow">
            Path
            <input name="path" defaultValue={request.path} required />
          </label>
        </div>
        <label>
          Headers, one a line
          <textarea name="headers" rows={4} defaultValue={linesOf(request.headers)} />
        </label>
        <label>
          Payload
          <textarea name="body" rows={6} defaultValue={request.body} />
        </label>
        <div className="bar">
          <button className="primary" disabled={isBusy}>
            {isBusy ? 'Sending…' : 'Send the request'}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
          <span className="quiet">It runs for real: back ends are called again.</span>
        </div>
      </form>
      {problem !== undefined && (
        <div className="note bad" role="alert">
          {problem}
        </div>
      )}
      {answer && (
        <section aria-label="Answer" role="status">
          <p>
            <strong>Status {answer.status}</strong> from {on} after {durationText(answer.duration)}.{' '}
            {trace !== undefined && (
              <Link to={`/traces/${encodeURIComponent(node.group)}/${encodeURIComponent(on)}/${trace}`}>
                Look at its trace
              </Link>
            )}
          </p>
          {answer.body === undefined ? (
            <p className="quiet">{answer.size} bytes that are no text.</p>
          ) : answerBefore === '' ? (
            <pre tabIndex={0}>{pretty(answer.body)}</pre>
          ) : (
            <Difference before={memberLines(answerBefore)} after={memberLines(answer.body)} />
          )}
        </section>
      )}
    </dialog>
  );
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function headersOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]] : [];
    }),
  );
}
