/** A key of a service. */
export interface KeytabKey {
  /** `HTTP/host@REALM`. */
  readonly principal: string;
  readonly version: number;
  /** Number of the encryption type. */
  readonly type: number;
  readonly key: Buffer;
}

/**
 * Reads a keytab of format 2, as `ktutil` and `kadmin` write it.
 *
 * @throws RangeError when it ends within an entry, Error when it is no keytab
 */
export function readKeytab(bytes: Buffer): readonly KeytabKey[] {
  if (bytes.readUInt16BE(0) !== 0x0502) throw new Error('The file is no keytab of format 2');
  const keys: KeytabKey[] = [];
  for (let offset = 2; offset + 4 <= bytes.length;) {
    const size = bytes.readInt32BE(offset);
    offset += 4;
    // A negative size is a hole where an entry was.
    if (size > 0) keys.push(readEntry(bytes.subarray(offset, offset + size)));
    offset += Math.abs(size);
  }
  return keys;
}

function readEntry(entry: Buffer): KeytabKey {
  let offset = 0;
  const number = (bytes: 1 | 2 | 4): number => {
    const value = entry.readUIntBE(offset, bytes);
    offset += bytes;
    return value;
  };
  const data = (): Buffer => {
    const length = number(2);
    const value = entry.subarray(offset, offset + length);
    offset += length;
    return value;
  };
  const count = number(2);
  const realm = data().toString('utf8');
  const names = Array.from({ length: count }, () => data().toString('utf8'));
  offset += 8;
  const short = number(1);
  const type = number(2);
  const key = Buffer.from(data());
  // Later versions write the number of the key in four bytes, too.
  const long = entry.length - offset >= 4 ? number(4) : 0;
  return { principal: `${names.join('/')}@${realm}`, version: long === 0 ? short : long, type, key };
}
