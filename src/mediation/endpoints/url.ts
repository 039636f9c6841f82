import { synapseCodes } from '#errors';
import { mediaTypeOf, type Message } from '#message';
import { isBrokerUrl } from '../brokers/broker-address.ts';
import { Fault } from '../fault.ts';
import type { FormatSettings } from './format.ts';
import { textOfValue } from '../shared/typed-value.ts';

export interface UrlParts {
  /** Scheme and authority without a path. */
  readonly origin: string;
  /** Path and query, at least `/`. */
  readonly target: string;
}

/**
 * Splits an absolute URL of HTTP or WebSocket without decoding anything; a fragment is cut off. Of the address of a
 * broker the scheme stands alone.
 *
 * @throws Fault 303001 for another scheme or a text that is no URL
 */
export function splitUrl(url: string): UrlParts {
  if (isBrokerUrl(url)) return { origin: url.slice(0, url.indexOf(':') + 1), target: url.slice(url.indexOf('/')) };
  const match = /^((?:https?|wss?):\/\/[^/?#\s]+)([^#\s]*)(?:#.*)?$/i.exec(url);
  const origin = match?.[1];
  if (origin === undefined) {
    throw new Fault({
      code: synapseCodes.endpointNotReady,
      message: `The address "${url}" is no http, https, ws, wss, jms or rabbitmq URL`,
    });
  }
  const rest = match?.[2] ?? '';
  return { origin, target: rest.startsWith('/') ? rest : `/${rest}` };
}

/** True when an origin is spoken to by WebSocket. */
export function isWebSocketOrigin(origin: string): boolean {
  const first = origin.charCodeAt(0);
  return first === 0x77 || first === 0x57;
}

/** Replaces `${name}` by the default-scope property of that name, where it exists (runtime-core 5.1). */
export function substituteProperties(url: string, message: Message): string {
  if (!url.includes('${')) return url;
  return url.replace(/\$\{([^}]+)\}/g, (whole, name: string) => {
    const value = message.properties.get(name);
    return value === undefined ? whole : textOfValue(value);
  });
}

/**
 * Appends the REST suffix of the message, with exactly one slash between; a suffix that starts with `?` follows
 * without one (runtime-core 5.1).
 */
export function withRestSuffix(url: string, message: Message, format: FormatSettings): string {
  const suffix = message.axis2.get('REST_URL_POSTFIX');
  if (typeof suffix !== 'string' || suffix === '' || isBrokerUrl(url) || !isRest(message, format)) return url;
  const base = url.endsWith('/') ? url.slice(0, -1) : url;
  return suffix.startsWith('/') || suffix.startsWith('?') ? base + suffix : `${base}/${suffix}`;
}

/** REST is what is not SOAP: a POST of a SOAP type, text/xml being one only with a SOAPAction (runtime-core 5.1). */
function isRest(message: Message, { format }: FormatSettings): boolean {
  if (format === 'soap11' || format === 'soap12') return false;
  if (format === 'rest' || textOfValue(message.axis2.get('HTTP_METHOD')) !== 'POST') return true;
  const type = message.axis2.get('messageType') ?? message.payload.receivedContentType;
  const mediaType = mediaTypeOf(textOfValue(type)).toLowerCase();
  return mediaType === 'text/xml' ? message.header('SOAPAction') === undefined : mediaType !== 'application/soap+xml';
}
