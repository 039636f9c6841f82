import { randomFillSync } from 'node:crypto';

/** Bytes that are fetched at once: asking for a few costs as much as asking for all of them. */
const pool = Buffer.alloc(8192);
let used = pool.length;

/**
 * Fills `target` from `start` to its end with random bytes of the generator for secrets. No byte is given twice, and
 * what was given does not stay in memory. At most 8192 bytes.
 */
export function fillRandom(target: Uint8Array, start = 0): void {
  const size = target.length - start;
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  pool.copy(target, start, used, used + size);
  pool.fill(0, used, used + size);
  used += size;
}
