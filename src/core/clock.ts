import { LongWaits } from './long-waits.ts';

/** Where time comes from; injected so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
  /** Milliseconds on a clock that never goes back; for intervals. */
  monotonic(): number;
  /**
   * Runs `action` once after `milliseconds`; the result cancels it. The timer does not keep the process alive. A wait
   * of 5 s and more may take 50 ms longer.
   */
  after(milliseconds: number, action: () => void): () => void;
}

/** From here on 50 ms are no more than one in a hundred. */
const longWait = 5_000;
const longWaits = new LongWaits();

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, action) {
    if (milliseconds >= longWait) return longWaits.begin(milliseconds, action);
    const timer = setTimeout(action, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
