/** A number that only grows. */
export interface Counter {
  readonly value: number;
  inc(by?: number): void;
}

/** A number that goes up and down. */
export interface Gauge {
  readonly value: number;
  set(value: number): void;
  inc(by?: number): void;
  dec(by?: number): void;
}

/** A distribution of observed numbers over buckets. */
export interface Histogram {
  readonly sum: number;
  readonly count: number;
  observe(value: number): void;
}

/** Holds one counter; `inc` is one addition. */
export class CounterCell implements Counter {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  inc(by = 1): void {
    this.#value += by;
  }

  /** Follows a total that somebody else counts. */
  follow(total: number): void {
    this.#value = total;
  }
}

/** Holds one gauge. */
export class GaugeCell implements Gauge {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  set(value: number): void {
    this.#value = value;
  }

  inc(by = 1): void {
    this.#value += by;
  }

  dec(by = 1): void {
    this.#value -= by;
  }
}

/** Holds one histogram: a count per bucket, not cumulative, the last one without an upper bound. */
export class HistogramCell implements Histogram {
  readonly bounds: readonly number[];
  readonly counts: Float64Array;
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#count;
  }

  observe(value: number): void {
    const { bounds } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    this.counts[index] = (this.counts[index] as number) + 1;
    this.#sum += value;
    this.#count++;
  }

  /** Adds what another histogram with the same bounds has observed. */
  absorb({ counts, sum, count }: { counts: readonly number[]; sum: number; count: number }): void {
    for (const [index, more] of counts.entries()) this.counts[index] = (this.counts[index] ?? 0) + more;
    this.#sum += sum;
    this.#count += count;
  }
}
