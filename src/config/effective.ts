import type { Catalog } from './catalog/catalog.ts';
import type { Raw } from './catalog/types.ts';
import { shown } from './mask.ts';
import { lockedSecret } from './placeholders.ts';
import type { Source, Value, ValueTable } from './values.ts';

/** One value for display: secrets are masked. */
export interface Effective {
  /** The path; items of arrays of tables carry their number, as in `apim.gateway.environment[0].name`. */
  readonly path: string;
  readonly value: Raw;
  readonly source: Source;
}

/** What a configuration is read from. */
export interface ConfigFacts {
  readonly catalog: Catalog;
  readonly table: ValueTable;
  defaultOf(path: string): Value | undefined;
}

/** The values that the file sets, in its order. */
export function writtenConfiguration(table: ValueTable): readonly Effective[] {
  return valuesOf(table).filter(({ source }) => source.kind === 'file');
}

/** Written and inferred values, and the defaults of every other key outside arrays of tables, sorted by path. */
export function effectiveConfiguration(facts: ConfigFacts): readonly Effective[] {
  const present = valuesOf(facts.table);
  const paths = new Set(present.map(({ path }) => path));
  const repeated = facts.catalog.sections.filter(({ section }) => section.repeated).map(({ section }) => section.path);
  const defaults = facts.catalog.keys
    .filter(({ path, spellingOf }) => spellingOf === undefined && !path.includes('<') && !paths.has(path))
    .filter(({ path }) => !repeated.some((section) => path.startsWith(`${section}.`)))
    .map(({ path }) => facts.defaultOf(path))
    .filter((value) => value !== undefined);
  return [...present, ...defaults.map((value) => display(value, value.path))].sort((left, right) =>
    left.path < right.path ? -1 : 1,
  );
}

/** A value with the path that tells the tables of an array apart. */
export interface PlacedValue {
  readonly path: string;
  readonly value: Value;
}

/** Every value of the file and its arrays of tables; items carry their number in the path. */
export function placedValues(table: ValueTable, place: (path: string) => string = (path) => path): PlacedValue[] {
  const own = [...table.values.values()].map((value) => ({ path: place(value.path), value }));
  const nested = [...table.lists].flatMap(([path, items]) =>
    items.flatMap((item, index) =>
      placedValues(item, (inner) => `${place(path)}[${index}]${inner.slice(path.length)}`),
    ),
  );
  return [...own, ...nested];
}

function valuesOf(table: ValueTable): Effective[] {
  return placedValues(table).map(({ path, value }) => display(value, path));
}

function display(value: Value, path: string): Effective {
  const isLocked = value.raw === lockedSecret;
  return { path, value: isLocked ? shown({ ...value, secret: true }) : shown(value), source: value.source };
}
