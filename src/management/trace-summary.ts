import type { MessageTrace } from '#mediation';

/** A trace as lists show it: what asked, what was answered, where it ended; undefined for what was not recorded. */
export interface TraceSummary extends Omit<MessageTrace, 'steps'> {
  readonly steps: number;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly status: number | undefined;
  /** Characters of the payload at its end. */
  readonly size: number | undefined;
  /** Identity of the mediator in which it failed, or of the last one. */
  readonly endedIn: string | undefined;
  /** Whether a header, another part or the payload holds what was looked for; true when nothing was. */
  readonly isFound: boolean;
}

/** @param word in lower case, looked for in everything that was recorded of the message */
export function summaryOf(trace: MessageTrace, word = ''): TraceSummary {
  const { steps, ...facts } = trace;
  const { first, last } = endsOf(trace);
  const status = Number(last.get('axis2:HTTP_SC'));
  return {
    ...facts,
    steps: steps.length,
    method: first.get('axis2:HTTP_METHOD') ?? first.get('default:REST_METHOD'),
    path: first.get('axis2:TransportInURL') ?? first.get('default:REST_FULL_REQUEST_PATH'),
    status: Number.isInteger(status) && status > 0 ? status : undefined,
    size: sizeOf(last.get('payload')),
    endedIn: endOf(trace),
    isFound: word === '' || holds(trace, word),
  };
}

/** Steps are recorded as they end; what failed first is the innermost one. */
function endOf({ steps }: MessageTrace): string | undefined {
  const failed = steps.find(({ error }) => error !== undefined);
  if (failed) return failed.mediator;
  return steps.toSorted((left, right) => left.start - right.start).at(-1)?.mediator;
}

type Parts = ReadonlyMap<string, string>;

/** What the message was when it came, as far as it was looked at, and what it was at last. */
function endsOf({ steps }: MessageTrace): { readonly first: Parts; readonly last: Parts } {
  const looks = steps
    .flatMap(({ start, duration, before, after }) => [
      { at: start, changes: before },
      { at: start + (duration ?? 0), changes: after },
    ])
    .filter(({ changes }) => changes !== undefined)
    .toSorted((left, right) => left.at - right.at);
  const first = new Map<string, string>();
  const last = new Map<string, string>();
  for (const { changes } of looks) {
    for (const [name, text] of Object.entries(changes ?? {})) {
      if (text === null) last.delete(name);
      else {
        last.set(name, text);
        // A part that is set later belongs to the message that came as little as one that changes.
        if (!first.has(name)) first.set(name, text);
      }
    }
  }
  return { first, last };
}

function sizeOf(payload: string | undefined): number | undefined {
  if (payload === undefined || payload.startsWith('(not read')) return undefined;
  const cut = /… \((\d+) characters\)$/.exec(payload)?.[1];
  return cut === undefined ? payload.length : Number(cut);
}

function holds({ artifact, message, correlation, steps }: MessageTrace, word: string): boolean {
  if (`${artifact} ${message} ${correlation ?? ''}`.toLowerCase().includes(word)) return true;
  return steps.some(
    ({ mediator, error, before, after }) =>
      `${mediator} ${error ?? ''}`.toLowerCase().includes(word) ||
      [before, after].some((changes) =>
        Object.entries(changes ?? {}).some(([name, text]) => `${name}: ${text ?? ''}`.toLowerCase().includes(word)),
      ),
  );
}
