import { masked, type Parts, type StepState } from './trace-model.ts';

/** What a traced message was answered by a back end. */
export interface BackEndAnswer {
  /** Name of the endpoint; empty when it has none. */
  readonly endpoint: string;
  readonly method: string;
  /** Path and query that were asked for. */
  readonly target: string;
  /** What was sent, where a body went along and is known. */
  readonly sent: string | undefined;
  readonly status: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly payload: string;
}

/** A call of a back end whose answer the trace does not hold. */
export interface UnknownAnswer {
  readonly mediator: string;
  readonly endpoint: string;
  readonly reason: string;
}

export interface BackEndAnswers {
  readonly known: readonly BackEndAnswer[];
  readonly unknown: readonly UnknownAnswer[];
}

/** Mediators that ask a back end and go on with its answer. */
const asking = ['call', 'send'];
/** Headers that belong to the way, or to a form of the body that the trace does not hold. */
const ofTheWay =
  /^(?:connection|content-encoding|content-length|date|keep-alive|server|trailer|transfer-encoding|upgrade|via)$/i;

/** The answers of back ends in a trace, in the order in which they were asked. */
export function backEndAnswers(states: readonly StepState[]): BackEndAnswers {
  const known: BackEndAnswer[] = [];
  const unknown: UnknownAnswer[] = [];
  for (const [index, state] of states.entries()) {
    if (!asking.includes(state.step.element)) continue;
    const answer = answeredWith(state, states[index + 1], callersOf(state, states.slice(0, index)));
    const { mediator } = state.step;
    if (typeof answer !== 'string') known.push(answer);
    else unknown.push({ mediator, endpoint: state.after.get(endpointProperty) ?? '', reason: answer });
  }
  return { known, unknown };
}

/** Set by the runtime: the endpoint that was used last, and the address that it was asked at. */
const endpointProperty = 'default:last_endpoint';
const addressProperty = 'default:ENDPOINT_PREFIX';

/** The answer, or why it is not known. */
function answeredWith(
  state: StepState,
  next: StepState | undefined,
  callers: readonly StepState[],
): BackEndAnswer | string {
  const { step, before, after } = state;
  if (step.error !== undefined) return `it did not answer: ${step.error}`;
  const answered = step.element === 'call' && isReadable(after) ? after : following([state, ...callers], next);
  if (!answered) return 'no mediator after the call looked at the answer';
  const status = answered.get('axis2:HTTP_SC');
  const payload = answered.get('payload');
  if (status === undefined || payload === undefined) return 'the trace has neither payloads nor properties';
  const problem = partProblem(payload);
  if (problem !== undefined) return problem;
  const headers = [...answered].flatMap(([name, value]) => {
    const header = name.startsWith('header:') ? name.slice('header:'.length) : '';
    return header === '' || ofTheWay.test(header) || partProblem(value) !== undefined ? [] : [[header, value] as const];
  });
  const sent = before.get('payload') ?? '';
  return {
    endpoint: answered.get(endpointProperty) ?? '',
    method: answered.get('axis2:HTTP_METHOD') ?? 'POST',
    target: targetOf(answered.get(addressProperty) ?? ''),
    sent: sent === '' || partProblem(sent) !== undefined ? undefined : sent,
    status,
    headers,
    payload: asSent(payload, headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? ''),
  };
}

/** The answer as the mediator after the call found it: an answer that nobody reads is not recorded before. */
function following(flow: readonly StepState[], next: StepState | undefined): Parts | undefined {
  if (!next || !isReadable(next.before)) return undefined;
  const around = next.step.mediator.slice(0, next.step.mediator.lastIndexOf('/') + 1);
  // Flows that run at the same time stand in one trace: the one that goes on is the flow of the call, or of its answer.
  const goesOn =
    flow.some(({ step }) => step.mediator.startsWith(around)) ||
    (flow[0]?.step.element === 'send' && next.step.mediator.includes('/out/'));
  return goesOn ? next.before : undefined;
}

/** Steps during which another one ran: the sequences and templates around it. */
function callersOf({ step }: StepState, earlier: readonly StepState[]): readonly StepState[] {
  const end = step.start + (step.duration ?? 0);
  return earlier.filter(({ step: { start, duration = 0 } }) => start <= step.start && start + duration >= end);
}

function isReadable(parts: Parts): boolean {
  return parts.get('payload') !== '(not read yet)';
}

/** Why a part is not what it was; undefined when it is. */
function partProblem(text: string): string | undefined {
  if (text.includes(masked)) return 'something in its answer is masked';
  if (/… \(\d+ characters\)$/.test(text)) return 'its answer is too long for a trace';
  if (/^\(not read(?:able|\syet)/.test(text)) return 'its answer could not be read';
  return undefined;
}

function targetOf(address: string): string {
  return /^[a-z][a-z+.-]*:\/\/[^/?]*(.*)$/i.exec(address)?.[1] ?? '';
}

/** A trace shows the content of a message; what goes over the wire has an envelope around it, or is bare text. */
function asSent(payload: string, contentType: string): string {
  const text = /^<text xmlns="http:\/\/ws\.apache\.org\/commons\/ns\/payload">([^<]*)<\/text>$/.exec(payload)?.[1];
  if (text !== undefined) return unescaped(text);
  const envelope = /^application\/soap\+xml/i.test(contentType)
    ? 'http://www.w3.org/2003/05/soap-envelope'
    : /^text\/xml/i.test(contentType)
      ? 'http://schemas.xmlsoap.org/soap/envelope/'
      : undefined;
  if (envelope === undefined) return payload;
  return `<soap:Envelope xmlns:soap="${envelope}"><soap:Body>${payload}</soap:Body></soap:Envelope>`;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
