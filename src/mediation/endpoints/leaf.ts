import { messageOf, MillraceError, synapseCodes } from '#errors';
import { noteIncident, type Message } from '#message';
import type { IncomingResponse } from '#transport';
import { faultOf } from '#xml';
import type { CompileContext } from '../context.ts';
import type { CompiledEndpoint, SendOptions } from '../endpoint.ts';
import type { Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { isTrue } from '../outgoing-body.ts';
import { textOfValue } from '../shared/typed-value.ts';
import type { Authentication } from './authentication.ts';
import { createComposer, needsPayload } from './compose-request.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { EndpointFault } from './endpoint-fault.ts';
import { EndpointState } from './endpoint-state.ts';
import { EndpointStatistics } from './endpoint-statistics.ts';
import type { FormatSettings } from './format.ts';
import type { LeafSettings } from './leaf-settings.ts';
import { takeReply } from './reply.ts';
import { isWebSocketOrigin } from './url.ts';
import type { WebSocketHandler } from '../web-socket/index.ts';
import { saveMessage } from './saved-message.ts';

/** What distinguishes one kind of leaf endpoint from another. */
export interface LeafEndpoint {
  readonly name: string;
  readonly settings: LeafSettings;
  readonly format: FormatSettings;
  readonly authentication?: Authentication | undefined;
  /** True for an address that a message named: its memory ends with the endpoint. */
  readonly isPassing?: boolean;
  /** 303001 unless the kind has a code of its own. */
  readonly notReadyCode?: number;
  /** Where this message goes. */
  target(message: Message): { url: string; method: string | undefined };
}

/** Texts that the original puts into ERROR_MESSAGE; the precise cause stands in ERROR_DETAIL. */
const errorMessages: ReadonlyMap<number, string> = new Map([
  [synapseCodes.connectionFailed, 'Error connecting to the back end'],
]);

/** The memory of a leaf endpoint. */
interface LeafMemory {
  readonly state: EndpointState;
  readonly statistics: EndpointStatistics;
}

/** An endpoint that sends to one HTTP address and keeps the state of it. */
export function createLeafEndpoint(leaf: LeafEndpoint, context: CompileContext): CompiledEndpoint {
  const { services } = context;
  const { settings, clock } = services;
  const { policy } = leaf.settings;
  const { state, statistics } = memoryOf(leaf, context);
  const compose = createComposer(leaf, settings);
  const { authentication } = leaf;
  const harmless = authentication?.renews ? [401] : [];
  const computesTimeout = policy.timeout && 'expression' in policy.timeout ? policy.timeout.expression : undefined;
  const readsPayload =
    authentication?.resends === true ||
    authentication?.contentAware === true ||
    computesTimeout?.expression.contentAware === true;

  const transmit = (message: Message, options: SendOptions): Promise<Flow> => {
    const timeout = timeoutOf(policy, message, settings.globalTimeout);
    const request = compose(message, options);
    const began = clock.monotonic();
    return new Promise((resolve, reject) => {
      let isSettled = false;
      let cancelTimer = (): void => {};
      const settle = (finish: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        cancelTimer();
        finish();
      };
      const fail = (code: number, text: string, cause: unknown): void =>
        settle(() => {
          const before = state.name;
          state.failed(code);
          statistics.failedWith(code);
          noteFailure(message, leaf.name, code);
          if (options.blocking) message.properties.set('blocking.sender.error', 'true');
          const detail = cause instanceof MillraceError ? (cause.detail ?? cause.message) : messageOf(cause ?? text);
          noteIncident(message, 'back end', {
            endpoint: leaf.name,
            at: context.id,
            url: `${request.origin}${request.target}`.split('?', 1)[0],
            code,
            error: text,
            detail,
            timeout,
            ...(before === state.name ? {} : { state: `${before} to ${state.name}` }),
          });
          // The blocking sender has one code for whatever the transport says (runtime-core 3.7).
          const shown = options.blocking ? synapseCodes.blockingSenderFailed : code;
          reject(new EndpointFault({ code: shown, message: text, detail, cause }, mayRetry(policy, code)));
        });
      const accept = (response: IncomingResponse): void =>
        settle(() => {
          state.succeeded();
          statistics.answered(clock.monotonic() - began);
          if (response.status === 202 && isTrue(message.axis2.get('IGNORE_SC_ACCEPTED'))) {
            response.body?.cancel();
            resolve(STOP);
            return;
          }
          const refusal = options.blocking ? blockingRefusal(message, response, harmless) : undefined;
          takeReply(message, response, options);
          if (refusal) reject(refusal);
          else resolve(CONTINUE);
        });
      const sender = options.blocking ? (services.blockingSender ?? services.sender) : services.sender;
      const handler: WebSocketHandler = {
        onSent: () =>
          settle(() => {
            state.succeeded();
            statistics.answered(clock.monotonic() - began);
            resolve(STOP);
          }),
        onResponse(response) {
          if (isSettled) response.body?.cancel();
          else accept(response);
        },
        onError(error) {
          const code = Number(error.code);
          message.properties.set('BASE_ERROR_CODE', error.baseCode);
          message.properties.set('PROTOCOL_STATE_ON_FAILURE', error.state);
          fail(code, errorMessages.get(code) ?? 'Error in Sender', error);
        },
      };
      const exchange =
        services.webSockets && isWebSocketOrigin(request.origin)
          ? services.webSockets.send(message, request, handler)
          : sender.send(request, handler);
      if (isSettled) return;
      cancelTimer = clock.after(timeout, () => {
        // Nobody knows how much of the body was sent, so the fault sequence sees none (runtime-core 5.5).
        message.payload.clear();
        fail(synapseCodes.connectionTimedOut, 'Send timeout', new Error(`No answer within ${timeout} ms`));
        exchange.abort();
      });
    });
  };

  const refuseSoapFault = async (message: Message): Promise<void> => {
    await message.payload.load(settings.maxBodyBytes);
    if (message.payload.hasJson() || !faultOf(message.envelope())) return;
    const code = synapseCodes.endpointCustomError;
    state.failed(code);
    noteFailure(message, leaf.name, code);
    throw new EndpointFault({ code, message: 'The back end answered with a SOAP fault' }, mayRetry(policy, code));
  };

  /** Sends with credentials; where the back end refuses them, once more with new ones (runtime-core 5.3). */
  const sendAuthorized = async (message: Message, options: SendOptions, by: Authentication): Promise<Flow> => {
    const { url } = leaf.target(message);
    const restore = by.resends ? saveMessage(message) : undefined;
    const granted = await by.authorize(message, url);
    const flow = await transmit(message, options);
    if (!granted || message.axis2.get('HTTP_SC') !== 401) return flow;
    granted.forget();
    if (!restore) return flow;
    restore();
    await by.authorize(message, url);
    return transmit(message, options);
  };

  return {
    name: leaf.name,
    isReady: () => state.isReady(),
    retriesLeft: () => (state.name === 'timeout' ? state.remainingRetries : undefined),
    rest: (milliseconds) => state.rest(milliseconds),
    status: () => ({
      name: leaf.name,
      state: state.name,
      counts: statistics,
      retryIn: state.retryIn,
      retriesLeft: state.remainingRetries,
      members: [],
    }),
    switchOff: () => state.switchOff(),
    switchOn: () => state.switchOn(),
    async send(message, options) {
      if (!state.isReady()) {
        message.properties.set('SENDING_FAULT', true);
        throw new EndpointFault({
          code: leaf.notReadyCode ?? synapseCodes.endpointNotReady,
          message: `Endpoint : ${leaf.name} is ${state.name} and is not ready to be used`,
        });
      }
      message.properties.delete('SENDING_FAULT');
      message.properties.set('last_endpoint', leaf.name);
      if (readsPayload || needsPayload(message, leaf)) await message.payload.load(settings.maxBodyBytes);
      const { handlers } = services;
      if (handlers?.requestOut && (await handlers.requestOut(message)) === STOP) return STOP;
      const flow = await (authentication
        ? sendAuthorized(message, options, authentication)
        : transmit(message, options));
      if (flow === CONTINUE && handlers?.responseIn && (await handlers.responseIn(message)) === STOP) return STOP;
      if (isTrue(message.properties.get('FORCE_ERROR_ON_SOAP_FAULT'))) await refuseSoapFault(message);
      return flow;
    },
  };
}

/** What the endpoint knew before, when its settings are still the same. */
function memoryOf({ settings: { policy }, isPassing }: LeafEndpoint, { id, services }: CompileContext): LeafMemory {
  const { settings, clock, endpointStates } = services;
  const defaults = {
    duration: settings.suspendDuration,
    factor: settings.suspendFactor,
    overrides: settings.overridesSuspension ?? false,
  };
  const create = (): LeafMemory => ({
    state: new EndpointState(policy, clock, defaults),
    statistics: new EndpointStatistics(),
  });
  return isPassing ? create() : endpointStates.obtain(id, JSON.stringify([policy, defaults]), create);
}

/** False for a failure that no other member of a group may take over (runtime-core 5.4). */
function mayRetry({ retry }: DeliveryPolicy, code: number): boolean {
  if (retry.disabled.includes(code)) return false;
  return retry.enabled.length === 0 || retry.enabled.includes(code);
}

/** What fault sequences read about the endpoints that were tried (runtime-core 3.6). */
function noteFailure({ properties }: Message, name: string, code: number): void {
  properties.set('SENDING_FAULT', true);
  const before: unknown = properties.get('endpoint_log');
  properties.set('endpoint_log', new Map<unknown, unknown>([...(before instanceof Map ? before : []), [name, code]]));
}

/** Milliseconds that this message may take: the endpoint's, capped by the global one when it is computed (5.4). */
function timeoutOf({ timeout }: DeliveryPolicy, message: Message, globalTimeout: number): number {
  if (!timeout) return globalTimeout;
  if ('milliseconds' in timeout) return timeout.milliseconds > 0 ? timeout.milliseconds : globalTimeout;
  const computed = Number(timeout.expression.expression.evaluateString(message));
  return computed > 0 && computed <= globalTimeout ? computed : globalTimeout;
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
