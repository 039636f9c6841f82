import { bodySourceOf, getHeader, Message, Payload, readBody, type Body } from '#message';
import type { CloseFacts, OutgoingRequest, WebSocketFrame } from '#transport';
import type { LiveWorld } from '../background/live.ts';
import { isTrue } from '../outgoing-body.ts';
import { FrameExchange } from './frame-exchange.ts';

const textFrame = 'websocket.text.frame.present';
const binaryFrame = 'websocket.binary.frame.present';

/** Where answers to messages made of frames go. */
export interface FrameSink {
  /** Resolves when the client takes more. */
  send(frame: WebSocketFrame): void | Promise<void>;
  /** Ends the connection of the client. */
  end(facts: CloseFacts): void;
}

/** Makes the message of a frame (mediators 12.5): its bytes as they came, and which kind of frame they were. */
export function messageOfFrame(
  { data, isBinary }: WebSocketFrame,
  world: LiveWorld,
  { sink, contentType, limit }: { sink: FrameSink | undefined; contentType: string | undefined; limit: number },
): Message {
  const type = contentType ?? (isBinary ? 'application/octet-stream' : 'text/plain');
  const payload = Payload.received(bodySourceOf(data), { contentType: type, hasSoapAction: false, query: '' });
  const message = new Message(new FrameExchange(world, sink, limit), payload, ['Content-Type', type]);
  message.properties.set(isBinary ? binaryFrame : textFrame, true);
  return message;
}

/** True when a message goes out as a binary frame: as it came, or because of what it is. */
export function isBinaryMessage(message: Message, contentType: string | undefined): boolean {
  if (isTrue(message.property('default', binaryFrame)) || isTrue(message.axis2.get(binaryFrame))) return true;
  if (isTrue(message.property('default', textFrame)) || isTrue(message.axis2.get(textFrame))) return false;
  return contentType !== undefined && /^application\/octet-stream\b/i.test(contentType);
}

/** The frame of a message that is ready to be sent; undefined when it has no body. */
export async function frameOfRequest(
  message: Message,
  { body, headers }: OutgoingRequest,
  limit: number,
): Promise<WebSocketFrame | undefined> {
  if (body === null) return undefined;
  return { data: await bytesOf(body, limit), isBinary: isBinaryMessage(message, getHeader(headers, 'Content-Type')) };
}

/** The bytes of a body, at once where they are there. */
export async function bytesOf(body: Exclude<Body, null>, limit: number): Promise<Uint8Array> {
  return body instanceof Uint8Array ? body : readBody(body, limit);
}
