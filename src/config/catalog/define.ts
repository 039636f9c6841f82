import type { Raw, ValueType } from './types.ts';

/** What the key's effect is worth here: it works, it works in Node's own way, or it is accepted and means nothing. */
export type Treatment = 'effect' | 'mapped' | 'inert';

/** One key of the configuration: its place, its type, and everything that is known about it. */
export interface Key<T> {
  /** `server` for the server's file, `dashboard` for the dashboard's. */
  readonly file: 'server' | 'dashboard';
  /** Path of the section; empty for keys before the first header. */
  readonly section: string;
  /** Name below the section; may hold dots. `<name>` stands for a name that the file chooses. */
  readonly name: string;
  /** `section.name`; what problems and commands show. */
  readonly path: string;
  readonly type: ValueType<T>;
  /** The documented default, as it could be written in the file. */
  readonly default: Raw | undefined;
  /** More about the default: whose value it is, or what a sample shows. */
  readonly note: string | undefined;
  /** What holds when the key is absent, where that is not the documented default. */
  readonly whenAbsent: string | undefined;
  readonly required: boolean;
  /** False for keys that the configuration document does not name. */
  readonly documented: boolean;
  /** Other spellings: from the root when the first name is a known section, else relative to the section. */
  readonly aliases: readonly string[];
  /** The path of the key of which this one is only another spelling. */
  readonly spellingOf: string | undefined;
  readonly doc: string;
  readonly treatment: Treatment;
  /** What the key does here; for inert keys the reason why it does nothing. */
  readonly effect: string;
  readonly secret: boolean;
  /** True when `millrace reload` applies a change. */
  readonly reload: boolean;
}

/** A table of the configuration file. */
export interface Section {
  readonly path: string;
  /** True when written as `[[path]]`. */
  readonly repeated: boolean;
  /** `server` for the server's file, `dashboard` for the dashboard's. */
  readonly file: 'server' | 'dashboard';
  readonly doc: string;
}

/** Any group of keys made by `defineSection`. */
export interface SectionKeys {
  readonly section: Section;
}

interface CommonFacts {
  readonly doc: string;
  /** Exactly one of `effect`, `mapped` (an idea of the Java virtual machine, translated) and `inert` (with the reason). */
  readonly effect?: string;
  readonly mapped?: string;
  readonly inert?: string;
  readonly note?: string;
  readonly whenAbsent?: string;
  readonly required?: true;
  readonly additional?: true;
  readonly aliases?: readonly string[];
  readonly spellingOf?: string;
  readonly reload?: true;
}

/** Facts of a key that always has a value. */
interface FactsWithDefault extends CommonFacts {
  readonly default: Raw;
}

/** Facts of a key that may have no value: without default, or with one that refers to another key. */
interface FactsWithoutDefault extends CommonFacts {
  /** A default with placeholders, such as `$ref{super_admin.username}`. */
  readonly defaultFrom?: string;
  /** A documented default that does not apply, because absence means what `whenAbsent` says. */
  readonly documentedDefault?: Raw;
}

interface AnyFacts extends CommonFacts {
  readonly default?: Raw;
  readonly defaultFrom?: string;
  readonly documentedDefault?: Raw;
}

/** Declares one key of a section; `name` as in the file. */
export function key<T>(name: string, type: ValueType<T>, facts: FactsWithDefault): Key<T>;
export function key<T>(name: string, type: ValueType<T>, facts: FactsWithoutDefault): Key<T | undefined>;
export function key<T>(name: string, type: ValueType<T>, facts: AnyFacts): Key<T | undefined> {
  return {
    file: 'server',
    section: '',
    name,
    path: name,
    type,
    default: facts.default ?? facts.defaultFrom ?? facts.documentedDefault,
    note: facts.note,
    whenAbsent: facts.whenAbsent,
    required: facts.required === true,
    documented: facts.additional !== true,
    aliases: facts.aliases ?? [],
    spellingOf: facts.spellingOf,
    doc: facts.doc,
    treatment: facts.inert === undefined ? (facts.mapped === undefined ? 'effect' : 'mapped') : 'inert',
    effect: facts.inert ?? facts.mapped ?? facts.effect ?? '',
    secret: type.secret === true,
    reload: facts.reload === true,
  };
}

interface SectionDeclaration<Keys> {
  readonly path: string;
  readonly doc: string;
  readonly repeated?: true;
  readonly file?: 'dashboard';
  readonly keys: Keys;
}

/** Declares a section; the result holds its keys by their property names, and the section itself as `section`. */
export function defineSection<Keys extends Readonly<Record<string, Key<unknown>>>>(
  declaration: SectionDeclaration<Keys>,
): Keys & SectionKeys {
  const { path, doc } = declaration;
  const section: Section = { path, doc, repeated: declaration.repeated === true, file: declaration.file ?? 'server' };
  const placed = Object.entries(declaration.keys).map(([property, key]) => [
    property,
    Object.freeze({ ...key, file: section.file, section: path, path: path === '' ? key.name : `${path}.${key.name}` }),
  ]);
  return Object.freeze({ ...(Object.fromEntries(placed) as Keys), section: Object.freeze(section) });
}

/** The keys of a section, in the order of their declaration. */
export function keysOf(section: SectionKeys): readonly Key<unknown>[] {
  return Object.entries(section)
    .filter(([property]) => property !== 'section')
    .map(([, key]) => key as Key<unknown>);
}
