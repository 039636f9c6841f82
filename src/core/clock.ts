/** Where time comes from; injected so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
  /** Milliseconds on a clock that never goes back; for intervals. */
  monotonic(): number;
  /** Runs `action` once after `milliseconds`; the result cancels it. The timer does not keep the process alive. */
  after(milliseconds: number, action: () => void): () => void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
