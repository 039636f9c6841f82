import { inflateSync } from 'node:zlib';
import type { JmsBody, JmsDestination, JmsMessage } from '../message.ts';
import { bytesField, numberField, objectField, textField, type Command } from './codec.ts';
import type { CommandName } from './commands.ts';
import { DataReader } from './data-reader.ts';
import { DataWriter } from './data-writer.ts';
import { decodeMap, decodeStream, encodeMap, encodeStream } from './primitives.ts';

/** Most bytes of a compressed body when it is unfolded. */
const largestBody = 256 * 1024 * 1024;

/** The commands of each kind of message, with how its body is read. */
const bodyReaders: Readonly<Partial<Record<CommandName, (content: Uint8Array) => JmsBody>>> = {
  Message: () => ({ kind: 'none' }),
  TextMessage: (content) => ({ kind: 'text', text: content.length === 0 ? '' : new DataReader(content).longText() }),
  BytesMessage: (content) => ({ kind: 'bytes', bytes: content }),
  MapMessage: (content) => ({ kind: 'map', entries: content.length === 0 ? new Map() : decodeMap(content) }),
  StreamMessage: (content) => ({ kind: 'stream', items: decodeStream(content) }),
  ObjectMessage: (content) => ({ kind: 'object', bytes: content }),
};

/** The kind of message that carries a body, and its content. */
export function encodeBody(body: JmsBody): { readonly name: CommandName; readonly content: Uint8Array | undefined } {
  switch (body.kind) {
    case 'none':
      return { name: 'Message', content: undefined };
    case 'text': {
      const writer = new DataWriter();
      writer.longText(body.text);
      return { name: 'TextMessage', content: writer.bytes };
    }
    case 'bytes':
      return { name: 'BytesMessage', content: body.bytes };
    case 'map':
      return { name: 'MapMessage', content: encodeMap(body.entries) };
    case 'stream':
      return { name: 'StreamMessage', content: encodeStream(body.items) };
    case 'object':
      return { name: 'ObjectMessage', content: body.bytes };
  }
}

/** Whether a command is a message. */
export function isMessage({ name }: Command): boolean {
  return Object.hasOwn(bodyReaders, name);
}

/** Reads a message that was dispatched. @throws TypeError, RangeError or a zlib error for a body that is damaged */
export function decodeMessage(message: Command, redeliveries: number): JmsMessage {
  const read = bodyReaders[message.name];
  if (!read) throw new TypeError(`a ${message.name} is no message that can be read`);
  const properties = bytesField(message, 'marshalledProperties');
  const replyTo = objectField(message, 'replyTo');
  return {
    id: messageIdOf(message),
    body: read(contentOf(message)),
    properties: properties ? decodeMap(properties) : new Map(),
    correlationId: textField(message, 'correlationId'),
    replyTo: replyTo && decodeDestination(replyTo),
    type: textField(message, 'type'),
    priority: numberField(message, 'priority'),
    isPersistent: message.fields['persistent'] === true,
    timestamp: numberField(message, 'timestamp'),
    isRedelivered: redeliveries > 0,
  };
}

export function encodeDestination({ kind, name, isTemporary }: JmsDestination): Command {
  const command = kind === 'queue' ? 'Queue' : 'Topic';
  return { name: isTemporary === true ? `Temp${command}` : command, fields: { physicalName: name } };
}

function decodeDestination(command: Command): JmsDestination {
  const kind = command.name === 'Topic' || command.name === 'TempTopic' ? 'topic' : 'queue';
  const name = textField(command, 'physicalName') ?? '';
  return { kind, name, ...(command.name.startsWith('Temp') && { isTemporary: true as const }) };
}

/** The text by which people know a message, such as `ID:host-1-2:1:1:1:1`. */
function messageIdOf(message: Command): string {
  const id = objectField(message, 'messageId');
  if (!id) return '';
  const text = textField(id, 'textView');
  if (text !== undefined) return text;
  const producer = objectField(id, 'producerId');
  if (!producer) return '';
  const parts = [numberField(producer, 'sessionId'), numberField(producer, 'value')];
  return [textField(producer, 'connectionId'), ...parts, numberField(id, 'producerSequenceId')].join(':');
}

function contentOf(message: Command): Uint8Array {
  const content = bytesField(message, 'content') ?? new Uint8Array();
  if (message.fields['compressed'] !== true || content.length === 0) return content;
  // The bytes of a BytesMessage have their unfolded size before them, outside of what is compressed.
  const folded = message.name === 'BytesMessage' ? content.subarray(4) : content;
  return inflateSync(folded, { maxOutputLength: largestBody });
}
