import { placedValues } from './effective.ts';
import type { Value, ValueTable } from './values.ts';

/** A key whose value differs between two configurations. */
export interface Change {
  readonly path: string;
  /** True when `millrace reload` applies it; false when it needs a restart. */
  readonly reload: boolean;
}

/** What changed from `before` to `after`, secrets included, in the order of their paths. */
export function changesBetween(before: ValueTable, after: ValueTable): readonly Change[] {
  const [old, present] = [byPath(before), byPath(after)];
  const paths = [...new Set([...old.keys(), ...present.keys()])].sort();
  return paths
    .filter((path) => textOf(old.get(path)) !== textOf(present.get(path)))
    .map((path) => ({ path, reload: (present.get(path) ?? old.get(path))?.key.reload === true }));
}

function byPath(table: ValueTable): Map<string, Value> {
  return new Map(placedValues(table).map(({ path, value }) => [path, value]));
}

function textOf(value: Value | undefined): string | undefined {
  return value && JSON.stringify(value.typed);
}
