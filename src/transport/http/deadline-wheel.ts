/** Something that has a deadline. */
export interface Timed {
  /** Where the wheel keeps it; -1 while it does not. */
  wheelTick: number;
  /**
   * Called when the deadline may be over. Gives the moment at which to be called again, on the clock of the wheel, or
   * Infinity for never.
   */
  due(now: number): number;
}

const tickMilliseconds = 50;
const slotCount = 1_024;
/** A longer pause between two ticks was this process's own, and nobody else is charged for it. */
const stallMilliseconds = 1_000;

/**
 * Deadlines of many connections behind one timer. A deadline that moves away, as with every byte of a connection in
 * use, costs a comparison: the entry stays where it is and is asked again there. Deadlines are met within 100 ms.
 */
export class DeadlineWheel {
  readonly #slots: (Set<Timed> | undefined)[] = Array.from({ length: slotCount });
  #count = 0;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;
  #now = performance.now();
  #lastReal = this.#now;

  /** The present on the clock of the wheel, at most one tick old. */
  get now(): number {
    if (this.#timer === undefined) this.#catchUp(Number.POSITIVE_INFINITY);
    return this.#now;
  }

  /** Sees to it that `entry` is called at `moment` at the latest, give or take a tick. */
  schedule(entry: Timed, moment: number): void {
    if (this.#timer === undefined) this.#start();
    const wanted = Math.min(Math.floor(moment / tickMilliseconds) + 1, this.#tick + slotCount - 1);
    const tick = Math.max(wanted, this.#tick + 1);
    if (entry.wheelTick >= 0) {
      if (entry.wheelTick <= tick) return;
      this.remove(entry);
    }
    entry.wheelTick = tick;
    (this.#slots[tick % slotCount] ??= new Set()).add(entry);
    this.#count++;
  }

  remove(entry: Timed): void {
    if (entry.wheelTick < 0) return;
    this.#slots[entry.wheelTick % slotCount]?.delete(entry);
    entry.wheelTick = -1;
    this.#count--;
  }

  #start(): void {
    this.#catchUp(Number.POSITIVE_INFINITY);
    this.#tick = Math.floor(this.#now / tickMilliseconds);
    this.#timer = setInterval(() => this.#turn(), tickMilliseconds).unref();
  }

  #turn(): void {
    this.#catchUp(stallMilliseconds);
    const until = Math.floor(this.#now / tickMilliseconds);
    while (this.#tick < until) {
      this.#tick++;
      this.#empty(this.#tick % slotCount);
    }
    if (this.#count > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #catchUp(most: number): void {
    const real = performance.now();
    this.#now += Math.min(real - this.#lastReal, most);
    this.#lastReal = real;
  }

  #empty(index: number): void {
    const slot = this.#slots[index];
    if (!slot || slot.size === 0) return;
    this.#slots[index] = undefined;
    this.#count -= slot.size;
    for (const entry of slot) entry.wheelTick = -1;
    for (const entry of slot) {
      const next = entry.due(this.#now);
      if (next !== Number.POSITIVE_INFINITY) this.schedule(entry, next);
    }
  }
}

/** The wheel of this process. */
export const wheel = new DeadlineWheel();
