/** What passed through something in a time. */
export interface Tally {
  readonly messages: number;
  readonly errors: number;
  /** Milliseconds that its steps took, one after the other. */
  readonly time: number;
  /** Times of the step that took the longest, by the bounds of the runtime; the last bucket has none. */
  readonly histogram: readonly number[];
}

export const nothing: Tally = { messages: 0, errors: 0, time: 0, histogram: [] };

export function sumOf(left: Tally, right: Tally): Tally {
  const [long, short] =
    left.histogram.length >= right.histogram.length
      ? [left.histogram, right.histogram]
      : [right.histogram, left.histogram];
  return {
    messages: left.messages + right.messages,
    errors: left.errors + right.errors,
    time: left.time + right.time,
    histogram: long.map((count, index) => count + (short[index] ?? 0)),
  };
}

/** Adds tallies to those of the same names. */
export function addTo(sums: Map<string, Tally>, more: ReadonlyMap<string, Tally>): void {
  for (const [name, tally] of more) sums.set(name, sumOf(sums.get(name) ?? nothing, tally));
}

/** Sums of many tallies, without a new one for each. */
export class TallySum implements Tally {
  messages = 0;
  errors = 0;
  time = 0;
  readonly histogram: number[] = [];

  add({ messages, errors, time, histogram }: Tally): void {
    this.messages += messages;
    this.errors += errors;
    this.time += time;
    for (let index = 0; index < histogram.length; index++) {
      this.histogram[index] = (this.histogram[index] ?? 0) + (histogram[index] ?? 0);
    }
  }
}

/** Those with the most messages first. */
export function busiestFirst(tallies: ReadonlyMap<string, Tally>): readonly (readonly [string, Tally])[] {
  return [...tallies].toSorted(([, left], [, right]) => right.messages - left.messages);
}

/** A tally as people read it; times are null where nothing was timed. */
export interface TallyFacts {
  readonly messages: number;
  readonly errors: number;
  readonly meanTime: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export function factsOfTally({ messages, errors, time, histogram }: Tally, bounds: readonly number[]): TallyFacts {
  const at = (share: number): number | null => percentile(histogram, bounds, share);
  return {
    messages,
    errors,
    meanTime: messages === 0 ? null : rounded(time / messages),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
  };
}

/** The value below which a share stays, taken as even within a bucket; the last bucket says its lower bound. */
function percentile(histogram: readonly number[], bounds: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [index, count] of histogram.entries()) {
    if (count > 0 && seen + count >= total * share) {
      const lower = index === 0 ? 0 : (bounds[index - 1] ?? 0);
      const upper = bounds[index] ?? lower;
      return rounded(lower + (upper - lower) * ((total * share - seen) / count));
    }
    seen += count;
  }
  return bounds.at(-1) ?? null;
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
