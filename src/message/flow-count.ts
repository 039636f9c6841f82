/** Something that is over when every flow in it has ended. */
export interface FlowScope {
  /** Counts a flow in. */
  enter(): void;
  /** Counts a flow out, once for each `enter`. */
  leave(): void;
}

/** The flows of an exchange that run beside the one that began it. */
export class FlowCount implements FlowScope {
  #running = 0;
  #waiting: (() => void)[] = [];

  get running(): number {
    return this.#running;
  }

  enter(): void {
    this.#running++;
  }

  leave(): void {
    this.#running--;
    if (this.#running > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  /** Resolves when no flow runs any more; undefined when none runs. */
  ended(): Promise<void> | undefined {
    return this.#running === 0 ? undefined : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
