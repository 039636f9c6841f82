import { messageOf, MillraceError, synapseCodes } from '#errors';
import { removeHeader, setHeader, type Message } from '#message';
import type { IncomingResponse, OutgoingRequest } from '#transport';
import { faultOf } from '#xml';
import type { CompileContext } from '../context.ts';
import type { CompiledEndpoint, SendOptions } from '../endpoint.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, type Flow } from '../flow.ts';
import { ntlmCredentialsOf } from '../ntlm-credentials.ts';
import { composeBody, goesUnchanged, hasNoEntity, isTrue, needsLength, queryOfForm } from '../outgoing-body.ts';
import { requestHeaderFilter } from '../outgoing-headers.ts';
import { textOfValue } from '../shared/typed-value.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { EndpointState } from './endpoint-state.ts';
import { applyFormat, formatNeedsBody, type FormatSettings } from './format.ts';
import { takeReply } from './reply.ts';
import { splitUrl } from './url.ts';

/** What distinguishes one kind of leaf endpoint from another. */
export interface LeafEndpoint {
  readonly name: string;
  readonly policy: DeliveryPolicy;
  readonly format: FormatSettings;
  /** Where this message goes. */
  target(message: Message): { url: string; method: string | undefined };
  authorize?(message: Message): void;
}

/** Texts that the original puts into ERROR_MESSAGE; the precise cause stands in ERROR_DETAIL. */
const errorMessages: ReadonlyMap<number, string> = new Map([
  [synapseCodes.connectionFailed, 'Error connecting to the back end'],
]);

const bodilessMethods = new Set(['GET', 'HEAD']);
const noBody = { body: null, contentType: undefined, isFormatted: true };

/** An endpoint that sends to one HTTP address and keeps the state of it. */
export function createLeafEndpoint(leaf: LeafEndpoint, context: CompileContext): CompiledEndpoint {
  const { services } = context;
  const { settings } = services;
  const defaults = {
    duration: settings.suspendDuration,
    factor: settings.suspendFactor,
    overrides: settings.overridesSuspension ?? false,
  };
  const state = services.endpointStates.obtain(
    context.id,
    JSON.stringify([leaf.policy, defaults]),
    () => new EndpointState(leaf.policy, services.clock, defaults),
  );
  const filterHeaders = requestHeaderFilter(settings.preservedHeaders);

  const compose = (message: Message, options: SendOptions): OutgoingRequest => {
    const target = leaf.target(message);
    if (target.method !== undefined) message.axis2.set('HTTP_METHOD', target.method);
    const formatted = applyFormat(message, leaf.format);
    leaf.authorize?.(message);
    const method = textOfValue(message.axis2.get('HTTP_METHOD')) || 'POST';
    const form = queryOfForm(message, method);
    const query = [formatted, form].filter((part) => part !== '').join('&');
    const url = query === '' ? target.url : `${target.url}${target.url.includes('?') ? '&' : '?'}${query}`;
    const parts = splitUrl(url);
    const headers = filterHeaders(message.headers);
    const isBodiless = bodilessMethods.has(method) || form !== '' || isForcedEmpty(message, method);
    if (isBodiless || hasNoEntity(message)) message.payload.discard();
    const outgoing = isBodiless ? noBody : composeBody(message, options.blocking ? 'blocking' : 'back end');
    if (outgoing.isFormatted) removeHeader(headers, 'Content-Encoding');
    if (outgoing.body === null) removeHeader(headers, 'Content-Type');
    else if (outgoing.contentType !== undefined) setHeader(headers, 'Content-Type', outgoing.contentType);
    const host = message.axis2.get('REQUEST_HOST_HEADER');
    if (typeof host === 'string') setHeader(headers, 'Host', host);
    message.addressing.to = url;
    message.properties.set('ENDPOINT_PREFIX', url);
    return {
      origin: parts.origin,
      method,
      target: isTrue(message.axis2.get('POST_TO_URI')) || isTrue(message.axis2.get('FULL_URI')) ? url : parts.target,
      headers,
      body: outgoing.body,
      idleTimeout: socketTimeoutOf(message),
      close: isTrue(message.axis2.get('NO_KEEPALIVE')),
      ntlm: ntlmCredentialsOf(message, options.blocking),
    };
  };

  const transmit = (message: Message, options: SendOptions): Promise<Flow> => {
    const timeout = timeoutOf(leaf.policy, message, settings.globalTimeout);
    const request = compose(message, options);
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
          state.failed(code);
          message.properties.set('SENDING_FAULT', true);
          if (options.blocking) message.properties.set('blocking.sender.error', 'true');
          const detail = cause instanceof MillraceError ? (cause.detail ?? cause.message) : messageOf(cause ?? text);
          // The blocking sender has one code for whatever the transport says (runtime-core 3.7).
          const shown = options.blocking ? synapseCodes.blockingSenderFailed : code;
          reject(new Fault({ code: shown, message: text, detail, cause }));
        });
      const accept = (response: IncomingResponse): void =>
        settle(() => {
          state.succeeded();
          const refusal = options.blocking ? blockingRefusal(message, response) : undefined;
          takeReply(message, response, options);
          if (refusal) reject(refusal);
          else resolve(CONTINUE);
        });
      const sender = options.blocking ? (services.blockingSender ?? services.sender) : services.sender;
      const exchange = sender.send(request, {
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
      });
      if (isSettled) return;
      cancelTimer = services.clock.after(timeout, () => {
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
    state.failed(synapseCodes.endpointCustomError);
    throw new Fault({ code: synapseCodes.endpointCustomError, message: 'The back end answered with a SOAP fault' });
  };

  return {
    name: leaf.name,
    async send(message, options) {
      if (!state.isReady()) {
        message.properties.set('SENDING_FAULT', true);
        throw new Fault({
          code: synapseCodes.endpointNotReady,
          message: `Endpoint : ${leaf.name} is ${state.name} and is not ready to be used`,
        });
      }
      message.properties.delete('SENDING_FAULT');
      const isStreamed = hasNoEntity(message) || (goesUnchanged(message) && !needsLength(message));
      const isBuilt = formatNeedsBody(leaf.format) || !isStreamed;
      if (isBuilt && !message.payload.loaded) await message.payload.load(settings.maxBodyBytes);
      const flow = await transmit(message, options);
      if (isTrue(message.properties.get('FORCE_ERROR_ON_SOAP_FAULT'))) await refuseSoapFault(message);
      return flow;
    },
  };
}

/** Milliseconds that this message may take: the endpoint's, capped by the global one when it is computed (5.4). */
function timeoutOf({ timeout }: DeliveryPolicy, message: Message, globalTimeout: number): number {
  if (!timeout) return globalTimeout;
  if ('milliseconds' in timeout) return timeout.milliseconds > 0 ? timeout.milliseconds : globalTimeout;
  const computed = Number(timeout.expression.expression.evaluateString(message));
  return computed > 0 && computed <= globalTimeout ? computed : globalTimeout;
}

function socketTimeoutOf(message: Message): number | undefined {
  const wanted = Number(message.axis2.get('HTTP_SOCKET_TIMEOUT'));
  return wanted > 0 ? wanted : undefined;
}

/** A blocking call takes 400 and above as a fault unless the message lists the status as harmless (3.6). */
function blockingRefusal(message: Message, { status, reason }: IncomingResponse): Fault | undefined {
  const isListed = (name: string): boolean =>
    textOfValue(message.axis2.get(name))
      .split(',')
      .some((code) => code.trim() === String(status));
  if ((status < 400 || isListed('non.error.http.status.codes')) && !isListed('error.http.status.codes'))
    return undefined;
  message.properties.set('blocking.sender.error', 'true');
  return new Fault({
    code: synapseCodes.blockingSenderFailed,
    message: `Transport error: ${status} Error: ${reason}`,
  });
}

/** `FORCE_POST_PUT_NOBODY`: POST and PUT without a body (runtime-core 4.3). */
function isForcedEmpty({ axis2 }: Message, method: string): boolean {
  return (method === 'POST' || method === 'PUT') && isTrue(axis2.get('FORCE_POST_PUT_NOBODY'));
}
