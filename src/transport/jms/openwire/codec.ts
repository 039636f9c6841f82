import { commandTypes, type CommandName, type CommandType, type FieldKind } from './commands.ts';
import { DataReader } from './data-reader.ts';
import { DataWriter } from './data-writer.ts';

/** A Java exception as a broker reports it. */
export interface RemoteException {
  readonly className: string;
  readonly message: string;
}

export type FieldValue =
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Command
  | readonly Command[]
  | RemoteException
  | null;

/** A command or structure: its name in the table and its fields. What is left out is written as zero or nothing. */
export interface Command {
  readonly name: CommandName;
  readonly fields: Readonly<Record<string, FieldValue | undefined>>;
}

const magic = Buffer.from('ActiveMQ', 'latin1');
const byCode = new Map<number, readonly [CommandName, CommandType]>(
  (Object.entries(commandTypes) as [CommandName, CommandType][]).map(([name, type]) => [type.code, [name, type]]),
);

/** Deepest nesting of structures; real commands have four. */
const deepest = 16;

/** Writes a command with its type, without the length that goes before it. */
export function encodeCommand(command: Command): Buffer {
  const writer = new DataWriter();
  writeStructure(writer, command);
  return writer.bytes;
}

/** Reads what stands in one frame. @throws RangeError or TypeError when that is no command of the table */
export function decodeCommand(bytes: Uint8Array): Command {
  return readStructure(new DataReader(bytes), deepest);
}

function writeStructure(writer: DataWriter, { name, fields }: Command): void {
  const { code, fields: types }: CommandType = commandTypes[name];
  writer.byte(code);
  for (const [field, kind] of types) writers[kind](writer, fields[field]);
}

const writers: Readonly<Record<FieldKind, (writer: DataWriter, value: FieldValue | undefined) => void>> = {
  boolean: (writer, value) => writer.boolean(value === true),
  byte: (writer, value) => writer.byte(Number(value ?? 0)),
  int: (writer, value) => writer.int(Number(value ?? 0)),
  long: (writer, value) => writer.long(typeof value === 'bigint' ? value : BigInt(Number(value ?? 0))),
  text: (writer, value) => optional(writer, value as string | undefined, (text) => writer.text(text)),
  bytes: (writer, value) => optional(writer, value as Uint8Array | undefined, (bytes) => writer.block(bytes)),
  object: (writer, value) => optional(writer, value as Command | undefined, (each) => writeStructure(writer, each)),
  objects: (writer, value) =>
    optional(writer, value as readonly Command[] | undefined, (items) => {
      writer.short(items.length);
      for (const item of items) writers.object(writer, item);
    }),
  throwable: (writer, value) =>
    optional(writer, value as RemoteException | undefined, ({ className, message }) => {
      writers.text(writer, className);
      writers.text(writer, message);
    }),
  magic: (writer) => writer.raw(magic),
};

function optional<T>(writer: DataWriter, value: T | null | undefined, write: (value: T) => void): void {
  const isThere = value !== undefined && value !== null;
  writer.boolean(isThere);
  if (isThere) write(value);
}

function readStructure(reader: DataReader, depth: number): Command {
  if (depth === 0) throw new RangeError('structures are nested too deeply');
  const code = reader.byte();
  const found = byCode.get(code);
  if (!found) throw new TypeError(`there is no command of type ${code}`);
  const [name, { fields: types }] = found;
  const fields = types.map(([field, kind]) => [field, readers[kind](reader, depth - 1)]);
  return { name, fields: Object.fromEntries(fields) as Command['fields'] };
}

const readers: Readonly<Record<FieldKind, (reader: DataReader, depth: number) => FieldValue>> = {
  boolean: (reader) => reader.boolean(),
  byte: (reader) => reader.byte(),
  int: (reader) => reader.int(),
  long: (reader) => reader.long(),
  text: (reader) => (reader.boolean() ? reader.text() : null),
  bytes: (reader) => (reader.boolean() ? Buffer.from(reader.block()) : null),
  object: (reader, depth) => (reader.boolean() ? readStructure(reader, depth) : null),
  objects(reader, depth) {
    if (!reader.boolean()) return null;
    const items: Command[] = [];
    for (let left = reader.unsignedShort(); left > 0; left--) {
      if (reader.boolean()) items.push(readStructure(reader, depth));
    }
    return items;
  },
  throwable(reader) {
    if (!reader.boolean()) return null;
    const className = reader.boolean() ? reader.text() : '';
    return { className, message: reader.boolean() ? reader.text() : '' };
  },
  magic(reader) {
    if (!magic.equals(reader.raw(magic.length))) throw new TypeError('it does not begin as OpenWire does');
    return null;
  },
};

/** The text in a field. */
export function textField({ fields }: Command, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberField({ fields }: Command, name: string): number {
  const value = fields[name];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}

export function bytesField({ fields }: Command, name: string): Uint8Array | undefined {
  const value = fields[name];
  return value instanceof Uint8Array ? value : undefined;
}

/** The structure in a field. */
export function objectField({ fields }: Command, name: string): Command | undefined {
  const value = fields[name];
  return isCommand(value) ? value : undefined;
}

export function exceptionField({ fields }: Command): RemoteException {
  const value = fields['exception'];
  if (typeof value === 'object' && value !== null && 'className' in value) return value;
  return { className: '', message: '' };
}

function isCommand(value: FieldValue | undefined): value is Command {
  return typeof value === 'object' && value !== null && 'name' in value && 'fields' in value;
}
