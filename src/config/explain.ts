import { formatPosition } from '#errors';
import type { Key, Treatment } from './catalog/define.ts';
import type { Raw } from './catalog/types.ts';
import type { ConfigFacts } from './effective.ts';
import { honouredKeys } from './honoured.ts';
import { shown } from './mask.ts';
import type { Source, Value, ValueTable } from './values.ts';

/** Whether a key does what it says: a test shows its effect, it is accepted without one, or it waits to be built. */
export type Status = 'honoured' | 'inert' | 'pending';

/** Everything about one key and its value. */
export interface Explanation {
  readonly path: string;
  /** The path that was asked for, when it is another spelling. */
  readonly spelling: string | undefined;
  /** Masked when secret; the values of all tables when the section is repeated. */
  readonly values: readonly { readonly value: Raw; readonly source: string }[];
  readonly doc: string;
  readonly type: string;
  readonly allowed: readonly (string | boolean)[];
  readonly unit: string | undefined;
  readonly default: Raw | undefined;
  readonly note: string | undefined;
  readonly whenAbsent: string | undefined;
  readonly required: boolean;
  readonly aliases: readonly string[];
  readonly treatment: Treatment;
  readonly effect: string;
  readonly status: Status;
  readonly documented: boolean;
  readonly reload: boolean;
}

/** Everything about the key at `path` in any spelling; undefined when the catalog has no such key. */
export function explainKey(path: string, facts: ConfigFacts): Explanation | undefined {
  const plain = path.replaceAll(/['"]|\[\d*\]/g, '');
  const meaning = facts.catalog.meaningOf(plain);
  const canonical = meaning?.paths[0];
  if (!meaning || canonical === undefined) return undefined;
  const { key } = meaning;
  const found = valuesAt(facts.table, canonical);
  const fallback = found.length === 0 ? facts.defaultOf(canonical) : undefined;
  return {
    path: canonical,
    spelling: canonical === plain ? undefined : plain,
    values: [...found, ...(fallback ? [fallback] : [])].map((value) => ({
      value: shown(value),
      source: describeSource(value.source, canonical),
    })),
    doc: key.doc,
    type: key.type.name,
    allowed: key.type.allowed ?? [],
    unit: key.type.unit,
    default: key.default,
    note: key.note,
    whenAbsent: key.whenAbsent,
    required: key.required,
    aliases: key.aliases,
    treatment: key.treatment,
    effect: key.effect,
    status: statusOf(key),
    documented: key.documented,
    reload: key.reload,
  };
}

/** Whether the key is honoured, inert or pending. */
export function statusOf(key: Key<unknown>, honoured: ReadonlySet<string> = honouredKeys): Status {
  if (key.treatment === 'inert') return 'inert';
  return honoured.has(idOf(key)) ? 'honoured' : 'pending';
}

/** The name of a key in the list of honoured keys; another spelling counts as the key that it stands for. */
export function idOf(key: Key<unknown>): string {
  const path = key.spellingOf ?? key.path;
  return key.file === 'dashboard' ? `dashboard:${path}` : path;
}

/** Where the value at `path` came from, for a person. */
export function describeSource(source: Source, path: string): string {
  if (source.kind === 'inferred') return `inferred from ${source.trigger}`;
  const from = source.kind === 'absent' || source.from.length === 0 ? '' : ` (from ${source.from.join(', ')})`;
  if (source.kind === 'default') return `default${from}`;
  if (source.kind === 'absent') return 'absent';
  const spelling = source.written === path ? '' : `, written ${source.written}`;
  return `${formatPosition(source.position)}${spelling}${from}`;
}

function valuesAt(table: ValueTable, path: string): Value[] {
  const own = table.values.get(path);
  const nested = [...table.lists.values()].flat().flatMap((item) => valuesAt(item, path));
  return own ? [own, ...nested] : nested;
}
