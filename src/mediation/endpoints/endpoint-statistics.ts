import type { EndpointStateName } from './endpoint-state.ts';

/** What an endpoint has done since it was first used. */
export interface EndpointCounts {
  /** Messages that were sent, failures included. */
  readonly sent: number;
  readonly failed: number;
  /** Failures by the code of the fault. */
  readonly failuresByCode: ReadonlyMap<number, number>;
  /** Milliseconds until the head of the answer came, of all, the fastest and the slowest that succeeded. */
  readonly totalTime: number;
  readonly shortestTime: number;
  readonly longestTime: number;
}

/** What an endpoint is doing, and each of its members. */
export interface EndpointStatus {
  readonly name: string;
  readonly state: EndpointStateName;
  /** Absent on endpoints that only choose among others. */
  readonly counts?: EndpointCounts;
  /** Milliseconds until messages are sent again; undefined where they are, or never. */
  readonly retryIn?: number | undefined;
  /** Failures of the marking kind that it still takes before it is suspended. */
  readonly retriesLeft?: number;
  readonly members: readonly EndpointStatus[];
}

/** Counts what one leaf endpoint does. */
export class EndpointStatistics implements EndpointCounts {
  sent = 0;
  failed = 0;
  totalTime = 0;
  shortestTime = 0;
  longestTime = 0;
  readonly #failures = new Map<number, number>();

  get failuresByCode(): ReadonlyMap<number, number> {
    return this.#failures;
  }

  /** Notes an answer that came after so many milliseconds. */
  answered(milliseconds: number): void {
    const succeeded = this.sent - this.failed;
    this.shortestTime = succeeded === 0 ? milliseconds : Math.min(this.shortestTime, milliseconds);
    this.longestTime = Math.max(this.longestTime, milliseconds);
    this.totalTime += milliseconds;
    this.sent++;
  }

  /** Notes a message that got no answer. */
  failedWith(code: number): void {
    this.sent++;
    this.failed++;
    this.#failures.set(code, (this.#failures.get(code) ?? 0) + 1);
  }
}
