/** How the queue works off what waits. */
export interface QueueSettings {
  /** Messages under way at once. */
  readonly concurrency: number;
  /** Of these, most for one publisher of one tenant, so that a receiver that hangs holds up nobody else. */
  readonly perLane: number;
  /** Attempts before a message is given up. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubles with each further one. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** Milliseconds for which one node has the queue to itself unless it says that it goes on. */
  readonly leaseTime: number;
  /** Milliseconds between two looks for what other nodes have added. */
  readonly pollTime: number;
  /** Milliseconds for which a dead letter is kept. */
  readonly retention: number;
}

/** Twelve attempts with these waits span about an hour. */
export const defaultQueueSettings: QueueSettings = Object.freeze({
  concurrency: 16,
  perLane: 4,
  attempts: 12,
  firstWait: 2000,
  longestWait: 900_000,
  leaseTime: 15_000,
  pollTime: 1000,
  retention: 30 * 24 * 3_600_000,
});

/** Milliseconds to wait after so many failed attempts; up to a fifth longer, so that not all come back at once. */
export function waitAfter(attempts: number, { firstWait, longestWait }: QueueSettings): number {
  const wait = Math.min(longestWait, firstWait * 2 ** (attempts - 1));
  return Math.round(wait * (1 + Math.random() / 5));
}
