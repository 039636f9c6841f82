import type * as Rhea from 'rhea';
import type { Message } from 'rhea';
import type { JmsBody, JmsDestination, JmsMessage, JmsOutgoing, JmsValue } from '../message.ts';

/** The annotation with the kind of a JMS message, and its values (AMQP binding and mapping for JMS). */
const kindAnnotation = 'x-opt-jms-msg-type';
const kinds: readonly JmsBody['kind'][] = ['none', 'object', 'map', 'bytes', 'stream', 'text'];
const serializedObject = 'application/x-java-serialized-object';

/** Codes of the sections of a body that are no plain value. */
const dataSection = 0x75;
const sequenceSection = 0x76;

/** A message of AMQP 1.0 as a JMS client writes it. */
export function encodeMessage(rhea: typeof Rhea, message: JmsOutgoing, facts: { id: string; now: number }): Message {
  const { body, properties, correlationId, replyTo, type, priority, isPersistent, timeToLive } = message;
  return {
    durable: isPersistent,
    priority,
    ...(timeToLive > 0 && { ttl: timeToLive }),
    message_id: facts.id,
    creation_time: new Date(facts.now),
    ...(correlationId !== undefined && { correlation_id: correlationId }),
    ...(replyTo && { reply_to: replyTo.name }),
    ...(type !== undefined && { subject: type }),
    ...(body.kind === 'object' && { content_type: serializedObject }),
    message_annotations: { [kindAnnotation]: rhea.types.wrap_byte(kinds.indexOf(body.kind)) },
    application_properties: Object.fromEntries([...properties].map(([name, value]) => [name, plain(value)])),
    body: bodyOf(rhea, body),
  };
}

/** Reads a message of any client of AMQP 1.0. */
export function decodeMessage(message: Message, isRedelivered: boolean): JmsMessage {
  const properties = Object.entries((message.application_properties ?? {}) as Record<string, unknown>);
  return {
    id: textOf(message.message_id) ?? '',
    body: readBody(message),
    properties: new Map(properties.map(([name, value]) => [name, valueOf(value)])),
    correlationId: textOf(message.correlation_id),
    replyTo: destinationOf(message.reply_to),
    type: message.subject ?? undefined,
    priority: message.priority ?? 4,
    isPersistent: message.durable === true,
    timestamp: message.creation_time === undefined ? 0 : new Date(message.creation_time).getTime(),
    isRedelivered,
  };
}

function bodyOf(rhea: typeof Rhea, body: JmsBody): unknown {
  switch (body.kind) {
    case 'none':
      return null;
    case 'text':
      return body.text;
    case 'bytes':
    case 'object':
      return rhea.message.data_section(Buffer.from(body.bytes));
    case 'map':
      return Object.fromEntries([...body.entries].map(([name, value]) => [name, plain(value)]));
    case 'stream':
      return rhea.message.sequence_section(body.items.map(plain));
  }
}

function readBody(message: Message): JmsBody {
  const body: unknown = message.body;
  const annotations = message.message_annotations;
  const kind = kinds[Number(annotations?.[kindAnnotation] ?? -1)];
  if (body === null || body === undefined) return kind === 'text' ? { kind, text: '' } : { kind: 'none' };
  if (typeof body === 'string') return { kind: 'text', text: body };
  if (body instanceof Uint8Array) return { kind: 'bytes', bytes: body };
  const section = body as { typecode?: number; content?: unknown };
  if (section.typecode === dataSection) {
    const bytes = Buffer.concat([section.content].flat() as Uint8Array[]);
    return { kind: message.content_type === serializedObject || kind === 'object' ? 'object' : 'bytes', bytes };
  }
  if (section.typecode === sequenceSection || Array.isArray(body)) {
    const items = Array.isArray(body) ? (body as unknown[]) : (section.content as unknown[]);
    return { kind: 'stream', items: items.map(valueOf) };
  }
  if (typeof body === 'object') {
    return { kind: 'map', entries: new Map(Object.entries(body).map(([name, value]) => [name, valueOf(value)])) };
  }
  return { kind: 'text', text: JSON.stringify(body) };
}

function plain(value: JmsValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

function valueOf(value: unknown): JmsValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object' && !(value instanceof Uint8Array)) {
    return 'value' in value ? valueOf(value.value) : JSON.stringify(value);
  }
  return value as JmsValue;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : JSON.stringify(value);
}

function destinationOf(address: string | undefined): JmsDestination | undefined {
  return address === undefined || address === null ? undefined : { kind: 'queue', name: address };
}
