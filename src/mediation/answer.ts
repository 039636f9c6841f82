import { createHash } from 'node:crypto';
import { getLogger } from '#core';
import { textOf } from '#expression';
import { removeHeader, setHeader, type Body, type HeaderList, type Message } from '#message';
import type { HttpResponder } from '#transport';
import type { MediationSettings } from './context.ts';
import { composeBody, goesUnchanged, hasNoEntity, isTrue, needsLength } from './outgoing-body.ts';
import { responseHeaderFilter } from './outgoing-headers.ts';
import { holdsSoapFault } from './soap-fault.ts';

const log = getLogger('mediation');

/** Writes a message to an HTTP client as the answer to its request. */
export type Answer = (message: Message, responder: HttpResponder) => void | Promise<void>;

/**
 * Makes the function that answers clients (runtime-core 4.3, 7.2): status from `HTTP_SC`, 500 for a SOAP fault, else
 * 200; headers without those of the transport; the payload unchanged where nothing changed it.
 */
export function createAnswer(settings: MediationSettings): Answer {
  const preserved = settings.preservedResponseHeaders ?? settings.preservedHeaders;
  const fromBackEnd = responseHeaderFilter(preserved, 'back end');
  const fromRequest = responseHeaderFilter(preserved, 'request');

  const write = (message: Message, responder: HttpResponder): void => {
    const outgoing = composeBody(message, 'client');
    const { headersOf } = message;
    const headers: HeaderList = headersOf === 'back end' ? fromBackEnd(message.headers) : fromRequest(message.headers);
    const received = headersOf === 'back end' ? undefined : message.payload.receivedContentType;
    const contentType = outgoing.contentType ?? received;
    if (outgoing.isFormatted) removeHeader(headers, 'Content-Encoding');
    if (contentType !== undefined && outgoing.body !== null) setHeader(headers, 'Content-Type', contentType);
    // The transport takes this for its own connection, and writes the line itself where there is one to write.
    if (isTrue(message.axis2.get('NO_KEEPALIVE'))) setHeader(headers, 'Connection', 'close');
    if (isTrue(message.axis2.get('HTTP_ETAG')) && isMatched(message, headers, outgoing.body)) {
      responder.respond({ status: 304, headers }, null);
      return;
    }
    responder.respond({ status: statusOfAnswer(message), reason: reasonOf(message), headers }, outgoing.body);
  };

  return (message, responder) => {
    const isWhole = needsLength(message) || isTrue(message.axis2.get('HTTP_ETAG'));
    const isReady = hasNoEntity(message) || (!isWhole && goesUnchanged(message, 'client'));
    if (message.payload.loaded || isReady) return write(message, responder);
    return message.payload.load(settings.maxBodyBytes).then(() => write(message, responder));
  };
}

/** Writes the entity tag of a body; true when it is the one that the client has already (RFC 9110 section 13.1.2). */
function isMatched(message: Message, headers: HeaderList, body: Body): boolean {
  if (!(body instanceof Uint8Array)) return false;
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  setHeader(headers, 'ETag', tag);
  const known = message.exchange.ifNoneMatch?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? [];
  return known.includes(tag) || known.includes('*');
}

/** The status with which a message is answered: `HTTP_SC`, 500 for a SOAP fault, else 200. */
export function statusOfAnswer(message: Message): number {
  const wanted = message.axis2.get('HTTP_SC');
  const status = typeof wanted === 'number' ? wanted : Number(textOf(wanted).trim() || Number.NaN);
  if (status >= 100 && status <= 999) return status;
  if (wanted !== undefined) log.warn({ message: message.id, value: textOf(wanted) }, 'HTTP_SC is no status; ignored');
  return isSoapFault(message) && String(message.axis2.get('FAULTS_AS_HTTP_200')) !== 'true' ? 500 : 200;
}

function isSoapFault(message: Message): boolean {
  return !message.payload.pristine && holdsSoapFault(message);
}

/** The back end's phrase counts only while its status does. */
function reasonOf(message: Message): string | undefined {
  const reason = message.axis2.get('HTTP_SC_DESC');
  if (typeof reason !== 'string') return undefined;
  const original = message.axis2.get('ORIGINAL_STATUS_CODE');
  const isOriginal = reason === message.axis2.get('HTTP_REASON_PHRASE');
  return isOriginal && original !== undefined && textOf(original) !== textOf(message.axis2.get('HTTP_SC'))
    ? undefined
    : reason;
}
