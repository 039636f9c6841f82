import { getLogger } from '#core';
import { answerFault, type Visit } from '#entry';
import {
  closeOf,
  frameOfAnswer,
  namesCloseCode,
  saysTerminate,
  statusOfAnswer,
  STOP,
  type Compiled,
  type Flow,
} from '#mediation';
import type { Message } from '#message';
import { acceptWebSocket, asksForWebSocket, isPlainProtocol, readHandshake, type WebSocketHandshake } from '#transport';
import type { SocketFlow, SocketHost } from './socket-flow.ts';
import { SocketSession } from './socket-session.ts';
import { agree } from './subprotocol.ts';

const log = getLogger('inbound');

/**
 * Serves a request on a port that takes WebSockets (mediators 12.5). The flow sees the handshake first, with headers
 * and without a body. The client is taken unless the flow fails or answers with a status of 300 and above; what it
 * answers otherwise is the first frame.
 */
export async function serveHandshake(visit: Visit, endpoint: SocketFlow, host: SocketHost): Promise<Flow> {
  const { request, exchange, message } = visit;
  const handshake = asksForWebSocket(request) ? readHandshake(request) : undefined;
  if (!handshake || 'status' in handshake) {
    message.payload.discard();
    exchange.answerStatus(426, ['Sec-WebSocket-Version', '13']);
    return STOP;
  }
  if (!host.clients.hasRoom) {
    log.warn({ inbound: host.endpoint }, 'a WebSocket was refused: the endpoint ends, or has too many clients');
    exchange.answerStatus(503);
    return STOP;
  }
  const { protocols } = handshake;
  const session = new SocketSession(host, { target: request.target, protocols: protocols.filter(isPlainProtocol) });
  session.describe(message);
  // Frames have no path; those of one client go where its handshake went.
  message.axis2.delete('REST_URL_POSTFIX');
  let isTaken = false;
  try {
    const outcome = await runFlow(visit, endpoint, session);
    isTaken = outcome !== undefined && (await take(visit, endpoint, { host, session, handshake, outcome }));
  } finally {
    if (!isTaken) await session.refuse();
  }
  return STOP;
}

/** What a flow made of a handshake that it does not refuse. */
interface HandshakeOutcome {
  readonly answer: Message | undefined;
}

/** Runs the flow over the handshake; undefined when the client has another answer. */
async function runFlow(
  { exchange, message, world }: Visit,
  endpoint: SocketFlow,
  session: SocketSession,
): Promise<HandshakeOutcome | undefined> {
  let answer: Message | undefined;
  let isRefused = false;
  const outer = exchange.beforeAnswer;
  exchange.beforeAnswer = async (each) => {
    if (!(await session.beforeAnswer(each))) return false;
    if (outer && !(await outer(each))) return false;
    isRefused = exchange.failed || statusOfAnswer(each) >= 300;
    if (!isRefused) answer = each;
    return isRefused;
  };
  const flow = endpoint.flowFor(session.path, world.library);
  const requestIn = endpoint.handlers?.requestIn;
  const run: Compiled = async (each) => {
    if (!requestIn) return flow(each);
    if ((await requestIn(each)) !== STOP) return flow(each);
    // A handler that stops the handshake without an answer of its own refuses it.
    isRefused = true;
    if (!exchange.answered) exchange.answerStatus(403);
    return STOP;
  };
  await endpoint.guard(run)(message);
  await exchange.flows?.ended();
  if (isRefused) return undefined;
  if (exchange.failed) {
    if (!exchange.answered) answerFault(exchange, message, { reason: 'The handshake failed' });
    return undefined;
  }
  const last = answer ?? message;
  if (saysTerminate(last) && !namesCloseCode(last)) {
    answer?.payload.discard();
    exchange.answered = false;
    exchange.answerStatus(403);
    return undefined;
  }
  return { answer };
}

/** Answers with 101; false when the client is gone. */
async function take(
  { exchange, message, request }: Visit,
  { modules, socket }: SocketFlow,
  {
    host,
    session,
    handshake,
    outcome: { answer },
  }: {
    readonly host: SocketHost;
    readonly session: SocketSession;
    readonly handshake: WebSocketHandshake;
    readonly outcome: HandshakeOutcome;
  },
): Promise<boolean> {
  const [first] = session.backEnds.values();
  const backEnd = (await first?.catch(() => undefined))?.protocol;
  const handled = new Set(modules.subprotocols.keys());
  const protocol = agree(handshake.protocols, { handled, backEnd: backEnd === '' ? undefined : backEnd });
  const { limits } = host;
  const greeting = answer && (await frameOfAnswer(answer, limits.maxPayloadBytes));
  const link = acceptWebSocket(request, handshake, { protocol: protocol.name, limits });
  exchange.answered = true;
  if (!link) return false;
  session.accept(link, { ...protocol, contentType: protocol.contentType ?? socket.contentType });
  const last = answer ?? message;
  if (saysTerminate(last)) session.end(closeOf(last));
  else if (greeting && greeting.data.length > 0) await session.send(greeting);
  return true;
}
