import { getLogger, type Clock } from '#core';
import { messageOf, MillraceError, protocolStates, synapseCodes } from '#errors';
import { bodySourceOf, readBody, type Message } from '#message';
import { TransportError, type HeaderList, type OutgoingRequest, type ResponseHandler } from '#transport';
import { textOfValue } from '../shared/typed-value.ts';
import { parseBrokerAddress } from './broker-address.ts';
import { createBrokerConnections } from './broker-connections.ts';
import { withFactory, type BrokerFactories } from './broker-factories.ts';
import { sendJms } from './jms-sender.ts';
import { sendRabbitmq } from './rabbitmq-sender.ts';
import type { WireBody } from './wire-body.ts';

const log = getLogger('mediation.broker');

/** An answer of a program behind a broker. */
export interface BrokerReply {
  readonly headers: HeaderList;
  readonly bytes: Uint8Array;
}

/** One message for a broker. */
export interface BrokerSending {
  readonly message: Message;
  readonly request: OutgoingRequest;
  readonly body: WireBody;
  /** Whether somebody waits for an answer. */
  readonly asks: boolean;
  readonly signal: AbortSignal;
}

export interface BrokerHandler extends ResponseHandler {
  /** The broker has it, and no answer follows: the flow goes on with the message as it is. */
  onTaken(): void;
}

/** Sends to `jms:` and `rabbitmq:` addresses. */
export interface BrokerSender extends AsyncDisposable {
  send(
    message: Message,
    request: OutgoingRequest,
    facts: { readonly handler: BrokerHandler; readonly blocking: boolean; readonly limit: number },
  ): { abort(): void };
}

/** Failures of a connection, and not of the message. */
const connectCodes: ReadonlySet<unknown> = new Set([
  'MR_JMS_CONNECT',
  'MR_JMS_LOST',
  'MR_AMQP_CONNECT',
  'MR_AMQP_LOST',
]);
/** Milliseconds that an answer is waited for, unless `JMS_WAIT_REPLY` says otherwise (runtime-core 4.3). */
const usualPatience = 30_000;

export interface BrokerSenderOptions {
  readonly clock: Clock;
  readonly factories: BrokerFactories;
  /** The place of a file that an address names. */
  readonly pathOf: (path: string) => string;
}

export function createBrokerSender({ clock, factories, pathOf }: BrokerSenderOptions): BrokerSender {
  const connections = createBrokerConnections(clock);
  const tools = { clock, pathOf, connections };

  return {
    send(message, request, { handler, blocking, limit }) {
      const ending = new AbortController();
      const asks = textOfValue(message.properties.get('OUT_ONLY')) !== 'true';
      const wanted = Number(message.axis2.get('JMS_WAIT_REPLY'));
      const patience = wanted > 0 ? wanted : usualPatience;
      const run = async (): Promise<void> => {
        const { body } = request;
        const bytes =
          body === null || body instanceof Uint8Array ? (body ?? new Uint8Array()) : await readBody(body, limit);
        const contentType = message.header('Content-Type') ?? headerOf(request.headers, 'content-type');
        const sending = { message, request, body: { bytes, contentType }, asks, signal: ending.signal };
        const address = withFactory(parseBrokerAddress(`${request.origin}${request.target}`), factories);
        const send = address.scheme === 'jms' ? sendJms : sendRabbitmq;
        const reply = await send(sending, { address, patience, ...tools });
        if (reply) {
          return handler.onResponse({
            status: 200,
            reason: 'OK',
            headers: reply.headers,
            body: bodySourceOf(reply.bytes),
          });
        }
        if (!asks) return handler.onTaken();
        // As in the original: a blocking call goes on with the message that it has sent.
        if (blocking) {
          log.warn({ message: message.id, patience }, 'nobody answered to a message for a broker');
          return handler.onTaken();
        }
        return handler.onError(noReply(patience));
      };
      run().catch((error: unknown) => handler.onError(asTransportError(error)));
      return { abort: () => ending.abort() };
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

function headerOf(headers: Readonly<HeaderList>, name: string): string | undefined {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}

function noReply(patience: number): TransportError {
  const detail = `no answer came within ${patience} ms`;
  const { connectionTimedOut: baseCode } = synapseCodes;
  return new TransportError({ baseCode, state: protocolStates.requestReady, message: 'Error in Sender', detail });
}

function asTransportError(error: unknown): TransportError {
  const isConnection = error instanceof MillraceError && connectCodes.has(error.code);
  return new TransportError({
    baseCode: isConnection ? synapseCodes.connectionFailed : synapseCodes.senderIoSending,
    state: protocolStates.requestReady,
    message: isConnection ? 'Error connecting to the back end' : 'Error in Sender',
    detail: messageOf(error),
    cause: error,
  });
}
