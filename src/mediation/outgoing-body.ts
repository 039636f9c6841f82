import { encodeText } from '#core/java';
import { textOf } from '#expression';
import { findFormatter, mediaTypeOf, parameterOf, type Body, type Message } from '#message';

/** What goes on the wire: the body, and the Content-Type to write when the body was formatted anew. */
export interface OutgoingBody {
  readonly body: Body;
  /** Undefined when the headers of the message say it already. */
  readonly contentType: string | undefined;
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
export function goesUnchanged(message: Message): boolean {
  const { payload } = message;
  if (!payload.pristine) return false;
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

/**
 * The body to send (runtime-core 6.1, 6.3): the bytes as received while nothing needs another form, else what the
 * formatter of the message type makes. A payload that is formatted must be loaded.
 */
export function composeBody(message: Message): OutgoingBody {
  const { payload } = message;
  if (hasNoEntity(message)) return { body: null, contentType: undefined };
  if (goesUnchanged(message)) return { body: payload.takeRaw(), contentType: changedContentType(message) };
  const messageType = messageTypeOf(message);
  const formatter = findFormatter(messageType) ?? findFormatter('application/xml');
  const formatted = formatter?.format(payload);
  if (formatted === undefined) return { body: null, contentType: undefined };
  if (typeof formatted !== 'string') return { body: formatted, contentType: contentTypeOf(message, messageType) };
  const text = withDeclaration(message, formatted, mediaTypeOf(messageType));
  const charset = charsetOf(message);
  const body = charset === 'UTF-8' ? Buffer.from(text) : encodeText(text, charset);
  return { body, contentType: withCharset(message, contentTypeOf(message, messageType), charset) };
}

function messageTypeOf(message: Message): string {
  const wanted = message.axis2.get('messageType');
  if (typeof wanted === 'string') return wanted;
  const received = message.payload.receivedContentType;
  if (received !== undefined && findFormatter(received)) return mediaTypeOf(received);
  return message.payload.hasJson() ? 'application/json' : 'application/xml';
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

function charsetOf(message: Message): string {
  const wanted = message.axis2.get('CHARACTER_SET_ENCODING');
  return typeof wanted === 'string' ? wanted : 'UTF-8';
}

function withCharset(message: Message, contentType: string, charset: string): string {
  const isPlain = String(message.axis2.get('setCharacterEncoding')) === 'false' || /;\s*charset\s*=/i.test(contentType);
  return isPlain ? contentType : `${contentType}; charset=${charset}`;
}

function withDeclaration(message: Message, text: string, mediaType: string): string {
  if (String(message.axis2.get('WRITE_XML_DECLARATION')) !== 'true' || !mediaType.endsWith('xml')) return text;
  const encoding = message.axis2.get('XML_DECLARATION_ENCODING') ?? charsetOf(message);
  const standalone = message.axis2.get('XML_DECLARATION_STANDALONE');
  const rest = typeof standalone === 'string' ? ` standalone="${standalone}"` : '';
  return `<?xml version="1.0" encoding="${textOf(encoding)}"${rest}?>${text}`;
}
