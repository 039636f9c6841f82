import { synapseCodes } from '#errors';
import type { Message } from '#message';
import type { CompileContext } from '../context.ts';
import type { CompiledEndpoint, SendOptions } from '../endpoint.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { isTrue } from '../outgoing-body.ts';
import { holdsSoapFault } from '../soap-fault.ts';
import type { Authentication } from './authentication.ts';
import { createComposer, needsPayload } from './compose-request.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { EndpointFault } from './endpoint-fault.ts';
import { EndpointState } from './endpoint-state.ts';
import { EndpointStatistics } from './endpoint-statistics.ts';
import type { FormatSettings } from './format.ts';
import type { LeafSettings } from './leaf-settings.ts';
import { saveMessage } from './saved-message.ts';
import { mayRetry, noteFailure, Transmission, type SendingEndpoint } from './transmission.ts';

/** What distinguishes one kind of leaf endpoint from another. */
export interface LeafEndpoint {
  readonly name: string;
  readonly settings: LeafSettings;
  readonly format: FormatSettings;
  readonly authentication?: Authentication | undefined;
  /** True for an address that a message named: its memory ends with the endpoint. */
  readonly isPassing?: boolean;
  /** True for the address of a broker: its messages are whole. */
  readonly isBroker?: boolean;
  /** True when every message asks the back end in HTTP/2. */
  readonly prefersHttp2?: boolean;
  /** 303001 unless the kind has a code of its own. */
  readonly notReadyCode?: number;
  /** Where this message goes. */
  target(message: Message): { url: string; method: string | undefined };
}

/** The memory of a leaf endpoint. */
interface LeafMemory {
  readonly state: EndpointState;
  readonly statistics: EndpointStatistics;
}

/** An endpoint that sends to one HTTP address and keeps the state of it. */
export function createLeafEndpoint(leaf: LeafEndpoint, context: CompileContext): CompiledEndpoint {
  const { services } = context;
  const { settings } = services;
  const { policy } = leaf.settings;
  const { state, statistics } = memoryOf(leaf, context);
  const compose = createComposer(leaf, settings);
  const { authentication } = leaf;
  const harmless = authentication?.renews ? [401] : [];
  const sending: SendingEndpoint = { name: leaf.name, id: context.id, policy, state, statistics, harmless, services };
  const computesTimeout = policy.timeout && 'expression' in policy.timeout ? policy.timeout.expression : undefined;
  const readsPayload =
    leaf.isBroker === true ||
    authentication?.resends === true ||
    authentication?.contentAware === true ||
    computesTimeout?.expression.contentAware === true;

  const transmit = (message: Message, options: SendOptions): Promise<Flow> => {
    const timeout = timeoutOf(policy, message, settings.globalTimeout);
    const request = compose(message, options);
    return new Transmission(sending, message, options).begin(request, timeout);
  };

  const refuseSoapFault = async (message: Message): Promise<void> => {
    await message.payload.load(settings.maxBodyBytes);
    if (!holdsSoapFault(message)) return;
    const code = synapseCodes.endpointCustomError;
    state.failed(code);
    noteFailure(message, leaf.name, code);
    throw new EndpointFault({ code, message: 'The back end answered with a SOAP fault' }, mayRetry(policy, code));
  };

  /** What `RETRY_ON_SOAPFAULT` asks for: the back end works, but this message was not taken (runtime-core 4.3). */
  const retrySoapFault = async (message: Message): Promise<void> => {
    await message.payload.load(settings.maxBodyBytes);
    if (!holdsSoapFault(message)) return;
    message.properties.set('blocking.sender.error', 'true');
    throw new EndpointFault({
      code: synapseCodes.blockingSenderFailed,
      message: 'The back end answered with a SOAP fault',
    });
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
      if (options.blocking && isTrue(message.properties.get('RETRY_ON_SOAPFAULT'))) await retrySoapFault(message);
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

/** Milliseconds that this message may take: the endpoint's, capped by the global one when it is computed (5.4). */
function timeoutOf({ timeout }: DeliveryPolicy, message: Message, globalTimeout: number): number {
  if (!timeout) return globalTimeout;
  if ('milliseconds' in timeout) return timeout.milliseconds > 0 ? timeout.milliseconds : globalTimeout;
  const computed = Number(timeout.expression.expression.evaluateString(message));
  return computed > 0 && computed <= globalTimeout ? computed : globalTimeout;
}
