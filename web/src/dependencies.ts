/** That an artifact names another, and by which element. */
interface Use {
  readonly from: string;
  readonly to: string;
  readonly by: string;
}

export interface Dependencies {
  readonly artifacts: readonly { readonly key: string; readonly kind: string; readonly name: string }[];
  readonly uses: readonly Use[];
}

/** Everything that an artifact uses, directly or not. */
export function usedBy(centre: string, uses: readonly Use[]): readonly string[] {
  return follow(centre, (end) => uses.flatMap(({ from, to }) => (from === end ? [to] : [])));
}

/** Everything that an artifact uses, directly or not, and everything that uses it. */
export function reachOf(centre: string, uses: readonly Use[]): readonly string[] {
  const users = follow(centre, (end) => uses.flatMap(({ from, to }) => (to === end ? [from] : [])));
  return [...new Set([centre, ...usedBy(centre, uses), ...users])];
}

function follow(centre: string, next: (end: string) => readonly string[]): readonly string[] {
  const seen = new Set<string>([centre]);
  // What is added while this goes on is gone through as well.
  for (const end of seen) for (const other of next(end)) seen.add(other);
  seen.delete(centre);
  return [...seen];
}

/** Most columns of a picture; a circle of uses would go on for ever. */
const mostColumns = 6;

/** Each artifact in a column behind all that use it. */
export function columnsOf(keys: readonly string[], uses: readonly Use[]): ReadonlyMap<string, number> {
  const columns = new Map(keys.map((key) => [key, 0]));
  for (let round = 0; round < mostColumns; round++) {
    for (const { from, to } of uses) {
      const next = Math.min(mostColumns, (columns.get(from) ?? 0) + 1);
      if (next > (columns.get(to) ?? 0)) columns.set(to, next);
    }
  }
  return columns;
}
