import { MillraceError } from '#errors';

/** What part of a store somebody looks at. */
export interface StoreReach {
  /** Most messages to show; at least 1. */
  readonly limit: number;
  /** `next` of the page before; the page begins with the first message when absent. */
  readonly cursor?: string | undefined;
}

/** Some messages of a store, in its order. */
export interface StorePage<Entry> {
  readonly entries: readonly Entry[];
  /** Where the page after this one begins; absent on the last one. It stays good when messages before it are taken. */
  readonly next?: string;
}

/**
 * Makes a page of what was found, one more than the page shows telling that there are more.
 *
 * @param positionOf what stands for the place of an entry, also when the entry is gone
 */
export function pageOf<Entry>(
  found: readonly Entry[],
  limit: number,
  positionOf: (entry: Entry) => string,
): StorePage<Entry> {
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return last === undefined || found.length <= limit ? { entries } : { entries, next: positionOf(last) };
}

/**
 * Reads a cursor of so many whole numbers between full stops, or of pairs of them; zeros when there is none.
 *
 * @throws MillraceError `MR_STORE_CURSOR` for what no page has told
 */
export function readCursor(cursor: string | undefined, parts: 1 | 2 | 'pairs'): readonly number[] {
  if (cursor === undefined) return [0, 0];
  const numbers = /^-?\d+(?:\.-?\d+)*$/.test(cursor) ? cursor.split('.').map(Number) : [];
  const isComplete = parts === 'pairs' ? numbers.length > 0 && numbers.length % 2 === 0 : numbers.length === parts;
  if (isComplete && numbers.every((number) => Number.isSafeInteger(number))) return numbers;
  throw new MillraceError({
    code: 'MR_STORE_CURSOR',
    status: 400,
    message: `"${cursor.slice(0, 40)}" is no cursor of this message store; expected "next" of the page before`,
  });
}
