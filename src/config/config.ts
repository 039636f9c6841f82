import { MillraceError, type Position } from '#errors';
import type { Catalog } from './catalog/catalog.ts';
import { changesBetween, type Change } from './changes.ts';
import type { Key, SectionKeys } from './catalog/define.ts';
import type { Bag } from './catalog/types.ts';
import { millisecondsPer, type DurationUnit } from './catalog/units.ts';
import { effectiveConfiguration, writtenConfiguration, type Effective } from './effective.ts';
import { explainKey, type Explanation } from './explain.ts';
import { resolveRuntime, type RuntimeValues } from './runtime-placeholders.ts';
import { lockedSecret } from './placeholders.ts';
import type { Value, ValueTable } from './values.ts';

/** The values of one table: of the whole file, of one `[[table]]`, or of one table with a name of its own. */
export interface Reader {
  /** The name that the file chose for the table; empty where it chose none. */
  readonly name: string;
  /** Where the table is written; undefined when it is not. */
  readonly at: Position | undefined;
  /** The value of a key: written, inferred, or its default. Secrets are plain text. */
  get<T>(key: Key<T>): T;
  /** A duration in milliseconds, whatever the unit of its key. */
  milliseconds<T extends number | undefined>(key: Key<T>): T;
  /** True when the file sets the key. */
  has(key: Key<unknown>): boolean;
  /** Where the file sets the key. */
  position(key: Key<unknown>): Position | undefined;
  /** The tables of a repeated section, or of a section whose name the file chooses, in the order of the file. */
  list(section: SectionKeys): readonly Reader[];
  /** Everything written below a section or a key of free properties, as texts by the rest of their path. */
  bag(place: SectionKeys | Key<Bag> | Key<Bag | undefined>): Bag;
}

/** Finds the default of a path, with references to other keys followed. */
export type DefaultOf = (path: string) => Value | undefined;

interface Scope {
  readonly table: ValueTable;
  readonly name: string;
  /** The section's path in the catalog, and the same with the names that the file chose. */
  readonly pattern: string;
  readonly concrete: string;
}

class TableReader implements Reader {
  readonly #scope: Scope;
  readonly #defaultOf: DefaultOf;

  constructor(scope: Scope, defaultOf: DefaultOf) {
    this.#scope = scope;
    this.#defaultOf = defaultOf;
  }

  get name(): string {
    return this.#scope.name;
  }

  get at(): Position | undefined {
    const { table, concrete, pattern } = this.#scope;
    if (table.headers.has(concrete) || pattern === '') return table.headers.get(concrete) ?? table.position;
    const isOwnTable = [...table.values.keys()].every((path) => path.startsWith(`${concrete}.`));
    return isOwnTable && table.values.size > 0 ? table.position : undefined;
  }

  get<T>(key: Key<T>): T {
    if (key.type.bag) return this.bag(key as Key<Bag>) as T;
    const value = this.value(key);
    if (value?.raw === lockedSecret) {
      throw new MillraceError({
        code: 'MR_CONFIG_SECRET_LOCKED',
        message: `${value.path} is an encrypted secret and no key store was opened to read it`,
      });
    }
    return value?.typed as T;
  }

  milliseconds<T extends number | undefined>(key: Key<T>): T {
    const value = this.get(key);
    if (value === undefined || value < 0) return value;
    return (value * millisecondsPer((key.type.unit ?? 'ms') as DurationUnit)) as T;
  }

  has(key: Key<unknown>): boolean {
    return this.position(key) !== undefined;
  }

  position(key: Key<unknown>): Position | undefined {
    const source = this.#scope.table.values.get(this.#pathOf(key))?.source;
    return source?.kind === 'file' ? source.position : undefined;
  }

  list(section: SectionKeys): readonly Reader[] {
    const { path } = section.section;
    const concrete = this.#concrete(path);
    if (!concrete.includes('<')) {
      const tables = this.#scope.table.lists.get(concrete) ?? [];
      return tables.map((table) => this.#reader({ table, name: '', pattern: path, concrete }));
    }
    const names = [...this.#namesIn(concrete)];
    return names.flatMap((name) => {
      const place = concrete.replace(/<[^>]*>/, name);
      const lists = this.#scope.table.lists.get(place);
      const tables = section.section.repeated ? (lists ?? []) : [this.#scope.table];
      return tables.map((table) => this.#reader({ table, name, pattern: path, concrete: place }));
    });
  }

  bag(place: SectionKeys | Key<Bag> | Key<Bag | undefined>): Bag {
    const path =
      'section' in place && typeof place.section !== 'string' ? place.section.path : (place as Key<Bag>).path;
    const concrete = this.#concrete(path);
    const [prefix = '', suffix = ''] = concrete.includes('<') ? concrete.split(/<[^>]*>/) : [`${concrete}.`];
    const bag: Record<string, string> = {};
    for (const [written, value] of this.#scope.table.values) {
      if (written.startsWith(prefix) && written.endsWith(suffix)) {
        bag[written.slice(prefix.length, written.length - suffix.length)] = String(value.raw);
      }
    }
    return bag;
  }

  /** The value behind a key with its source; defaults included. */
  value(key: Key<unknown>): Value | undefined {
    const path = this.#pathOf(key);
    return this.#scope.table.values.get(path) ?? this.#defaultOf(path);
  }

  #reader(scope: Scope): Reader {
    return new TableReader(scope, this.#defaultOf);
  }

  #pathOf(key: Key<unknown>): string {
    return this.#concrete(key.path);
  }

  #concrete(path: string): string {
    const { pattern, concrete } = this.#scope;
    return pattern !== '' && path.startsWith(pattern) ? `${concrete}${path.slice(pattern.length)}` : path;
  }

  #namesIn(concrete: string): Set<string> {
    const [prefix = '', choice = '', suffix = ''] = concrete.split(/(<[^>]*>)/);
    const choices = choice.includes('|') ? choice.slice(1, -1).split('|') : undefined;
    const { headers, values, lists } = this.#scope.table;
    const names = new Set<string>();
    for (const path of [...headers.keys(), ...values.keys(), ...lists.keys()]) {
      const name = path.startsWith(prefix) ? (path.slice(prefix.length).split('.', 1)[0] ?? '') : '';
      const isSectionBelow = suffix === '' || path.startsWith(`${prefix}${name}${suffix}`);
      if (choices && !choices.includes(name)) continue;
      if (name !== '' && isSectionBelow && concrete.replace(/<[^>]*>/, name).length <= path.length) names.add(name);
    }
    return names;
  }
}

/** The configuration of one file. Immutable; a reload makes a new one. */
export class Config extends TableReader {
  readonly catalog: Catalog;
  readonly file: string;
  readonly #table: ValueTable;
  readonly #defaultOf: DefaultOf;

  constructor(table: ValueTable, facts: { catalog: Catalog; file: string; defaultOf: DefaultOf }) {
    const cache = new Map<string, Value | undefined>();
    const defaultOf: DefaultOf = (path) => {
      if (!cache.has(path)) cache.set(path, facts.defaultOf(path));
      return cache.get(path);
    };
    super({ table, name: '', pattern: '', concrete: '' }, defaultOf);
    this.catalog = facts.catalog;
    this.file = facts.file;
    this.#table = table;
    this.#defaultOf = defaultOf;
  }

  /** True for the dashboard's own file. */
  get dashboard(): boolean {
    return this.catalog.sections[0]?.section.file === 'dashboard';
  }

  /** True when a value is a secret that could not be decrypted because no key store was opened. */
  get hasLockedSecrets(): boolean {
    return hasLocked(this.#table);
  }

  /** The value of a key, or undefined when it is a secret that is still locked. */
  readable<T>(key: Key<T>): T | undefined {
    return this.value(key)?.raw === lockedSecret ? undefined : this.get(key);
  }

  /** The table with `name` of a section whose name the file chooses; it has its defaults also when it is not written. */
  named(section: SectionKeys, name: string): Reader {
    const pattern = section.section.path;
    const scope = { table: this.#table, name, pattern, concrete: pattern.replace(/<[^>]*>/, name) };
    return new TableReader(scope, this.#defaultOf);
  }

  /** Everything about the key at `path`, in any of its spellings; undefined when no such key is known. */
  explain(path: string): Explanation | undefined {
    return explainKey(path, { catalog: this.catalog, table: this.#table, defaultOf: this.#defaultOf });
  }

  /** Every key with a value, defaults and inferred values included; secrets masked. */
  effective(): readonly Effective[] {
    return effectiveConfiguration({ catalog: this.catalog, table: this.#table, defaultOf: this.#defaultOf });
  }

  /** Every key that the file sets; secrets masked. */
  written(): readonly Effective[] {
    return writtenConfiguration(this.#table);
  }

  /** What differs in `next`, and whether a reload is enough. */
  changesTo(next: Config): readonly Change[] {
    return changesBetween(this.#table, next.#table);
  }

  /** This configuration with the values of `next` for keys that can be reloaded, and the other keys that differ. */
  reloadedFrom(next: Config): { readonly applied: Config; readonly needRestart: readonly string[] } {
    const changes = changesBetween(this.#table, next.#table);
    const values = new Map(this.#table.values);
    for (const { path, reload } of changes) {
      if (!reload) continue;
      const value = next.#table.values.get(path);
      if (value) values.set(path, value);
      else values.delete(path);
    }
    const facts = { catalog: this.catalog, file: this.file, defaultOf: this.#defaultOf };
    return {
      applied: new Config({ ...this.#table, values }, facts),
      needRestart: changes.filter(({ reload }) => !reload).map(({ path }) => path),
    };
  }

  /** Replaces `${name}` placeholders such as `${mgt.transport.https.port}`; unknown names stay. */
  resolveRuntime(text: string, runtime: RuntimeValues): string {
    return resolveRuntime(text, runtime);
  }
}

function hasLocked(table: ValueTable): boolean {
  const own = [...table.values.values()].some(({ raw }) => raw === lockedSecret);
  return own || [...table.lists.values()].flat().some((item) => hasLocked(item));
}
