import { readCursor } from '../store-page.ts';

/** Numbers of messages that somebody looked at in a queue, where the broker knows them by names of its own. */
export interface BrowsedNumbers {
  /** The number of a message, a new and higher one when nobody has looked at it. */
  numberOf(id: string): number;
  idOf(number: number): string | undefined;
  /** Names of the messages that a cursor has passed. @throws MillraceError `MR_STORE_CURSOR` */
  passedBy(cursor: string | undefined): ReadonlySet<string>;
  /** The cursor that has passed exactly these of the messages that are known. */
  cursorAfter(ids: ReadonlySet<string>): string;
  /** All names but one. */
  besides(id: string): ReadonlySet<string>;
}

/** Most messages that are remembered, and that a walk through a queue shows. */
export const mostBrowsed = 100_000;

/**
 * Remembers the messages that were looked at last. A queue need not keep its order: messages of a higher priority, and
 * those that a consumer gave back, come before others. So a cursor does not tell a place in it, but which messages were
 * shown: pairs of the first and the last number of each run of them, of which a queue in order has one.
 */
export function createBrowsedNumbers(nextNumber: () => number): BrowsedNumbers {
  /** By name, those that were seen last at the end. */
  const numbers = new Map<string, number>();
  const ids = new Map<number, string>();

  const remember = (id: string, number: number): void => {
    numbers.delete(id);
    numbers.set(id, number);
    ids.set(number, id);
    if (numbers.size <= mostBrowsed) return;
    for (const [oldest, its] of numbers) {
      numbers.delete(oldest);
      ids.delete(its);
      return;
    }
  };

  return {
    numberOf(id) {
      const number = numbers.get(id) ?? nextNumber();
      remember(id, number);
      return number;
    },
    idOf: (number) => ids.get(number),
    passedBy(cursor) {
      const ends = readCursor(cursor, 'pairs');
      const isPassed = (number: number): boolean =>
        ends.some((from, index) => index % 2 === 0 && number >= from && number <= (ends[index + 1] ?? from));
      const passed = new Map(numbers.entries().filter(([, number]) => isPassed(number)));
      // Those of a walk that goes on are the last to be forgotten.
      for (const [id, number] of passed) remember(id, number);
      return new Set(passed.keys());
    },
    cursorAfter(passed) {
      const ends: number[] = [];
      let isRun = false;
      for (const number of [...ids.keys()].toSorted((left, right) => left - right)) {
        const isPassed = passed.has(ids.get(number) ?? '');
        if (isPassed && isRun) ends[ends.length - 1] = number;
        else if (isPassed) ends.push(number, number);
        isRun = isPassed;
      }
      return ends.join('.');
    },
    besides: (id) => new Set([...numbers.keys()].filter((each) => each !== id)),
  };
}
