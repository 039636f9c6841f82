import type { JmsValue } from '../message.ts';
import { DataReader } from './data-reader.ts';
import { DataWriter } from './data-writer.ts';

/** Codes of the values in maps, properties and streams. */
const codes = {
  null: 0,
  boolean: 1,
  byte: 2,
  char: 3,
  short: 4,
  int: 5,
  long: 6,
  double: 7,
  float: 8,
  text: 9,
  bytes: 10,
  map: 11,
  list: 12,
  longText: 13,
} as const;

/** Longest text that fits into two bytes of length, whatever its characters. */
const shortText = 0xffff / 3;

const readers: ReadonlyMap<number, (reader: DataReader) => JmsValue> = new Map<
  number,
  (reader: DataReader) => JmsValue
>([
  [codes.null, () => null],
  [codes.boolean, (reader) => reader.boolean()],
  [codes.byte, (reader) => reader.byte()],
  [codes.char, (reader) => String.fromCharCode(reader.unsignedShort())],
  [codes.short, (reader) => reader.short()],
  [codes.int, (reader) => reader.int()],
  [codes.long, (reader) => reader.long()],
  [codes.double, (reader) => reader.double()],
  [codes.float, (reader) => reader.float()],
  [codes.text, (reader) => reader.text()],
  [codes.bytes, (reader) => Buffer.from(reader.block())],
  [codes.longText, (reader) => reader.longText()],
]);

/** Writes a map: the properties of a message, or the body of a `MapMessage`. */
export function encodeMap(entries: ReadonlyMap<string, JmsValue>): Buffer {
  const writer = new DataWriter();
  writer.int(entries.size);
  for (const [name, value] of entries) {
    writer.text(name);
    writeValue(writer, value);
  }
  return writer.bytes;
}

/** Reads a map. @throws TypeError for nested maps and lists, which JMS does not have */
export function decodeMap(bytes: Uint8Array): ReadonlyMap<string, JmsValue> {
  const reader = new DataReader(bytes);
  const entries = new Map<string, JmsValue>();
  for (let left = reader.int(); left > 0; left--) entries.set(reader.text(), readValue(reader));
  return entries;
}

/** Writes the items of a `StreamMessage`. */
export function encodeStream(items: readonly JmsValue[]): Buffer {
  const writer = new DataWriter();
  for (const item of items) writeValue(writer, item);
  return writer.bytes;
}

export function decodeStream(bytes: Uint8Array): readonly JmsValue[] {
  const reader = new DataReader(bytes);
  const items: JmsValue[] = [];
  while (reader.left > 0) items.push(readValue(reader));
  return items;
}

function readValue(reader: DataReader): JmsValue {
  const code = reader.byte();
  const read = readers.get(code);
  if (!read) throw new TypeError(`a value of type ${code}; expected a simple one`);
  return read(reader);
}

function writeValue(writer: DataWriter, value: JmsValue): void {
  if (value === null) return writer.byte(codes.null);
  if (typeof value === 'boolean') {
    writer.byte(codes.boolean);
    return writer.boolean(value);
  }
  if (typeof value === 'bigint') {
    writer.byte(codes.long);
    return writer.long(value);
  }
  if (typeof value === 'number') return writeNumber(writer, value);
  if (typeof value === 'string') return writeText(writer, value);
  writer.byte(codes.bytes);
  return writer.block(value);
}

/** The smallest of the Java types that holds the number, as far as clients tell them apart. */
function writeNumber(writer: DataWriter, value: number): void {
  if (!Number.isSafeInteger(value)) {
    writer.byte(codes.double);
    return writer.double(value);
  }
  if (value === (value | 0)) {
    writer.byte(codes.int);
    return writer.int(value);
  }
  writer.byte(codes.long);
  return writer.long(BigInt(value));
}

function writeText(writer: DataWriter, value: string): void {
  const isShort = value.length <= shortText;
  writer.byte(isShort ? codes.text : codes.longText);
  if (isShort) writer.text(value);
  else writer.longText(value);
}
