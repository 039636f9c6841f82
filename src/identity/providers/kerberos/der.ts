/** One value of DER: its tag, and what is in it. */
export interface DerValue {
  /** The first octet: class, form and number, such as `0x30` for a SEQUENCE or `0xa1` for `[1]`. */
  readonly tag: number;
  readonly content: Buffer;
}

/** What is wrong with bytes that were read. */
export class DerProblem extends Error {}

/** Most octets of a length. */
const lengthOctets = 4;

/**
 * Reads the value that bytes begin with (X.690 8.1, 10.1): tags of one octet, definite lengths.
 *
 * @returns the value and where the next one begins
 * @throws DerProblem
 */
export function readDer(bytes: Buffer, offset = 0): { readonly value: DerValue; readonly end: number } {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new DerProblem('the bytes end before a value');
  if ((tag & 0x1f) === 0x1f) throw new DerProblem(`the tag 0x${tag.toString(16)} is of several octets`);
  let start = offset + 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > lengthOctets || start + count > bytes.length) {
      throw new DerProblem('a length is indefinite or too long');
    }
    length = bytes.readUIntBE(start, count);
    start += count;
  }
  const end = start + length;
  if (end > bytes.length) throw new DerProblem(`${length} bytes are announced and ${bytes.length - start} are there`);
  return { value: { tag, content: bytes.subarray(start, end) }, end };
}

/** The values that stand in a constructed one, one after the other. */
export function readAll(content: Buffer): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < content.length;) {
    const { value, end } = readDer(content, offset);
    values.push(value);
    offset = end;
  }
  return values;
}

/** The content of a value that must have a tag. */
export function contentOf(value: DerValue | undefined, tag: number, name: string): Buffer {
  if (value?.tag === tag) return value.content;
  const found = value === undefined ? 'nothing' : `0x${value.tag.toString(16)}`;
  throw new DerProblem(`${name}: expected 0x${tag.toString(16)}, found ${found}`);
}

/** The elements of a SEQUENCE by the numbers of their context tags, each without it. */
export function readFields(sequence: DerValue | undefined, name: string): ReadonlyMap<number, DerValue> {
  const elements = readAll(contentOf(sequence, 0x30, name));
  return new Map(elements.map(({ tag, content }) => [tag - 0xa0, readDer(content).value]));
}

/** An INTEGER of up to 32 bits. */
export function integerOf(value: DerValue | undefined, name: string): number {
  const content = contentOf(value, 0x02, name);
  if (content.length === 0 || content.length > 5)
    throw new DerProblem(`${name}: an integer of ${content.length} bytes`);
  return content.readIntBE(0, content.length);
}
