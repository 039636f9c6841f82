/** Which tuples got a token on this node lately; bounded, the oldest are forgotten. */
export interface RecentTuples {
  has(tuple: string): boolean;
  add(tuple: string): void;
}

/**
 * Remembers tuples, so that one that is new is inserted without being looked for, which on a database over the network
 * is half of the way. What it does not know only costs an insert that is refused: the index decides.
 */
export function createRecentTuples(limit = 20_000): RecentTuples {
  const tuples = new Set<string>();
  return {
    has: (tuple) => tuples.has(tuple),
    add(tuple) {
      tuples.add(tuple);
      if (tuples.size > limit) tuples.delete(tuples.values().next().value ?? '');
    },
  };
}
