import { getHeader, Payload, removeHeader, setHeader, type Message } from '#message';
import type { IncomingResponse } from '#transport';
import { textOfValue } from '../shared/typed-value.ts';

/** Statuses of which the `Location` is for the client as it stands (runtime-core 4.3). */
const ownLocation = new Set([201, 301, 302, 303, 307]);

/** How a back end was asked, and what of its answer stays as it is. */
export interface ReplyManner {
  readonly blocking: boolean;
  /** Headers of answers that the engine leaves alone, in lower case. */
  readonly preserved: ReadonlySet<string>;
}

/**
 * Makes the message go on as the answer of a back end (runtime-core 3.3, 3.4): its payload and headers, a fresh axis2
 * scope with the status; properties and variables stay.
 */
export function takeReply(message: Message, response: IncomingResponse, manner: ReplyManner): void {
  const { status, reason, headers, body } = response;
  const keepsHeaders =
    manner.blocking && textOfValue(message.properties.get('BLOCKING_SENDER_PRESERVE_REQ_HEADERS')) !== 'false';
  const contentType = getHeader(headers, 'Content-Type');
  const method: unknown = message.axis2.get('HTTP_METHOD');
  const axis2 = new Map<string, unknown>();
  axis2.set('HTTP_SC', status);
  axis2.set('HTTP_SC_DESC', reason);
  axis2.set('ORIGINAL_STATUS_CODE', status);
  axis2.set('HTTP_REASON_PHRASE', reason);
  if (method !== undefined) axis2.set('HTTP_METHOD', method);
  if (status >= 400) axis2.set('FAULT_MESSAGE', 'TRUE');
  if (body === null) axis2.set('NO_ENTITY_BODY', true);
  message.payload.discard();
  const contentEncoding = getHeader(headers, 'Content-Encoding');
  const payload = Payload.received(body, { contentType, hasSoapAction: true, query: '', contentEncoding });
  if (manner.blocking) payload.formats = message.exchange.environment.formats?.blocking;
  message.payload = payload;
  if (keepsHeaders) {
    if (contentType === undefined) removeHeader(message.headers, 'Content-Type');
    else setHeader(message.headers, 'Content-Type', contentType);
  } else {
    message.headers = headers.slice();
    message.headersOf = 'back end';
    if (!manner.preserved.has('location')) rewriteLocation(message, status);
  }
  message.axis2 = axis2;
  message.addressing.to = undefined;
  if (!manner.blocking) message.replied = true;
}

/** A `Location` of any other status is led through the listener on which the request came. */
function rewriteLocation({ headers, properties }: Message, status: number): void {
  const location = ownLocation.has(status) ? undefined : getHeader(headers, 'Location');
  const prefix = properties.get('REST_URL_PREFIX');
  if (location === undefined || typeof prefix !== 'string' || !URL.canParse(location)) return;
  const { pathname, search } = new URL(location);
  setHeader(headers, 'Location', `${prefix}${pathname}${search}`);
}
