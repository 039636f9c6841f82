import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { BerReader, BerWriter, FilterParser } from 'ldapts';
import { openSmallServer, type SmallServer } from './small-server.ts';

/** An entry as the directory gives it. */
export interface SmallEntry {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

export interface SmallDirectoryOptions {
  readonly entries?: readonly SmallEntry[];
  /** Where every search refers to besides its entries. */
  readonly refersTo?: string;
  /** Kinds of requests that are never answered, such as `bind cn=admin`. */
  readonly silentOn?: RegExp;
  /** Key and certificate of a directory that is reached over TLS. */
  readonly tls?: TlsOptions;
}

/** A directory in this process that notes what it was asked; enough of LDAP to show what a client sends. */
export interface SmallDirectory extends SmallServer {
  readonly url: string;
  /** One line for each request. */
  readonly requests: readonly string[];
}

const results: Readonly<Record<number, number>> = {
  0x60: 0x61,
  0x63: 0x65,
  0x66: 0x67,
  0x68: 0x69,
  0x4a: 0x6b,
  0x77: 0x78,
};

export async function startSmallDirectory(options: SmallDirectoryOptions = {}): Promise<SmallDirectory> {
  const requests: string[] = [];
  const accept = (socket: Socket): void => {
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (let length = messageLength(pending); length !== undefined; length = messageLength(pending)) {
        const message = pending.subarray(0, length);
        pending = pending.subarray(length);
        answer(message, socket);
      }
    });
  };
  const server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);

  const answer = (message: Buffer, socket: Socket): void => {
    const reader = new BerReader(message);
    reader.readSequence();
    const id = reader.readInt() ?? 0;
    const tag = reader.peek() ?? 0;
    if (tag === 0x42) return;
    const { line, entries } = describe(reader, tag);
    requests.push(line);
    if (options.silentOn?.test(line)) return;
    for (const entry of entries) socket.write(entryMessage(id, entry));
    if (tag === 0x63 && options.refersTo !== undefined) socket.write(referenceMessage(id, options.refersTo));
    socket.write(resultMessage(id, results[tag] ?? 0x78));
  };

  const describe = (reader: BerReader, tag: number): { line: string; entries: readonly SmallEntry[] } => {
    if (tag === 0x4a) return { line: `delete ${reader.readString(0x4a) ?? ''}`, entries: [] };
    reader.readSequence(tag);
    if (tag === 0x60) {
      reader.readInt();
      return { line: `bind ${reader.readString() ?? ''} ${reader.readString(0x80) ?? ''}`, entries: [] };
    }
    if (tag === 0x77) return { line: `extended ${reader.readString(0x80) ?? ''}`, entries: [] };
    const dn = reader.readString() ?? '';
    if (tag !== 0x63) return { line: `${tag === 0x68 ? 'add' : 'modify'} ${dn} ${textIn(reader)}`, entries: [] };
    const scope = reader.readEnumeration();
    reader.readEnumeration();
    const limit = reader.readInt() ?? 0;
    reader.readInt();
    reader.readBoolean();
    const filter = FilterParser.parse(reader).toString();
    reader.readSequence();
    const attributes: string[] = [];
    while (reader.remain > 0 && reader.peek() === 4) attributes.push(reader.readString() ?? '');
    const found = (options.entries ?? []).filter((entry) => (scope === 0 ? entry.dn === dn : matches(filter, entry)));
    return { line: `search ${dn} ${filter} ${limit} ${attributes.join(' ')}`, entries: found };
  };

  const opened = await openSmallServer(server, options.tls ? 'secureConnection' : 'connection');
  const url = `${options.tls ? 'ldaps' : 'ldap'}://127.0.0.1:${opened.port}`;
  return Object.assign(opened, { url, requests });
}

/** Whether every comparison of a filter holds; what stands in the filter is taken to be joined by "and". */
function matches(filter: string, { attributes }: SmallEntry): boolean {
  return [...filter.matchAll(/\((\w+)=([^()]*)\)/g)].every(([, name = '', wanted = '']) => {
    const values = attributes[Object.keys(attributes).find((each) => each.toLowerCase() === name.toLowerCase()) ?? ''];
    return values?.some((value) => wanted === '*' || value.toLowerCase() === wanted.toLowerCase()) ?? false;
  });
}

/** The readable texts of what is left of a request. */
function textIn(reader: BerReader): string {
  return reader.buffer
    .subarray(reader.offset)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]+/g, ' ');
}

function messageLength(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined;
  const first = bytes[1] ?? 0;
  const more = first > 0x80 ? first - 0x80 : 0;
  if (bytes.length < 2 + more) return undefined;
  const length = (more === 0 ? first : bytes.readUIntBE(2, more)) + 2 + more;
  return bytes.length < length ? undefined : length;
}

function messageOf(id: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  write(writer);
  writer.endSequence();
  return writer.buffer;
}

function resultMessage(id: number, tag: number): Buffer {
  return messageOf(id, (writer) => {
    writer.startSequence(tag);
    writer.writeEnumeration(0);
    writer.writeString('');
    writer.writeString('');
    writer.endSequence();
  });
}

function referenceMessage(id: number, url: string): Buffer {
  return messageOf(id, (writer) => {
    writer.startSequence(0x73);
    writer.writeString(url);
    writer.endSequence();
  });
}

function entryMessage(id: number, { dn, attributes }: SmallEntry): Buffer {
  return messageOf(id, (writer) => {
    writer.startSequence(0x64);
    writer.writeString(dn);
    writer.startSequence();
    for (const [name, values] of Object.entries(attributes)) {
      writer.startSequence();
      writer.writeString(name);
      writer.startSequence(0x31);
      for (const value of values) writer.writeString(value);
      writer.endSequence();
      writer.endSequence();
    }
    writer.endSequence();
    writer.endSequence();
  });
}
