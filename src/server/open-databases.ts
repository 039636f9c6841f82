import type { Database } from '#db';

/** The databases that the server itself works with, as far as they are open. */
export interface OpenDatabases {
  readonly names: readonly string[];
  /** Adds one under what the configuration calls it, such as `apim_db`; disposing the result takes it away. */
  add(name: string, database: Database): Disposable;
  /** Those of a name: parts of the server may have pools of their own to one database. */
  of(name: string): readonly Database[];
}

/** Makes an empty list. */
export function createOpenDatabases(): OpenDatabases {
  const entries = new Set<{ readonly name: string; readonly database: Database }>();
  return {
    get names() {
      return [...new Set([...entries].map(({ name }) => name))];
    },
    add(name, database) {
      const entry = { name, database };
      entries.add(entry);
      return { [Symbol.dispose]: () => void entries.delete(entry) };
    },
    of: (wanted) => [...entries].filter(({ name }) => name === wanted).map(({ database }) => database),
  };
}
