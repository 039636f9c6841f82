import { removeHeader, setHeader, type Message } from '#message';
import type { OutgoingRequest } from '#transport';
import { isBrokerUrl, withoutParameters } from '../brokers/broker-address.ts';
import type { MediationSettings } from '../context.ts';
import type { SendOptions } from '../endpoint.ts';
import { ntlmCredentialsOf } from '../ntlm-credentials.ts';
import { composeBody, goesUnchanged, hasNoEntity, isTrue, needsLength, queryOfForm } from '../outgoing-body.ts';
import { requestHeaderFilter } from '../outgoing-headers.ts';
import { textOfValue } from '../shared/typed-value.ts';
import { applyFormat, formatNeedsBody } from './format.ts';
import type { LeafEndpoint } from './leaf.ts';
import { splitUrl, type UrlParts } from './url.ts';
import { addAddressing } from './ws-addressing.ts';

const bodilessMethods = new Set(['GET', 'HEAD']);
const noBody = { body: null, contentType: undefined, isFormatted: true };

/** Makes the request for a message; what is read of the payload must be loaded. */
export type ComposeRequest = (message: Message, options: SendOptions) => OutgoingRequest;

/** How the messages of a leaf endpoint become requests (runtime-core 4.3, 5.1). */
export function createComposer(leaf: LeafEndpoint, settings: MediationSettings): ComposeRequest {
  const filterHeaders = requestHeaderFilter(settings.preservedHeaders);
  const { addressing } = leaf.settings;
  const split = rememberingSplit();
  return (message, options) => {
    const target = leaf.target(message);
    if (target.method !== undefined) message.axis2.set('HTTP_METHOD', target.method);
    const formatted = applyFormat(message, leaf.format);
    // What goes to a broker has no method: its body is always sent.
    const method = isBrokerUrl(target.url) ? 'POST' : textOfValue(message.axis2.get('HTTP_METHOD')) || 'POST';
    const form = queryOfForm(message, method);
    const query = [formatted, form].filter((part) => part !== '').join('&');
    const url = query === '' ? target.url : `${target.url}${target.url.includes('?') ? '&' : '?'}${query}`;
    const parts = split(url);
    const headers = filterHeaders(message.headers);
    const isBodiless = bodilessMethods.has(method) || form !== '' || isForcedEmpty(message, method);
    if (isBodiless || hasNoEntity(message)) message.payload.discard();
    else if (addressing) addAddressing(message, url, addressing);
    const outgoing = isBodiless ? noBody : composeBody(message, options.blocking ? 'blocking' : 'back end');
    if (outgoing.isFormatted) removeHeader(headers, 'Content-Encoding');
    if (outgoing.body === null) removeHeader(headers, 'Content-Type');
    else if (outgoing.contentType !== undefined) setHeader(headers, 'Content-Type', outgoing.contentType);
    const host = message.axis2.get('REQUEST_HOST_HEADER');
    if (typeof host === 'string') setHeader(headers, 'Host', host);
    const shown = withoutParameters(url);
    message.addressing.to = shown;
    message.properties.set('ENDPOINT_PREFIX', shown);
    return {
      origin: parts.origin,
      method,
      target: isTrue(message.axis2.get('POST_TO_URI')) || isTrue(message.axis2.get('FULL_URI')) ? url : parts.target,
      headers,
      body: outgoing.body,
      prefersHttp2: leaf.prefersHttp2 === true || isTrue(message.axis2.get('FORCE_HTTP_2')),
      acceptsTrailers: message.exchange.acceptsTrailers,
      idleTimeout: socketTimeoutOf(message),
      ...(isTrue(message.axis2.get('FORCE_HTTP_1.0'))
        ? { version: '1.0', close: true, acceptsTrailers: false }
        : { close: isTrue(message.axis2.get('NO_KEEPALIVE')) }),
      ntlm: ntlmCredentialsOf(message, options.blocking),
    };
  };
}

/** True when the payload must be loaded before the message can go out. */
export function needsPayload(message: Message, { format, settings }: LeafEndpoint): boolean {
  if (message.payload.loaded) return false;
  const isStreamed = hasNoEntity(message) || (goesUnchanged(message) && !needsLength(message));
  return formatNeedsBody(format) || settings.addressing !== undefined || !isStreamed;
}

function socketTimeoutOf(message: Message): number | undefined {
  const wanted = Number(message.axis2.get('HTTP_SOCKET_TIMEOUT'));
  return wanted > 0 ? wanted : undefined;
}

/** `FORCE_POST_PUT_NOBODY`: POST and PUT without a body (runtime-core 4.3). */
function isForcedEmpty({ axis2 }: Message, method: string): boolean {
  return (method === 'POST' || method === 'PUT') && isTrue(axis2.get('FORCE_POST_PUT_NOBODY'));
}

/** Splits URLs and knows the last one, since most endpoints have one for all messages. */
function rememberingSplit(): (url: string) => UrlParts {
  let last = '';
  let parts: UrlParts | undefined;
  return (url) => {
    if (parts && url === last) return parts;
    parts = splitUrl(url);
    last = url;
    return parts;
  };
}
