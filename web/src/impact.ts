import type { Dependencies } from './dependencies.ts';

/** What would be switched off: artifacts of groups by key, or a whole node. */
export interface Touched {
  readonly group: string;
  /** Keys such as `endpoint:Stock`; everything on the node when absent. */
  readonly keys?: readonly string[];
  readonly node?: string;
}

/** Messages of the last hour that came in through artifacts. */
export interface Passed {
  readonly group: string;
  readonly artifact: string;
  readonly messages: number | null;
}

/** The artifacts themselves, and all that use them, directly or not: messages come in through some of these. */
export function entriesOf(keys: readonly string[], uses: Dependencies['uses']): ReadonlySet<string> {
  const entries = new Set(keys);
  // A set that grows while it is walked through also gives what was added.
  for (const key of entries) {
    for (const { from, to } of uses) if (to === key) entries.add(from);
  }
  return entries;
}

/** How many of the messages would have been touched, and through which artifacts they came, the busiest first. */
export function passedThrough(
  passed: readonly Passed[],
  entries: ReadonlySet<string> | undefined,
): { readonly messages: number; readonly through: readonly string[] } {
  const own = passed
    .filter(({ artifact, messages }) => (messages ?? 0) > 0 && (entries === undefined || entries.has(artifact)))
    .toSorted((left, right) => (right.messages ?? 0) - (left.messages ?? 0));
  return {
    messages: own.reduce((sum, { messages }) => sum + (messages ?? 0), 0),
    through: own.map(({ artifact }) => artifact),
  };
}
