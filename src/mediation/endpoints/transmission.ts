import { messageOf, MillraceError, synapseCodes } from '#errors';
import { noteIncident, type Message } from '#message';
import type { IncomingResponse, OutgoingRequest, TransportError } from '#transport';
import { isBrokerOrigin } from '../brokers/broker-address.ts';
import type { BrokerHandler } from '../brokers/broker-sender.ts';
import type { CompileContext } from '../context.ts';
import type { SendOptions } from '../endpoint.ts';
import type { Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { isTrue } from '../outgoing-body.ts';
import { textOfValue } from '../shared/typed-value.ts';
import type { WebSocketHandler } from '../web-socket/index.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { EndpointFault } from './endpoint-fault.ts';
import type { EndpointState } from './endpoint-state.ts';
import type { EndpointStatistics } from './endpoint-statistics.ts';
import { takeReply } from './reply.ts';
import { isWebSocketOrigin } from './url.ts';

/** Texts that the original puts into ERROR_MESSAGE; the precise cause stands in ERROR_DETAIL. */
const errorMessages: ReadonlyMap<number, string> = new Map([
  [synapseCodes.connectionFailed, 'Error connecting to the back end'],
]);

/** What a transmission needs of the endpoint that sends. */
export interface SendingEndpoint {
  readonly name: string;
  readonly id: string;
  readonly policy: DeliveryPolicy;
  readonly state: EndpointState;
  readonly statistics: EndpointStatistics;
  /** Statuses that are no failure of a blocking call. */
  readonly harmless: readonly number[];
  readonly services: CompileContext['services'];
}

/** One message on its way to a back end, until the head of its answer has come or it has failed; settled once. */
export class Transmission implements WebSocketHandler, BrokerHandler {
  readonly #endpoint: SendingEndpoint;
  readonly #message: Message;
  readonly #options: SendOptions;
  readonly #began: number;
  #request: OutgoingRequest | undefined;
  #timeout = 0;
  #cancelTimer: (() => void) | undefined;
  #isSettled = false;
  #resolve: (flow: Flow) => void = () => undefined;
  #reject: (fault: Fault) => void = () => undefined;

  constructor(endpoint: SendingEndpoint, message: Message, options: SendOptions) {
    this.#endpoint = endpoint;
    this.#message = message;
    this.#options = options;
    this.#began = endpoint.services.clock.monotonic();
  }

  /** Resolves with what the flow does next; rejects with an `EndpointFault`. @param timeout in milliseconds */
  begin(request: OutgoingRequest, timeout: number): Promise<Flow> {
    this.#request = request;
    this.#timeout = timeout;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#send(request);
    });
  }

  /** A WebSocket took the message: no answer follows. */
  onSent(): void {
    if (!this.#settle()) return;
    this.#answered();
    this.#resolve(STOP);
  }

  /** A broker has the message, and no answer follows: the flow goes on with it. */
  onTaken(): void {
    if (!this.#settle()) return;
    this.#answered();
    this.#resolve(CONTINUE);
  }

  onResponse(response: IncomingResponse): void {
    if (!this.#settle()) {
      response.body?.cancel();
      return;
    }
    this.#answered();
    const message = this.#message;
    if (response.status === 202 && isTrue(message.axis2.get('IGNORE_SC_ACCEPTED'))) {
      response.body?.cancel();
      this.#resolve(STOP);
      return;
    }
    const { harmless } = this.#endpoint;
    const refusal = this.#options.blocking ? blockingRefusal(message, response, harmless) : undefined;
    const { preservedHeaders, preservedResponseHeaders } = this.#endpoint.services.settings;
    const preserved = preservedResponseHeaders ?? preservedHeaders;
    takeReply(message, response, { blocking: this.#options.blocking, preserved });
    if (refusal) this.#reject(refusal);
    else this.#resolve(CONTINUE);
  }

  onError(error: TransportError): void {
    const { properties } = this.#message;
    const code = Number(error.code);
    properties.set('BASE_ERROR_CODE', error.baseCode);
    properties.set('PROTOCOL_STATE_ON_FAILURE', error.state);
    this.#fail(code, errorMessages.get(code) ?? 'Error in Sender', error);
  }

  #send(request: OutgoingRequest): void {
    const { webSockets, sender, blockingSender, background, settings, clock } = this.#endpoint.services;
    const message = this.#message;
    const http = this.#options.blocking ? (blockingSender ?? sender) : sender;
    const { blocking } = this.#options;
    const limit = settings.maxBodyBytes;
    const isBroker = isBrokerOrigin(request.origin);
    this.#options.begun?.(isBroker);
    const exchange = isBroker
      ? background.brokers.sender.send(message, request, { handler: this, blocking, limit })
      : webSockets && isWebSocketOrigin(request.origin)
        ? webSockets.send(message, request, this)
        : http.send(request, this);
    if (this.#isSettled) return;
    this.#cancelTimer = clock.after(this.#timeout, () => {
      // Nobody knows how much of the body was sent, so the fault sequence sees none (runtime-core 5.5).
      message.payload.clear();
      const cause = new Error(`No answer within ${this.#timeout} ms`);
      this.#fail(synapseCodes.connectionTimedOut, 'Send timeout', cause);
      exchange.abort();
    });
  }

  /** False when it was settled before. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#cancelTimer?.();
    return true;
  }

  #answered(): void {
    const { state, statistics, services } = this.#endpoint;
    state.succeeded();
    statistics.answered(services.clock.monotonic() - this.#began);
  }

  #fail(code: number, text: string, cause: unknown): void {
    if (!this.#settle()) return;
    const { name, id, policy, state, statistics } = this.#endpoint;
    const { blocking } = this.#options;
    const message = this.#message;
    const request = this.#request;
    const before = state.name;
    state.failed(code);
    statistics.failedWith(code);
    noteFailure(message, name, code);
    if (blocking) message.properties.set('blocking.sender.error', 'true');
    const detail = cause instanceof MillraceError ? (cause.detail ?? cause.message) : messageOf(cause ?? text);
    noteIncident(message, 'back end', {
      endpoint: name,
      at: id,
      url: request && `${request.origin}${request.target}`.split('?', 1)[0],
      code,
      error: text,
      detail,
      timeout: this.#timeout,
      ...(before === state.name ? {} : { state: `${before} to ${state.name}` }),
    });
    // The blocking sender has one code for whatever the transport says (runtime-core 3.7).
    const shown = blocking ? synapseCodes.blockingSenderFailed : code;
    this.#reject(new EndpointFault({ code: shown, message: text, detail, cause }, mayRetry(policy, code)));
  }
}

/** False for a failure that no other member of a group may take over (runtime-core 5.4). */
export function mayRetry({ retry }: DeliveryPolicy, code: number): boolean {
  if (retry.disabled.includes(code)) return false;
  return retry.enabled.length === 0 || retry.enabled.includes(code);
}

/** What fault sequences read about the endpoints that were tried (runtime-core 3.6). */
export function noteFailure({ properties }: Message, name: string, code: number): void {
  properties.set('SENDING_FAULT', true);
  const before: unknown = properties.get('endpoint_log');
  properties.set('endpoint_log', new Map<unknown, unknown>([...(before instanceof Map ? before : []), [name, code]]));
}

/** A blocking call takes 400 and above as a fault unless the message lists the status as harmless (3.6). */
function blockingRefusal(
  message: Message,
  { status, reason }: IncomingResponse,
  harmless: readonly number[],
): Fault | undefined {
  const isListed = (name: string): boolean =>
    textOfValue(message.axis2.get(name))
      .split(',')
      .some((code) => code.trim() === String(status));
  const isHarmless = status < 400 || harmless.includes(status) || isListed('non.error.http.status.codes');
  if (isHarmless && !isListed('error.http.status.codes')) return undefined;
  message.properties.set('blocking.sender.error', 'true');
  return new EndpointFault({
    code: synapseCodes.blockingSenderFailed,
    message: `Transport error: ${status} Error: ${reason}`,
  });
}
