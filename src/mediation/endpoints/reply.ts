import { getHeader, Payload, type Message } from '#message';
import type { IncomingResponse } from '#transport';

/**
 * Makes the message go on as the answer of a back end (runtime-core 3.3, 3.4): its payload and headers, a fresh axis2
 * scope with the status; properties and variables stay.
 */
export function takeReply(message: Message, response: IncomingResponse): void {
  const { status, reason, headers, body } = response;
  const contentType = getHeader(headers, 'Content-Type');
  const method: unknown = message.axis2.get('HTTP_METHOD');
  const axis2 = new Map<string, unknown>([
    ['HTTP_SC', status],
    ['HTTP_SC_DESC', reason],
    ['ORIGINAL_STATUS_CODE', status],
    ['HTTP_REASON_PHRASE', reason],
  ]);
  if (method !== undefined) axis2.set('HTTP_METHOD', method);
  if (status >= 400) axis2.set('FAULT_MESSAGE', 'TRUE');
  if (body === null) axis2.set('NO_ENTITY_BODY', true);
  message.payload.discard();
  message.payload = Payload.received(body, { contentType, hasSoapAction: true, query: '' });
  message.headers = headers.slice();
  message.axis2 = axis2;
  message.addressing.to = undefined;
  message.replied = true;
}
