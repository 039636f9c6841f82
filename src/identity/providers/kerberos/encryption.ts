import { createCipheriv, createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';

/** How Kerberos encrypts with a key: numbers of RFC 3961 §8 and RFC 8009 §5. */
export interface EncryptionType {
  readonly number: 17 | 18 | 19 | 20;
  readonly keyBytes: 16 | 32;
  /** Gives the plain text for a key and its usage; undefined when the bytes were not encrypted with it. */
  decrypt(key: Buffer, usage: number, cipher: Buffer): Buffer | undefined;
  /** The key of a password (RFC 3962 §4, RFC 8009 §4). */
  keyOfPassword(password: string, salt: string): Buffer;
}

const blockBytes = 16;
const noVector = Buffer.alloc(blockBytes);

/** Everything of today; types with DES and RC4 are not accepted (RFC 6649, RFC 8429). */
export const encryptionTypes: readonly EncryptionType[] = [
  sha1Type(17, 16),
  sha1Type(18, 32),
  sha2Type(19, { keyBytes: 16, macBytes: 16, digest: 'sha256', name: 'aes128-cts-hmac-sha256-128' }),
  sha2Type(20, { keyBytes: 32, macBytes: 24, digest: 'sha384', name: 'aes256-cts-hmac-sha384-192' }),
];

/** AES with HMAC-SHA1-96 over the plain text (RFC 3962). */
function sha1Type(number: 17 | 18, keyBytes: 16 | 32): EncryptionType {
  const macBytes = 12;
  return {
    number,
    keyBytes,
    decrypt(key, usage, cipher) {
      if (cipher.length < blockBytes + macBytes) return undefined;
      const plain = decryptCts(derived(key, usageOctets(usage, 0xaa)), cipher.subarray(0, -macBytes));
      const mac = createHmac('sha1', derived(key, usageOctets(usage, 0x55)))
        .update(plain)
        .digest();
      if (!timingSafeEqual(mac.subarray(0, macBytes), cipher.subarray(-macBytes))) return undefined;
      return plain.subarray(blockBytes);
    },
    keyOfPassword(password, salt) {
      const key = pbkdf2Sync(password.normalize('NFKC'), salt, 4096, keyBytes, 'sha1');
      return derived(key, Buffer.from('kerberos'));
    },
  };
}

interface Sha2Parts {
  readonly keyBytes: 16 | 32;
  readonly macBytes: 16 | 24;
  readonly digest: 'sha256' | 'sha384';
  readonly name: string;
}

/** AES with HMAC-SHA2 over the cipher text (RFC 8009). */
function sha2Type(number: 19 | 20, { keyBytes, macBytes, digest, name }: Sha2Parts): EncryptionType {
  // KDF-HMAC-SHA2 of RFC 8009 §3: one block is enough for every key.
  const derive = (key: Buffer, label: Buffer, bytes: number): Buffer => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes * 8);
    const text = Buffer.concat([Buffer.from([0, 0, 0, 1]), label, Buffer.from([0]), size]);
    return createHmac(digest, key).update(text).digest().subarray(0, bytes);
  };
  return {
    number,
    keyBytes,
    decrypt(key, usage, cipher) {
      if (cipher.length < blockBytes + macBytes) return undefined;
      const text = cipher.subarray(0, -macBytes);
      const mac = createHmac(digest, derive(key, usageOctets(usage, 0x55), macBytes))
        .update(noVector)
        .update(text);
      if (!timingSafeEqual(mac.digest().subarray(0, macBytes), cipher.subarray(-macBytes))) return undefined;
      return decryptCts(derive(key, usageOctets(usage, 0xaa), keyBytes), text).subarray(blockBytes);
    },
    keyOfPassword(password, salt) {
      const whole = Buffer.concat([Buffer.from(`${name}\0`), Buffer.from(salt)]);
      const key = pbkdf2Sync(password.normalize('NFKC'), whole, 32_768, keyBytes, digest);
      return derive(key, Buffer.from('kerberos'), keyBytes);
    },
  };
}

function usageOctets(usage: number, purpose: number): Buffer {
  const octets = Buffer.alloc(5);
  octets.writeUInt32BE(usage);
  octets[4] = purpose;
  return octets;
}

/** The key that another gives for a constant: DK of RFC 3961 §5.1 with AES (RFC 3962 §6). */
export function derived(key: Buffer, constant: Buffer): Buffer {
  const parts: Buffer[] = [];
  let block = foldTo(constant, blockBytes);
  for (let bytes = 0; bytes < key.length; bytes += blockBytes) {
    const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false);
    block = Buffer.concat([cipher.update(block), cipher.final()]);
    parts.push(block);
  }
  return Buffer.concat(parts).subarray(0, key.length);
}

/** n-fold of RFC 3961 §5.1: copies of the input, each turned right by 13 bits, added up with carry around the end. */
export function foldTo(input: Buffer, bytes: number): Buffer {
  const bits = input.length * 8;
  const total = leastCommonMultiple(input.length, bytes);
  const sums = Array.from({ length: bytes }, () => 0);
  for (let index = 0; index < total; index++) {
    const turned = Math.floor(index / input.length) * 13;
    let octet = 0;
    for (let bit = 0; bit < 8; bit++) {
      const from = ((((index % input.length) * 8 + bit - turned) % bits) + bits) % bits;
      octet = (octet << 1) | (((input[from >> 3] ?? 0) >> (7 - (from & 7))) & 1);
    }
    sums[index % bytes] = (sums[index % bytes] ?? 0) + octet;
  }
  for (let carry = 1; carry !== 0;) {
    carry = 0;
    for (let index = bytes - 1; index >= 0; index--) {
      const sum = (sums[index] ?? 0) + carry;
      sums[index] = sum & 0xff;
      carry = sum >> 8;
    }
    sums[bytes - 1] = (sums[bytes - 1] ?? 0) + carry;
  }
  return Buffer.from(sums);
}

function leastCommonMultiple(left: number, right: number): number {
  let [a, b] = [left, right];
  while (b !== 0) [a, b] = [b, a % b];
  return (left * right) / a;
}

/** AES in CBC with stolen cipher text, the last two blocks swapped, and no vector (RFC 3962 §5). */
function decryptCts(key: Buffer, cipher: Buffer): Buffer {
  const decrypt = (bytes: Buffer, mode: 'cbc' | 'ecb'): Buffer => {
    const vector = mode === 'cbc' ? noVector : null;
    const decipher = createDecipheriv(`aes-${key.length * 8}-${mode}`, key, vector).setAutoPadding(false);
    return Buffer.concat([decipher.update(bytes), decipher.final()]);
  };
  if (cipher.length === blockBytes) return decrypt(cipher, 'cbc');
  const last = cipher.length % blockBytes || blockBytes;
  const border = cipher.length - last - blockBytes;
  const swapped = cipher.subarray(border, border + blockBytes);
  const tail = cipher.subarray(border + blockBytes);
  // What the shorter block lacks is the end of the other one, decrypted.
  const opened = decrypt(swapped, 'ecb');
  const whole = Buffer.concat([cipher.subarray(0, border), tail, opened.subarray(last), swapped]);
  return decrypt(whole, 'cbc').subarray(0, cipher.length);
}
