/** What a round mixes, the order of its words, its rotations and its constant (RFC 1320 section 3.4). */
const rounds = [
  {
    mix: (x: number, y: number, z: number) => (x & y) | (~x & z),
    words: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
    constant: 0,
  },
  {
    mix: (x: number, y: number, z: number) => (x & y) | (x & z) | (y & z),
    words: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
    constant: 0x5a827999,
  },
  {
    mix: (x: number, y: number, z: number) => x ^ y ^ z,
    words: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
    constant: 0x6ed9eba1,
  },
] as const;

type State = readonly [number, number, number, number];

/** The MD4 digest, which NTLM makes of passwords and the platform no longer offers. */
export function md4(input: Uint8Array): Buffer {
  const length = Math.ceil((input.length + 9) / 64) * 64;
  const padded = Buffer.alloc(length);
  padded.set(input);
  padded[input.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(input.length) * 8n, length - 8);
  let state: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let offset = 0; offset < length; offset += 64) state = mixBlock(state, padded.subarray(offset, offset + 64));
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeInt32LE(word | 0, index * 4);
  return digest;
}

function mixBlock(before: State, block: Buffer): State {
  let [a, b, c, d] = before;
  for (const { mix, words, shifts, constant } of rounds) {
    for (const [step, word] of words.entries()) {
      const sum = (a + mix(b, c, d) + block.readInt32LE(word * 4) + constant) | 0;
      const shift = shifts[step % 4] ?? 0;
      const rotated = (sum << shift) | (sum >>> (32 - shift));
      [a, b, c, d] = [d, rotated, b, c];
    }
  }
  return [(a + before[0]) | 0, (b + before[1]) | 0, (c + before[2]) | 0, (d + before[3]) | 0];
}
