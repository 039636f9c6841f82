import type { Incident } from '#message';

/** What happened to one message that failed, from its first incident to what its client got. */
export interface FaultNarrative {
  /** Rises by one with each narrative, so that a reader can ask for what came after it. */
  readonly number: number;
  /** Milliseconds since the epoch at which the exchange was over. */
  readonly at: number;
  /** Identity of the message that came in. */
  readonly message: string;
  /** Method and path; a query may hold secrets and is left out. */
  readonly request: string;
  /** Milliseconds from the request to the end of the last flow. */
  readonly duration: number;
  /** In the order in which they happened; the first fifty. */
  readonly incidents: readonly Incident[];
  /** What the client got; undefined when it had gone before. */
  readonly status: number | undefined;
}

/** The latest narratives, oldest first. */
export interface FaultNarratives {
  add(narrative: Omit<FaultNarrative, 'number'>): void;
  /** Those with a number above `after`. */
  list(after?: number): readonly FaultNarrative[];
}

/** Makes a ring that keeps the last `capacity` narratives in memory. */
export function createFaultNarratives(capacity = 200): FaultNarratives {
  const kept: FaultNarrative[] = [];
  let number = 0;
  return {
    add(facts) {
      const narrative = Object.freeze({ number: ++number, ...facts });
      kept.push(narrative);
      if (kept.length > capacity) kept.shift();
    },
    list: (after = 0) => kept.filter((narrative) => narrative.number > after),
  };
}
