import type { Message } from '#message';

/**
 * Keeps what sending changes of a message; the result puts it back, as often as need be, so that the message can be
 * sent once more. The payload must be loaded.
 */
export function saveMessage(message: Message): () => void {
  const payload = message.payload.clone();
  const headers = message.headers.slice();
  const axis2 = new Map(message.axis2);
  const addressing = { ...message.addressing };
  const { replied, headersOf } = message;
  return () => {
    message.payload.discard();
    message.payload = payload.clone();
    message.headers = headers.slice();
    message.axis2 = new Map(axis2);
    Object.assign(message.addressing, addressing);
    message.replied = replied;
    message.headersOf = headersOf;
  };
}
