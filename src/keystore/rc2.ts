/**
 * RC2 in cipher block chaining (RFC 2268), decryption only: Java before 18 and many other tools encrypt the
 * certificates of PKCS12 files with it, and OpenSSL 3 no longer offers it.
 */

/** The permutation of RFC 2268 section 2, derived from the digits of pi. */
const piTable = Buffer.from(
  'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2' +
    '179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82' +
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626' +
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7' +
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec' +
    'c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731' +
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9' +
    '0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  'hex',
);
const blockLength = 8;
const rotations = [1, 2, 3, 5] as const;

/**
 * Decrypts whole blocks; the padding stays.
 *
 * @param key key bytes; their count times eight is also the effective key length
 * @param iv initialisation vector of 8 bytes
 */
export function decryptRc2(key: Buffer, iv: Buffer, data: Buffer): Buffer {
  const roundKeys = expandKey(key);
  const plain = Buffer.alloc(data.length);
  const words = new Uint16Array(4);
  let previous = iv;
  for (let offset = 0; offset + blockLength <= data.length; offset += blockLength) {
    for (let index = 0; index < 4; index++) words[index] = data.readUInt16LE(offset + 2 * index);
    decryptBlock(words, roundKeys);
    for (let index = 0; index < 4; index++) {
      plain.writeUInt16LE((words[index] ?? 0) ^ previous.readUInt16LE(2 * index), offset + 2 * index);
    }
    previous = data.subarray(offset, offset + blockLength);
  }
  return plain;
}

/** Key expansion of RFC 2268 section 2 with an effective length of all key bits. */
function expandKey(key: Buffer): Uint16Array {
  const bytes = Buffer.alloc(128);
  key.copy(bytes);
  const at = (index: number): number => bytes[index] ?? 0;
  const pi = (index: number): number => piTable[index & 0xff] ?? 0;
  for (let index = key.length; index < 128; index++) bytes[index] = pi(at(index - 1) + at(index - key.length));
  bytes[128 - key.length] = pi(at(128 - key.length));
  for (let index = 127 - key.length; index >= 0; index--) bytes[index] = pi(at(index + 1) ^ at(index + key.length));
  return Uint16Array.from({ length: 64 }, (_, index) => bytes.readUInt16LE(2 * index));
}

/** Section 4: rounds 5 + 6 + 5 of "r-mix", separated by "r-mash". */
function decryptBlock(words: Uint16Array, keys: Uint16Array): void {
  for (let round = 15; round >= 0; round--) {
    for (let index = 3; index >= 0; index--) mix(words, index, keys[4 * round + index] ?? 0);
    if (round === 11 || round === 5) {
      for (let index = 3; index >= 0; index--) {
        words[index] = (words[index] ?? 0) - (keys[(words[(index + 3) % 4] ?? 0) & 63] ?? 0);
      }
    }
  }
}

function mix(words: Uint16Array, index: number, key: number): void {
  const rotation = rotations[index] ?? 0;
  const word = words[index] ?? 0;
  const rotated = ((word >>> rotation) | (word << (16 - rotation))) & 0xffff;
  const before = words[(index + 3) % 4] ?? 0;
  words[index] = rotated - key - (before & (words[(index + 2) % 4] ?? 0)) - (~before & (words[(index + 1) % 4] ?? 0));
}
