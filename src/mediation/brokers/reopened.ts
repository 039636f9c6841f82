/** Something that is open until it breaks. */
interface Openable {
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** A connection that is opened when it is needed and again when it has broken. */
export interface Reopened<T> {
  get(): Promise<T>;
  /** Closes what is open; the next one who needs it opens it again. */
  close(): Promise<void>;
}

export function createReopened<T extends Openable>(open: () => Promise<T>): Reopened<T> {
  let current: Promise<T> | undefined;
  const get = async (): Promise<T> => {
    const before = current;
    if (before) {
      const opened = await before;
      if (opened.isOpen) return opened;
      // Whoever comes first here opens it for all.
      if (current !== before) return get();
    }
    const opening = open();
    current = opening;
    opening.catch(() => {
      if (current === opening) current = undefined;
    });
    return opening;
  };
  return {
    get,
    async close() {
      const before = current;
      current = undefined;
      // What could not be opened is not closed.
      const opened = await before?.catch(() => undefined);
      await opened?.close();
    },
  };
}
