import { createDecipheriv, createHmac, hash, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { childOf, childrenOf, integerOf, objectIdentifierOf, octetsOf, type DerNode } from './der.ts';
import { keyStoreError } from './key-store-error.ts';
import { pkcs12Objects as objects } from './pkcs12-objects.ts';
import { decryptRc2 } from './rc2.ts';

/** Uses of derived bytes in the key derivation of PKCS12 (RFC 7292, B.3). */
export const purposes = { key: 1, initialisationVector: 2, integrity: 3 } as const;
const maximumIterations = 10_000_000;

/** Key encryption of PKCS12 itself (RFC 7292, appendix C); the keys are derived with SHA-1. */
const legacySchemes: Readonly<Record<string, { readonly keyLength: number; readonly cipher: '3des' | 'rc2' }>> = {
  '1.2.840.113549.1.12.1.3': { keyLength: 24, cipher: '3des' },
  '1.2.840.113549.1.12.1.4': { keyLength: 16, cipher: '3des' },
  '1.2.840.113549.1.12.1.5': { keyLength: 16, cipher: 'rc2' },
  '1.2.840.113549.1.12.1.6': { keyLength: 5, cipher: 'rc2' },
};

/** Ciphers of PBES2 (RFC 8018, appendix B.2). */
const ciphers: Readonly<Record<string, { readonly name: string; readonly keyLength: number }>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keyLength: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keyLength: 24 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keyLength: 32 },
  '1.2.840.113549.3.7': { name: 'des-ede3-cbc', keyLength: 24 },
};

/** Digests and the message authentication codes made of them. */
const digests: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
};

/**
 * Decrypts by the scheme of an AlgorithmIdentifier: PBES2, or one of PKCS12's own with 3DES or RC2.
 *
 * @returns the plain bytes; `undefined` when the password does not fit
 * @throws MillraceError `MR_KEYSTORE_UNSUPPORTED` for another scheme
 */
export function decryptByPassword(algorithm: DerNode, data: Buffer, password: string): Buffer | undefined {
  const identifier = objectIdentifierOf(childOf(algorithm, 0));
  const parameters = childOf(algorithm, 1);
  if (identifier === objects.pbes2) return decryptPbes2(parameters, data, password);
  const scheme = legacySchemes[identifier];
  if (!scheme) throw unsupported(identifier);
  const derive = (purpose: number, length: number): Buffer =>
    derivePkcs12Key(
      { digest: 'sha1', password, salt: octetsOf(childOf(parameters, 0)), purpose, length },
      iterationsOf(childOf(parameters, 1)),
    );
  const key = derive(purposes.key, scheme.keyLength);
  const iv = derive(purposes.initialisationVector, 8);
  if (scheme.cipher === 'rc2') return withoutPadding(decryptRc2(key, iv, data));
  const tripleKey = key.length === 24 ? key : Buffer.concat([key, key.subarray(0, 8)]);
  return decipher('des-ede3-cbc', { key: tripleKey, iv }, data);
}

/** True when the `MacData` of a PKCS12 file (RFC 7292, section 4, and RFC 9579) fits content and password. */
export function isAuthentic(macData: DerNode, content: Buffer, password: string): boolean {
  const [info, salt, iterations] = childrenOf(macData);
  if (!info || !salt) return false;
  const expected = octetsOf(childOf(info, 1));
  const algorithm = childOf(info, 0);
  const identifier = objectIdentifierOf(childOf(algorithm, 0));
  let actual: Buffer;
  if (identifier === objects.pbmac1) {
    const parameters = childOf(algorithm, 1);
    const digest = digestOf(childOf(parameters, 1));
    actual = createHmac(digest, pbkdf2Of(childOf(parameters, 0), password, expected.length))
      .update(content)
      .digest();
  } else {
    const digest = digestOf(algorithm);
    const facts = { digest, password, salt: octetsOf(salt), purpose: purposes.integrity, length: expected.length };
    const key = derivePkcs12Key(facts, iterations ? iterationsOf(iterations) : 1);
    actual = createHmac(digest, key).update(content).digest();
  }
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

export interface Derivation {
  readonly digest: string;
  readonly password: string;
  readonly salt: Buffer;
  readonly purpose: number;
  readonly length: number;
}

/** Key derivation of PKCS12 (RFC 7292, B.2); the password counts as UTF-16 with a final zero. */
export function derivePkcs12Key({ digest, password, salt, purpose, length }: Derivation, iterations: number): Buffer {
  const block = digest === 'sha384' || digest === 'sha512' ? 128 : 64;
  const secret = Buffer.from(`${password}\0`, 'utf16le').swap16();
  const diversifier = Buffer.alloc(block, purpose);
  const input = Buffer.concat([repeatToBlocks(salt, block), repeatToBlocks(secret, block)]);
  const pieces: Buffer[] = [];
  for (let derived = 0; derived < length;) {
    let piece = hash(digest, Buffer.concat([diversifier, input]), 'buffer');
    for (let round = 1; round < iterations; round++) piece = hash(digest, piece, 'buffer');
    pieces.push(piece);
    derived += piece.length;
    const addend = Buffer.alloc(block, piece);
    for (let offset = 0; offset < input.length; offset += block)
      increase(input.subarray(offset, offset + block), addend);
  }
  return Buffer.concat(pieces).subarray(0, length);
}

function repeatToBlocks(bytes: Buffer, block: number): Buffer {
  return bytes.length === 0 ? bytes : Buffer.alloc(block * Math.ceil(bytes.length / block), bytes);
}

/** target = target + addend + 1, as big-endian numbers of the same width. */
function increase(target: Buffer, addend: Buffer): void {
  let carry = 1;
  for (let index = target.length - 1; index >= 0; index--) {
    carry += (target[index] ?? 0) + (addend[index] ?? 0);
    target[index] = carry & 0xff;
    carry >>= 8;
  }
}

function decryptPbes2(parameters: DerNode, data: Buffer, password: string): Buffer | undefined {
  const scheme = childOf(parameters, 1);
  const identifier = objectIdentifierOf(childOf(scheme, 0));
  const cipher = ciphers[identifier];
  if (!cipher) throw unsupported(identifier);
  const key = pbkdf2Of(childOf(parameters, 0), password, cipher.keyLength);
  return decipher(cipher.name, { key, iv: octetsOf(childOf(scheme, 1)) }, data);
}

/** PBKDF2 by its AlgorithmIdentifier (RFC 8018, A.2): salt, iterations, optional key length, optional function. */
function pbkdf2Of(algorithm: DerNode, password: string, length: number): Buffer {
  const identifier = objectIdentifierOf(childOf(algorithm, 0));
  if (identifier !== objects.pbkdf2) throw unsupported(identifier);
  const [salt, iterations, ...rest] = childrenOf(childOf(algorithm, 1));
  if (!salt || !iterations)
    throw keyStoreError('malformed', 'The key store is damaged: its encryption lacks parameters');
  const pseudoRandom = rest.find((node) => node.tag === 0x30);
  const digest = pseudoRandom ? digestOf(pseudoRandom) : 'sha1';
  return pbkdf2Sync(password, octetsOf(salt), iterationsOf(iterations), length, digest);
}

function digestOf(algorithm: DerNode): string {
  const identifier = objectIdentifierOf(childOf(algorithm, 0));
  const digest = digests[identifier];
  if (digest === undefined) throw unsupported(identifier);
  return digest;
}

function iterationsOf(node: DerNode): number {
  const iterations = integerOf(node);
  if (iterations < 1 || iterations > maximumIterations) {
    throw keyStoreError('unsupported', `The key store asks for ${iterations} iterations of key derivation`);
  }
  return iterations;
}

function decipher(name: string, { key, iv }: { key: Buffer; iv: Buffer }, data: Buffer): Buffer | undefined {
  const engine = createDecipheriv(name, key, iv).setAutoPadding(false);
  if (data.length === 0 || data.length % iv.length !== 0) return undefined;
  return withoutPadding(Buffer.concat([engine.update(data), engine.final()]));
}

/** Takes the padding of PKCS7 off; `undefined` when there is none, which means a wrong password. */
function withoutPadding(plain: Buffer): Buffer | undefined {
  const count = plain.at(-1) ?? 0;
  if (count === 0 || count > plain.length) return undefined;
  const padding = plain.subarray(plain.length - count);
  return padding.every((byte) => byte === count) ? plain.subarray(0, plain.length - count) : undefined;
}

function unsupported(identifier: string): Error {
  return keyStoreError('unsupported', `The key store uses the unsupported algorithm ${identifier}`);
}
