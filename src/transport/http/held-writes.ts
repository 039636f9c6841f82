import type { Socket } from 'node:net';

/** What was written longer ago does not wait for the end of the turn. */
const longestHold = 1;
/** The clock is looked at once for so many writes. */
const writesBetweenLooks = 8;

const held: Socket[] = [];
let heldSince = 0;
let unseen = 0;

/**
 * Lets everything that is written to the socket in this turn of the event loop go out at its end. Each write to
 * another process may have to wake it, which costs more than the bytes: with many connections to one peer it is woken
 * once for all that happened in the turn.
 */
export function holdWrites(socket: Socket): void {
  if (held.length > 0 && ++unseen === writesBetweenLooks) {
    unseen = 0;
    if (performance.now() - heldSince > longestHold) release();
  }
  if (socket.writableCorked > 0) return;
  socket.cork();
  if (held.push(socket) > 1) return;
  unseen = 0;
  heldSince = performance.now();
  setImmediate(release);
}

function release(): void {
  for (const socket of held.splice(0)) socket.uncork();
}
