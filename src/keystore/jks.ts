import { createHash, timingSafeEqual } from 'node:crypto';
import { childOf, octetsOf, objectIdentifierOf, readDer } from './der.ts';
import { keyStoreError } from './key-store-error.ts';
import type { KeyStoreEntry } from './key-store.ts';
import { toPem } from './pem.ts';

const magic = 0xfeedfeed;
const entryTags = { privateKey: 1, trustedCertificate: 2 } as const;
/** Sun's key protection algorithm, the only one that a JKS key store uses. */
const keyProtector = '1.3.6.1.4.1.42.2.17.1.1';
const digestLength = 20;

/** True when the content starts like a JKS key store. */
export function isJks(content: Buffer): boolean {
  return content.length >= 12 + digestLength && content.readUInt32BE(0) === magic;
}

/**
 * Reads a Java key store of versions 1 and 2: big-endian fields, then a SHA-1 digest over password and content.
 *
 * @throws MillraceError wrong store password, wrong key password, damaged
 */
export function readJks(content: Buffer, password: string, keyPassword: string): KeyStoreEntry[] {
  const body = content.subarray(0, content.length - digestLength);
  const expected = content.subarray(content.length - digestLength);
  const digest = createHash('sha1').update(utf16(password)).update('Mighty Aphrodite').update(body).digest();
  if (!timingSafeEqual(digest, expected)) {
    throw keyStoreError('wrongPassword', 'The password of the key store is wrong, or the key store is damaged');
  }
  const reader = new JksReader(body);
  const version = reader.skip(4).integer();
  if (version !== 1 && version !== 2) {
    throw keyStoreError('unsupported', `JKS key stores of version ${version} are not supported`);
  }
  const entries: KeyStoreEntry[] = [];
  for (let left = reader.integer(); left > 0; left--) entries.push(readEntry(reader, version, keyPassword));
  return entries;
}

function readEntry(reader: JksReader, version: number, keyPassword: string): KeyStoreEntry {
  const tag = reader.integer();
  const alias = reader.text();
  reader.skip(8); // creation time
  if (tag === entryTags.trustedCertificate) return { alias, certificatePems: [readCertificate(reader, version)] };
  if (tag !== entryTags.privateKey) {
    throw keyStoreError('unsupported', `The entry "${alias}" is neither a private key nor a certificate`);
  }
  const protectedKey = reader.bytes(reader.integer());
  const certificatePems: string[] = [];
  for (let left = reader.integer(); left > 0; left--) certificatePems.push(readCertificate(reader, version));
  return { alias, privateKeyPem: toPem('PRIVATE KEY', unprotect(protectedKey, alias, keyPassword)), certificatePems };
}

function readCertificate(reader: JksReader, version: number): string {
  if (version === 2) reader.text(); // the certificate's type, always X.509
  return toPem('CERTIFICATE', reader.bytes(reader.integer()));
}

/** Key stream of SHA-1 over password and the previous block; the last block proves the password. */
function unprotect(protectedKey: Buffer, alias: string, keyPassword: string): Buffer {
  const info = readDer(protectedKey);
  const algorithm = objectIdentifierOf(childOf(childOf(info, 0), 0));
  if (algorithm !== keyProtector) {
    throw keyStoreError('unsupported', `The key "${alias}" is encrypted by the unknown algorithm ${algorithm}`);
  }
  const data = octetsOf(childOf(info, 1));
  const secret = utf16(keyPassword);
  const key = Buffer.from(data.subarray(digestLength, data.length - digestLength));
  let block: Buffer = data.subarray(0, digestLength);
  for (let offset = 0; offset < key.length; offset++) {
    if (offset % digestLength === 0) block = createHash('sha1').update(secret).update(block).digest();
    key[offset] = (key[offset] ?? 0) ^ (block[offset % digestLength] ?? 0);
  }
  const check = createHash('sha1').update(secret).update(key).digest();
  if (!check.equals(data.subarray(data.length - digestLength))) {
    throw keyStoreError('wrongKeyPassword', `The password of the key "${alias}" is wrong`);
  }
  return key;
}

function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

/** Walks over the big-endian fields of a JKS key store. */
class JksReader {
  readonly #content: Buffer;
  #offset = 0;

  constructor(content: Buffer) {
    this.#content = content;
  }

  skip(count: number): this {
    this.bytes(count);
    return this;
  }

  bytes(count: number): Buffer {
    const end = this.#offset + count;
    if (end > this.#content.length) throw keyStoreError('malformed', 'The JKS key store is damaged: it ends early');
    const slice = this.#content.subarray(this.#offset, end);
    this.#offset = end;
    return slice;
  }

  integer(): number {
    return this.bytes(4).readUInt32BE(0);
  }

  text(): string {
    return this.bytes(this.bytes(2).readUInt16BE(0)).toString('utf8');
  }
}
