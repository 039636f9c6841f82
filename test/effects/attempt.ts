/** What a failure says, so that two of them can be told apart. */
export function failureOf(error: unknown): unknown {
  const { code, message, detail, cause } = error as Error & { code?: string; detail?: string };
  return [code, message, detail, cause === undefined];
}

/** What comes of some work, be it a failure. */
export const attempt = (work: Promise<unknown>): Promise<unknown> => work.catch(failureOf);
