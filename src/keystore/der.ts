import { keyStoreError } from './key-store-error.ts';

/** One element of ASN.1 in its distinguished encoding (X.690): tag, contents, and where it lies. */
export interface DerNode {
  readonly tag: number;
  /** The contents octets. */
  readonly value: Buffer;
  /** Tag, length and contents. */
  readonly bytes: Buffer;
}

export const derTags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  bmpString: 0x1e,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Most constructed pieces of one string that are joined. */
const maximumPieces = 10_000;

/**
 * Reads the first element of `bytes`. Indefinite lengths, which some writers of PKCS12 use, are understood.
 *
 * @throws MillraceError `MR_KEYSTORE_MALFORMED` when the bytes end early
 */
export function readDer(bytes: Buffer): DerNode {
  return readAt(bytes, 0).node;
}

/** The elements of which a constructed element (or any run of bytes) consists. */
export function childrenOf(node: DerNode): DerNode[] {
  const children: DerNode[] = [];
  for (let offset = 0; offset < node.value.length;) {
    const { node: child, end } = readAt(node.value, offset);
    children.push(child);
    offset = end;
  }
  return children;
}

/** The child at `index`; an error that the structure is malformed when there is none. */
export function childOf(node: DerNode, index: number): DerNode {
  const child = childrenOf(node)[index];
  if (!child) throw malformed();
  return child;
}

/** The bytes of an octet string, be it in one piece or constructed of several. */
export function octetsOf(node: DerNode): Buffer {
  if ((node.tag & 0x20) === 0) return node.value;
  const pieces = childrenOf(node);
  if (pieces.length > maximumPieces) throw malformed();
  return Buffer.concat(pieces.map((piece) => piece.value));
}

/** The value of a small INTEGER, such as a number of iterations. */
export function integerOf(node: DerNode): number {
  if (node.tag !== derTags.integer || node.value.length > 6) throw malformed();
  return node.value.readUIntBE(0, node.value.length);
}

/** The dotted form of an OBJECT IDENTIFIER. */
export function objectIdentifierOf(node: DerNode): string {
  if (node.tag !== derTags.objectIdentifier) throw malformed();
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of node.value) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (arcs.length === 0) arcs.push(Math.min(Math.floor(arc / 40), 2), arc - 40 * Math.min(Math.floor(arc / 40), 2));
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join('.');
}

/** Encodes one element from its tag and contents. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(contents);
  if (value.length < 0x80) return Buffer.concat([Buffer.of(tag, value.length), value]);
  const digits = value.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, value]);
}

/** An INTEGER that is not negative, from a number or from big-endian bytes. */
export function derInteger(value: number | Uint8Array): Buffer {
  const digits = typeof value === 'number' ? value.toString(16) : Buffer.from(value).toString('hex');
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return (bytes[0] ?? 0) >= 0x80 ? der(derTags.integer, Buffer.of(0), bytes) : der(derTags.integer, bytes);
}

/** An OBJECT IDENTIFIER from its dotted form. */
export function derObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc % 128];
    for (let high = Math.floor(arc / 128); high > 0; high = Math.floor(high / 128)) groups.unshift((high % 128) | 0x80);
    return groups;
  });
  return der(derTags.objectIdentifier, Buffer.from(bytes));
}

function readAt(bytes: Buffer, start: number): { node: DerNode; end: number } {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) throw malformed();
  if (first === 0x80) return readIndefinite(bytes, start);
  let offset = start + 2;
  let length = first;
  if (first > 0x80) {
    const count = first & 0x7f;
    if (count > 4 || offset + count > bytes.length) throw malformed();
    length = bytes.readUIntBE(offset, count);
    offset += count;
  }
  const end = offset + length;
  if (end > bytes.length) throw malformed();
  return { node: { tag, value: bytes.subarray(offset, end), bytes: bytes.subarray(start, end) }, end };
}

function readIndefinite(bytes: Buffer, start: number): { node: DerNode; end: number } {
  const tag = bytes[start] ?? 0;
  let offset = start + 2;
  while (bytes[offset] !== 0 || bytes[offset + 1] !== 0) offset = readAt(bytes, offset).end;
  const end = offset + 2;
  return { node: { tag, value: bytes.subarray(start + 2, offset), bytes: bytes.subarray(start, end) }, end };
}

function malformed(): Error {
  return keyStoreError('malformed', 'The key store is damaged: its structure ends early or is not PKCS12');
}
