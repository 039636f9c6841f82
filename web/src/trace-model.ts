type Changes = Readonly<Record<string, string | null>>;

/** One mediator that a traced message went through. */
export interface Step {
  readonly mediator: string;
  readonly element: string;
  readonly start: number;
  readonly duration?: number;
  readonly before?: Changes;
  readonly after?: Changes;
  readonly error?: string;
}

export interface Trace {
  readonly number: number;
  readonly message: string;
  readonly artifact: string;
  readonly correlation?: string;
  readonly capture?: string;
  readonly at: number;
  readonly duration?: number;
  readonly failed: boolean;
  readonly omitted: number;
  readonly steps: readonly Step[];
  /** Where requests to the APIs of the runtime come in, as it reports; undefined where it takes none over HTTP. */
  readonly origin?: string;
}

/** Parts of a message by name: `payload`, `header:Accept`, `default:name`, `variable:name`. */
export type Parts = ReadonlyMap<string, string>;

interface OrderedStep {
  readonly step: Step;
  /** Its place among those that were recorded as they ended. */
  readonly ended: number;
}

/** Runtimes record steps as they end; people read them as they began, so what stands inside a mediator after it. */
function asBegun(steps: readonly Step[]): readonly OrderedStep[] {
  return steps
    .map((step, ended) => ({ step, ended }))
    .toSorted((left, right) => {
      if (left.step.start !== right.step.start) return left.step.start - right.step.start;
      if (right.step.mediator.startsWith(`${left.step.mediator}/`)) return -1;
      if (left.step.mediator.startsWith(`${right.step.mediator}/`)) return 1;
      return left.ended - right.ended;
    });
}

export interface StepState {
  readonly step: Step;
  readonly before: Parts;
  readonly after: Parts;
}

/** Steps in the order in which they began, each with what the message was before and after it: a step says only what changed. */
export function statesOf(steps: readonly Step[]): readonly StepState[] {
  let state: Parts = new Map();
  const apply = (changes: Changes | undefined): Parts => {
    const next = new Map(state);
    for (const [name, value] of Object.entries(changes ?? {})) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    state = next;
    return next;
  };
  const states: { step: Step; before: Parts; after: Parts; ended: number }[] = [];
  const open: typeof states = [];
  const end = (): void => {
    const last = open.pop();
    if (last) last.after = apply(last.step.after);
  };
  for (const { step, ended } of asBegun(steps)) {
    while (open.length > 0 && (open.at(-1)?.ended ?? 0) < ended) end();
    const before = apply(step.before);
    const entry = { step, before, after: before, ended };
    states.push(entry);
    open.push(entry);
  }
  while (open.length > 0) end();
  return states;
}

/** The kind and the name of the artifact that a mediator's identity begins with; names may hold colons. */
export function artifactOf(identity: string): { readonly kind: string; readonly name: string } {
  const key = identity.split('/', 1)[0] ?? '';
  const colon = key.indexOf(':');
  return { kind: key.slice(0, colon), name: key.slice(colon + 1) };
}

/** A request that was traced, as far as it was recorded. */
export interface TracedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Names of what was masked, and so is not known. */
  readonly masked: readonly string[];
}

/** What stands where something secret stood, with the name of the rule that masked it. */
export const masked = '*****';
const marks = /(\*{5}(?:\[[\w.-]+\])?)/;
/** The rules that come with the runtime, in words. */
const ownRules: Readonly<Record<string, string>> = {
  'secret-names': 'its name is that of a secret',
  'not-applicable': 'a rule could not be applied',
};

/** A piece of a text: what is shown, or why it is masked. */
export interface Piece {
  readonly text: string;
  readonly reason?: string;
}

/** A text in pieces, those that are masked apart. */
export function piecesOf(text: string): readonly Piece[] {
  return text.split(marks).flatMap((part, index) => {
    if (index % 2 === 0) return part === '' ? [] : [{ text: part }];
    const rule = part === masked ? 'secret-names' : part.slice(masked.length + 1, -1);
    return [{ text: part, reason: ownRules[rule] ?? `rule ${rule}` }];
  });
}
/** Set by the way that a request takes. */
const ofTheWay = /^(?:host|content-length|transfer-encoding|connection|x-millrace-replay)$/i;

/** The request that began a trace; undefined for messages that came another way. */
export function requestOf({ steps }: Trace): TracedRequest | undefined {
  const parts = asBegun(steps)[0]?.step.before ?? {};
  const path = parts['axis2:TransportInURL'] ?? parts['default:REST_FULL_REQUEST_PATH'];
  const method = parts['axis2:HTTP_METHOD'] ?? parts['default:REST_METHOD'];
  if (typeof path !== 'string' || typeof method !== 'string') return undefined;
  const headers: Record<string, string> = {};
  const hidden: string[] = [];
  for (const [name, value] of Object.entries(parts)) {
    if (!name.startsWith('header:') || value === null) continue;
    const header = name.slice('header:'.length);
    if (ofTheWay.test(header)) continue;
    if (value.includes(masked)) hidden.push(header);
    else headers[header] = value;
  }
  const body = parts['payload'] ?? '';
  if (path.includes(masked)) hidden.push('path');
  if (body.includes(masked)) hidden.push('payload');
  return { method, path, headers, body, masked: hidden };
}

const loopback = /^(?:localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|\[::\])$/;

/**
 * Where a request reaches a runtime from elsewhere. One that calls itself by a name of its own machine is called by
 * the name under which the dashboard reaches it.
 */
export function reachableOrigin(origin: string, managementUrl: string | undefined): string {
  const url = new URL(origin);
  const management = managementUrl === undefined ? undefined : new URL(managementUrl);
  if (management && loopback.test(url.hostname) && !loopback.test(management.hostname))
    url.hostname = management.hostname;
  return url.origin;
}

/** The request as a command; what was masked is left to whoever runs it. */
export function curlOf({ method, path, headers, body, masked: hidden }: TracedRequest, origin: string): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const lines = [`curl -X ${method} ${quoted(origin + path)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  for (const name of hidden.filter((each) => each !== 'payload' && each !== 'path'))
    lines.push(`  -H ${quoted(`${name}: <value>`)}`);
  if (body !== '') lines.push(`  --data-binary ${quoted(body)}`);
  return lines.join(' \\\n');
}

/** As `pretty`, without the commas between members, so that a difference shows members alone. */
export function memberLines(text: string): string {
  return pretty(text).replaceAll(/,$/gm, '');
}

/** JSON in lines; markup with a line for each element; other texts as they are. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text.replaceAll('><', '>\n<');
  }
}
