import type { ConsumeMessage, Options } from 'amqplib';
import type { JmsBody, JmsMessage, JmsOutgoing, JmsValue } from '../message.ts';
import { jmsError } from '../provider.ts';

/** Media types by which clients of Andes know the kind of a message. */
const textType = 'text/plain';
const bytesType = 'application/octet-stream';
const objectType = 'application/java-object-stream';

/** Kinds of bodies that are written in a form that only Java programs know. */
const javaOnly: ReadonlyMap<string, string> = new Map([
  ['jms/map-message', 'MapMessage'],
  ['jms/stream-message', 'StreamMessage'],
]);

/** A message of AMQP 0-9-1 as a JMS client of Andes writes it. @throws MillraceError for maps and streams */
export function encodeMessage(message: JmsOutgoing, now: number): { content: Buffer; options: Options.Publish } {
  const { body, properties, correlationId, replyTo, type, priority, isPersistent, timeToLive } = message;
  const [contentType, content] = contentOf(body);
  return {
    content,
    options: {
      ...(contentType !== undefined && { contentType, contentEncoding: 'utf-8' }),
      persistent: isPersistent,
      priority,
      timestamp: Math.trunc(now / 1000),
      headers: Object.fromEntries([...properties].map(([name, value]) => [name, plain(value)])),
      ...(correlationId !== undefined && { correlationId }),
      ...(replyTo && { replyTo: replyTo.name }),
      ...(type !== undefined && { type }),
      ...(timeToLive > 0 && { expiration: timeToLive }),
    },
  };
}

/** Reads a message of a JMS client or of any other. @throws MillraceError for maps and streams */
export function decodeMessage({ content, fields, properties }: ConsumeMessage): JmsMessage {
  const headers = Object.entries(properties.headers ?? {});
  const replyTo = properties.replyTo as string | undefined;
  return {
    id: (properties.messageId as string | undefined) ?? '',
    body: bodyOf(properties.contentType as string | undefined, content),
    properties: new Map(headers.map(([name, value]) => [name, valueOf(value)])),
    correlationId: properties.correlationId as string | undefined,
    replyTo: replyTo === undefined ? undefined : { kind: 'queue', name: replyTo },
    type: properties.type as string | undefined,
    priority: (properties.priority as number | undefined) ?? 4,
    isPersistent: properties.deliveryMode === 2,
    timestamp: Number(properties.timestamp ?? 0) * 1000,
    isRedelivered: fields.redelivered,
  };
}

function contentOf(body: JmsBody): readonly [type: string | undefined, content: Buffer] {
  switch (body.kind) {
    case 'none':
      return [undefined, Buffer.alloc(0)];
    case 'text':
      return [textType, Buffer.from(body.text)];
    case 'bytes':
      return [bytesType, Buffer.from(body.bytes)];
    case 'object':
      return [objectType, Buffer.from(body.bytes)];
    case 'map':
    case 'stream':
      throw jmsError(
        'MR_JMS_PROTOCOL',
        `a message with a ${body.kind} cannot be sent to Andes; expected text or bytes`,
      );
  }
}

function bodyOf(contentType: string | undefined, content: Buffer): JmsBody {
  const found = javaOnly.get(contentType ?? '');
  if (found !== undefined) {
    throw jmsError('MR_JMS_PROTOCOL', `a ${found} of Andes cannot be read; expected text or bytes`);
  }
  if (contentType === objectType) return { kind: 'object', bytes: content };
  if (contentType === textType || /^(?:text\/|application\/(?:json|xml))/.test(contentType ?? '')) {
    return { kind: 'text', text: content.toString('utf8') };
  }
  return content.length === 0 ? { kind: 'none' } : { kind: 'bytes', bytes: content };
}

function plain(value: JmsValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

function valueOf(value: unknown): JmsValue {
  if (value === undefined) return null;
  return typeof value === 'object' && !(value instanceof Uint8Array) && value !== null
    ? JSON.stringify(value)
    : (value as JmsValue);
}
