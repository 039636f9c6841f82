import { PendingValue, type Position } from '#errors';
import type { Compiled } from '../mediator.ts';
import type { Advice, MediatorPlace } from '../advice.ts';

/** Upper bounds of the histogram in milliseconds; what is slower falls into a last bucket without bound. */
export const timeBounds: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];

/** What one mediator has done since it was first counted. */
export interface MediatorCounts {
  readonly id: string;
  readonly element: string;
  readonly position: Position;
  readonly count: number;
  readonly errors: number;
  /** Messages that are in it now. */
  readonly inFlight: number;
  /** Milliseconds, those of mediators inside it included. */
  readonly timeSum: number;
  /** How many took at most each of `timeBounds`, each message in one bucket; the last one counts the slower. */
  readonly histogram: readonly number[];
  /** The same figures since the last reset of the window. */
  readonly window: { readonly count: number; readonly errors: number; readonly timeSum: number };
}

/** Counts what mediators do; figures outlive worlds. */
export interface MediatorCounters {
  readonly advice: Advice;
  /** Those that changed after a cursor, and the cursor to ask with next time. */
  list(since?: number): { readonly cursor: number; readonly mediators: readonly MediatorCounts[] };
  /** Begins a new window. */
  resetWindow(): void;
}

class Cell implements MediatorCounts {
  readonly id: string;
  readonly element: string;
  position: Position;
  count = 0;
  errors = 0;
  inFlight = 0;
  timeSum = 0;
  readonly histogram: number[] = Array.from({ length: timeBounds.length + 1 }, () => 0);
  window = { count: 0, errors: 0, timeSum: 0 };
  changed = 0;

  constructor({ id, element, position }: MediatorPlace) {
    this.id = id;
    this.element = element;
    this.position = position;
  }

  passed(milliseconds: number, hasFailed: boolean): void {
    const { window } = this;
    this.inFlight--;
    this.count++;
    window.count++;
    this.timeSum += milliseconds;
    window.timeSum += milliseconds;
    if (hasFailed) {
      this.errors++;
      window.errors++;
    }
    let bucket = 0;
    while (bucket < timeBounds.length && milliseconds > (timeBounds[bucket] ?? 0)) bucket++;
    this.histogram[bucket] = (this.histogram[bucket] ?? 0) + 1;
  }
}

/** Makes counters over a monotonic clock in milliseconds. */
export function createMediatorCounters(now: () => number): MediatorCounters {
  const cells = new Map<string, Cell>();
  let cursor = 0;

  const cellOf = (step: MediatorPlace): Cell => {
    const known = cells.get(step.id);
    // Another mediator stands in this place now.
    const cell = known?.element === step.element ? known : new Cell(step);
    cell.position = step.position;
    cells.set(step.id, cell);
    return cell;
  };

  const count = (run: Compiled, step: MediatorPlace): Compiled => {
    const cell = cellOf(step);
    const end = (began: number, hasFailed: boolean): void => {
      cell.passed(now() - began, hasFailed);
      cell.changed = ++cursor;
    };
    const failed = (began: number, error: unknown): never => {
      // A mediator that waits for a value runs again with it: this was no message.
      if (error instanceof PendingValue) cell.inFlight--;
      else end(began, true);
      throw error;
    };
    return (message) => {
      const began = now();
      cell.inFlight++;
      try {
        const flow = run(message);
        if (typeof flow !== 'boolean') {
          return flow.then(
            (value) => {
              end(began, false);
              return value;
            },
            (error: unknown) => failed(began, error),
          );
        }
        end(began, false);
        return flow;
      } catch (error) {
        return failed(began, error);
      }
    };
  };

  return {
    advice: { around: count },
    list: (since = 0) => ({ cursor, mediators: [...cells.values()].filter(({ changed }) => changed > since) }),
    resetWindow() {
      for (const cell of cells.values()) {
        if (cell.window.count > 0) cell.changed = ++cursor;
        cell.window = { count: 0, errors: 0, timeSum: 0 };
      }
    },
  };
}
