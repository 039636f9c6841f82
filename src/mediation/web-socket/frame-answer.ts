import type { Message } from '#message';
import type { WebSocketFrame } from '#transport';
import { composeBody } from '../outgoing-body.ts';
import { bytesOf, isBinaryMessage } from './frame-message.ts';

/** The frame that an answer is; undefined when it has no body. @throws MillraceError 413 beyond `limit` bytes */
export async function frameOfAnswer(message: Message, limit: number): Promise<WebSocketFrame | undefined> {
  await message.payload.load(limit);
  const { body, contentType } = composeBody(message, 'client');
  if (body === null) return undefined;
  return { data: await bytesOf(body, limit), isBinary: isBinaryMessage(message, contentType) };
}
