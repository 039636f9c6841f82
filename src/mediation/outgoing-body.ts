import { isCharset } from '#core/java';
import { textOf } from '#expression';
import {
  bodySourceOf,
  encodeBody,
  getHeader,
  mediaTypeOf,
  parameterOf,
  type Body,
  type Formatted,
  type Formatter,
  type Message,
} from '#message';
import { chooseFormat, isTrueText, type Destination, type OutgoingFormat } from './outgoing-format.ts';
import { isForeignToClient } from './soap-client.ts';

/** What goes on the wire: the body, and the Content-Type to write when the body was formatted anew. */
export interface OutgoingBody {
  readonly body: Body;
  /** Undefined when the headers of the message say it already. */
  readonly contentType: string | undefined;
  /** True when the body is not the one received, so that the Content-Encoding of that one does not hold. */
  readonly isFormatted: boolean;
}

/** True when the message has no body because somebody said so (runtime-core 4.3, `NO_ENTITY_BODY`). */
export function hasNoEntity(message: Message): boolean {
  return isTrue(message.axis2.get('NO_ENTITY_BODY'));
}

/** True when the message must go out with its length, so that its body cannot be streamed (runtime-core 4.3). */
export function needsLength({ axis2 }: Message): boolean {
  return lengthProperties.some((name) => isTrue(axis2.get(name)));
}

const lengthProperties = ['DISABLE_CHUNKING', 'FORCE_HTTP_CONTENT_LENGTH', 'FORCE_HTTP_1.0'];

/** Properties are set as text or as Booleans; both spellings of true count. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

/** True when the payload can go out as it came: nobody changed it, and its type is still the one asked for. */
export function goesUnchanged(message: Message, destination: Destination = 'back end'): boolean {
  const { payload } = message;
  if (!payload.pristine || (destination === 'client' && isForeignToClient(message))) return false;
  const wanted = message.axis2.get('messageType');
  const charset = message.axis2.get('CHARACTER_SET_ENCODING');
  if (typeof wanted !== 'string' && typeof charset !== 'string') return true;
  const received = payload.receivedContentType;
  if (typeof charset === 'string') {
    const present = (received && parameterOf(received, 'charset')) ?? 'UTF-8';
    if (present.toLowerCase() !== charset.toLowerCase()) return false;
  }
  if (typeof wanted !== 'string') return true;
  return received !== undefined && mediaTypeOf(wanted).toLowerCase() === mediaTypeOf(received).toLowerCase();
}

const nothing: OutgoingBody = { body: null, contentType: undefined, isFormatted: false };

/**
 * The body to send (runtime-core 6.1, 6.3): the bytes as received while nothing needs another form, else what the
 * formatter of the message type makes. A payload that is formatted must be loaded.
 *
 * @throws PayloadError 601000 for a charset that nobody knows
 */
export function composeBody(message: Message, destination: Destination = 'back end'): OutgoingBody {
  const { payload } = message;
  if (hasNoEntity(message)) return nothing;
  if (goesUnchanged(message, destination)) {
    const body = withTrailers(message, destination, payload.takeRaw());
    return { body, contentType: changedContentType(message), isFormatted: false };
  }
  const format = chooseFormat(message, destination);
  const { messageType, formatter } = format;
  const charset = charsetOf(message, messageType);
  const formatted = formatPayload(message, format, charset.name);
  if (formatted === undefined) return { ...nothing, isFormatted: true };
  const isPlain = typeof formatted === 'string' || formatted instanceof Uint8Array;
  const raw = isPlain ? formatted : formatted.body;
  const contentType = isPlain ? contentTypeOf(message, messageType) : formatted.contentType;
  if (typeof raw !== 'string') return { body: raw, contentType, isFormatted: true };
  const encoded = encodeBody(raw, charset.name, charset.isCarriedOver);
  const declares = isTrueText(message.axis2.get('WRITE_XML_DECLARATION')) && mediaTypeOf(messageType).endsWith('xml');
  return {
    body: declares
      ? encodeBody(`${declaration(message, encoded.charset)}${raw}`, encoded.charset, false).body
      : encoded.body,
    contentType: ownContentType(message, formatter) ?? withCharset(message, contentType, encoded.charset),
    isFormatted: true,
  };
}

/** Bytes that go on unchanged, with the fields that came behind them, where those can be written. */
function withTrailers(message: Message, destination: Destination, body: Body): Body {
  const { trailers } = message.payload;
  if (!trailers || !(body instanceof Uint8Array) || needsLength(message)) return body;
  const isWanted = message.exchange.acceptsTrailers === true && !isTrue(message.axis2.get('HTTP_ETAG'));
  return destination === 'client' && !isWanted ? body : bodySourceOf(body, trailers);
}

/**
 * The query into which a form goes that is sent with GET or DELETE (runtime-core 6.3); empty for any other message.
 * Only a payload that somebody made counts: the query of a request is in its address already.
 */
export function queryOfForm(message: Message, method: string): string {
  const { payload } = message;
  if ((method !== 'GET' && method !== 'DELETE') || hasNoEntity(message) || payload.pristine) return '';
  const format = chooseFormat(message, 'back end');
  if (format.formatter.name !== 'form-urlencoded') return '';
  const formatted = formatPayload(message, format, 'UTF-8');
  return typeof formatted === 'string' ? formatted : '';
}

function formatPayload(
  message: Message,
  { messageType, formatter, attachments, soapVersion }: OutgoingFormat,
  charset: string,
): Formatted {
  return formatter.format({
    payload: message.payload,
    mediaType: mediaTypeOf(messageType),
    charset,
    attachments,
    soapVersion,
    property: (name) => message.axis2.get(name),
  });
}

/** A Content-Type header that an artifact wrote itself; it is kept for JSON only (runtime-core 6.3). */
function ownContentType(message: Message, formatter: Formatter): string | undefined {
  if (formatter.name !== 'json' || typeof message.axis2.get('ContentType') === 'string') return undefined;
  const received = message.payload.receivedContentType;
  const written = getHeader(message.headers, 'Content-Type');
  return received === undefined || written === received ? undefined : written;
}

function contentTypeOf(message: Message, messageType: string): string {
  const wanted = message.axis2.get('ContentType');
  return typeof wanted === 'string' ? wanted : messageType;
}

/** For unchanged bytes only a Content-Type that an artifact set replaces the received one. */
function changedContentType(message: Message): string | undefined {
  const wanted = message.axis2.get('ContentType');
  return typeof wanted === 'string' && wanted !== message.payload.receivedContentType ? wanted : undefined;
}

/** The charset to write: the one asked for, else that of the message as received (runtime-core 6.3). */
function charsetOf(message: Message, messageType: string): { name: string; isCarriedOver: boolean } {
  const wanted = message.axis2.get('CHARACTER_SET_ENCODING');
  if (typeof wanted === 'string') return { name: wanted, isCarriedOver: false };
  const contentType = message.axis2.get('ContentType');
  const declared = parameterOf(typeof contentType === 'string' ? contentType : messageType, 'charset');
  if (declared !== undefined) return { name: declared, isCarriedOver: false };
  const received = message.payload.receivedContentType;
  const present = received && parameterOf(received, 'charset');
  return { name: present && isCharset(present) ? present : 'UTF-8', isCarriedOver: true };
}

function withCharset(message: Message, contentType: string, charset: string): string {
  const isPlain = String(message.axis2.get('setCharacterEncoding')) === 'false' || /;\s*charset\s*=/i.test(contentType);
  return isPlain ? contentType : `${contentType}; charset=${charset}`;
}

function declaration(message: Message, charset: string): string {
  const encoding = message.axis2.get('XML_DECLARATION_ENCODING') ?? charset;
  const standalone = message.axis2.get('XML_DECLARATION_STANDALONE');
  const rest = typeof standalone === 'string' ? ` standalone="${standalone}"` : '';
  return `<?xml version="1.0" encoding="${textOf(encoding)}"${rest}?>`;
}
