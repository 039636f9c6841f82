import { textOf } from '#expression';
import { setHeader, type HeaderList, type Message } from '#message';
import type { HttpResponder } from '#transport';
import { faultOf } from '#xml';
import type { MediationSettings } from './context.ts';
import { composeBody, goesUnchanged, hasNoEntity } from './outgoing-body.ts';
import { responseHeaderFilter } from './outgoing-headers.ts';

/** Writes a message to an HTTP client as the answer to its request. */
export type Answer = (message: Message, responder: HttpResponder) => void | Promise<void>;

/**
 * Makes the function that answers clients (runtime-core 4.3, 7.2): status from `HTTP_SC`, 500 for a SOAP fault, else
 * 200; headers without those of the transport; the payload unchanged where nothing changed it.
 */
export function createAnswer(settings: MediationSettings): Answer {
  const fromBackEnd = responseHeaderFilter(settings.preservedHeaders, 'back end');
  const fromRequest = responseHeaderFilter(settings.preservedHeaders, 'request');

  const write = (message: Message, responder: HttpResponder): void => {
    const outgoing = composeBody(message);
    const headers: HeaderList = message.replied ? fromBackEnd(message.headers) : fromRequest(message.headers);
    const contentType = outgoing.contentType ?? (message.replied ? undefined : message.payload.receivedContentType);
    if (contentType !== undefined && outgoing.body !== null) setHeader(headers, 'Content-Type', contentType);
    responder.respond({ status: statusOf(message), reason: reasonOf(message), headers }, outgoing.body);
  };

  return (message, responder) => {
    if (message.payload.loaded || hasNoEntity(message) || goesUnchanged(message)) return write(message, responder);
    return message.payload.load(settings.maxBodyBytes).then(() => write(message, responder));
  };
}

function statusOf(message: Message): number {
  const wanted = message.axis2.get('HTTP_SC');
  const status = typeof wanted === 'number' ? wanted : Number.parseInt(textOf(wanted), 10);
  if (status >= 100 && status <= 999) return status;
  return isSoapFault(message) && String(message.axis2.get('FAULTS_AS_HTTP_200')) !== 'true' ? 500 : 200;
}

function isSoapFault(message: Message): boolean {
  const { payload } = message;
  if (payload.pristine || payload.hasJson()) return false;
  return faultOf(payload.envelope()) !== undefined;
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
