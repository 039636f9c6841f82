import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';
import { fillRandom } from './random.ts';

/** A new `urn:uuid:…` identifier, as messages carry it (RFC 9562 version 4). */
export function newMessageId(): string {
  return `urn:uuid:${randomUUID()}`;
}

/**
 * Makes a source of row identifiers: UUIDs of version 7 (RFC 9562 §5.7) that sort as text in the order in which they
 * were made, also within a millisecond and when the clock goes back (§6.2, method 1, a counter of 12 bits).
 */
export function createRowIds(clock: Clock = systemClock): () => string {
  let last = 0;
  let counter = 0;
  const random = Buffer.alloc(9);
  return () => {
    const now = clock.now();
    fillRandom(random);
    if (now > last) {
      last = now;
      counter = random[8] ?? 0;
    } else if (++counter > 0xfff) {
      last++;
      counter = 0;
    }
    const time = last.toString(16).padStart(12, '0');
    random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
    const tail = random.toString('hex', 0, 8);
    const count = counter.toString(16).padStart(3, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}

/** A new row identifier of this process; see `createRowIds`. */
export const newRowId: () => string = createRowIds();
