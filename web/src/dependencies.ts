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

/** Everything that an artifact uses, directly or not, and everything that uses it. */
export function reachOf(centre: string, uses: readonly Use[]): readonly string[] {
  const reached = new Set([centre]);
  for (const [one, other] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    const ends = [centre];
    const seen = new Set(ends);
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
      for (const use of uses) {
        if (use[one] !== end || seen.has(use[other])) continue;
        seen.add(use[other]);
        reached.add(use[other]);
        ends.push(use[other]);
      }
    }
  }
  return [...reached];
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
