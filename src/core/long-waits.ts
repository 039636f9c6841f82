/** Waits that end within the same span share a timer. */
const spanMilliseconds = 50;

interface Wait {
  readonly action: () => void;
}

/** The waits that end in one span. */
interface Span {
  readonly waits: Set<Wait>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Timers for long waits that are nearly always cancelled, as the time limit of each message is: those that end at about
 * the same moment share one timer of the system, and end at most 50 ms later than each would by itself.
 */
export class LongWaits {
  readonly #spans = new Map<number, Span>();
  /** The span that was begun last, which is kept while it is empty, since the next wait probably ends in it too. */
  #last = Number.NaN;

  /** How many timers of the system there are. */
  get timers(): number {
    return this.#spans.size;
  }

  /** Runs `action` after `milliseconds`; the result cancels it. */
  begin(milliseconds: number, action: () => void): () => void {
    const now = performance.now();
    const index = Math.ceil((now + milliseconds) / spanMilliseconds);
    const span = this.#spans.get(index) ?? this.#open(index, now);
    const wait = { action };
    span.waits.add(wait);
    return () => {
      if (span.waits.delete(wait) && index !== this.#last) this.#closeEmpty(index);
    };
  }

  #open(index: number, now: number): Span {
    const span: Span = {
      waits: new Set(),
      timer: setTimeout(() => this.#end(index), Math.ceil(index * spanMilliseconds - now)).unref(),
    };
    this.#closeEmpty(this.#last);
    this.#last = index;
    this.#spans.set(index, span);
    return span;
  }

  #closeEmpty(index: number): void {
    const span = this.#spans.get(index);
    if (!span || span.waits.size > 0) return;
    clearTimeout(span.timer);
    this.#spans.delete(index);
  }

  #end(index: number): void {
    const span = this.#spans.get(index);
    this.#spans.delete(index);
    for (const wait of span?.waits ?? []) {
      // What one of them does may cancel another one.
      if (!span?.waits.delete(wait)) continue;
      try {
        wait.action();
      } catch (error) {
        // As an action of a timer of its own: the others are not its victims.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
