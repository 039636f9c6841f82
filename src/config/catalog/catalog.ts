import { nearestName } from '#errors';
import { keysOf, type Key, type Section, type SectionKeys } from './define.ts';
import { mappings, sectionSpellings } from './mappings.ts';
import { PathPattern } from './path-pattern.ts';
import { dashboardSections, serverSections } from './sections.ts';

/** What a written path means. */
export interface Meaning {
  /** The canonical paths that take the value; more than one where a spelling sets several keys. */
  readonly paths: readonly string[];
  readonly key: Key<unknown>;
  readonly inverted: boolean;
  /** Place in the order of preference: 0 for the canonical spelling, then the aliases as they are listed. */
  readonly rank: number;
}

interface Pattern<T> {
  readonly pattern: PathPattern;
  readonly target: T;
}

/** All keys of one file's format, found by the paths that people write. */
export class Catalog {
  readonly sections: readonly SectionKeys[];
  readonly keys: readonly Key<unknown>[];
  readonly #exact = new Map<string, Key<unknown>>();
  readonly #patterns: Pattern<Key<unknown>>[] = [];
  readonly #aliases = new Map<string, Meaning>();
  readonly #aliasPatterns: Pattern<Key<unknown>>[] = [];
  readonly #sections = new Map<string, Section>();
  readonly #sectionPatterns: Pattern<Section>[] = [];
  /** Names of the keys of each section, for suggestions. */
  readonly #names = new Map<string, string[]>();
  readonly #nearSections = new Map<string, string | undefined>();
  readonly #userStoreKeys = new Map<string, Key<unknown>>();

  constructor(sections: readonly SectionKeys[]) {
    this.sections = sections;
    this.keys = sections.flatMap((section) => keysOf(section));
    for (const { section } of sections) {
      if (section.path.includes('<')) {
        this.#sectionPatterns.push({ pattern: new PathPattern(section.path), target: section });
      } else {
        this.#sections.set(section.path, section);
      }
    }
    for (const key of this.keys) this.#addKey(key);
    this.#patterns.sort((left, right) => left.pattern.generality - right.pattern.generality);
    const roots = new Set([...this.keys.map((key) => rootOf(key.path)), ...extraRoots]);
    for (const key of this.keys) this.#addAliases(key, roots);
    for (const mapping of mappings) {
      const key = this.find(mapping.to[0] ?? '');
      if (key) this.#addMeaning(mapping.from, { paths: mapping.to, key, inverted: mapping.inverted === true, rank: 1 });
    }
  }

  /** The key at a canonical path; names chosen by the file match the wildcards. */
  find(path: string): Key<unknown> | undefined {
    return this.#exact.get(path) ?? this.#patterns.find(({ pattern }) => pattern.matches(path))?.target;
  }

  /** What `path`, as written, stands for; undefined when nothing is known by that name. */
  meaningOf(path: string): Meaning | undefined {
    const exact = this.#exact.get(path);
    if (exact?.spellingOf !== undefined) return this.#spelling(exact.spellingOf);
    if (exact) return { paths: [path], key: exact, inverted: false, rank: 0 };
    return this.#aliases.get(path) ?? this.#aliasByPattern(path) ?? this.#byWildcard(path) ?? this.#byOtherName(path);
  }

  /** The section at `path`; a section with its own name wins over one with wildcards. */
  section(path: string): Section | undefined {
    return this.#sections.get(path) ?? this.#sectionPatterns.find(({ pattern }) => pattern.matches(path))?.target;
  }

  /** The known path that is most like `path`: a neighbour in the same section, else the same name in a similar one. */
  nearest(path: string): string | undefined {
    const sectionPath = this.#longestSection(path);
    if (sectionPath !== undefined) {
      const neighbours = this.#neighbours(sectionPath);
      const name = sectionPath === '' ? path : path.slice(sectionPath.length + 1);
      const near = nearestName(name, neighbours);
      if (near !== undefined) return sectionPath === '' ? near : `${sectionPath}.${near}`;
    }
    const cut = path.lastIndexOf('.');
    const section = this.#nearestSection(path.slice(0, Math.max(0, cut)));
    const near = section === undefined ? undefined : nearestName(path.slice(cut + 1), this.#neighbours(section));
    return near === undefined ? undefined : `${section}.${near}`;
  }

  #addKey(key: Key<unknown>): void {
    if (key.path.includes('<')) {
      this.#patterns.push({ pattern: new PathPattern(key.path, true), target: key });
    } else {
      this.#exact.set(key.path, key);
      // A table of free properties is found by any name below its own.
      if (key.type.bag) {
        this.#patterns.push({ pattern: new PathPattern(`${key.path}.<name>`, true), target: key });
      }
    }
    if (!key.name.includes('<')) this.#names.set(key.section, [...(this.#names.get(key.section) ?? []), key.name]);
    if (key.section === 'user_store.properties') this.#userStoreKeys.set(plainName(key.name), key);
  }

  #addAliases(key: Key<unknown>, roots: ReadonlySet<string>): void {
    for (const [index, written] of key.aliases.entries()) {
      const alias = written.replaceAll("'", '').replace(/ \(.*\)$/, '');
      const from = roots.has(rootOf(alias)) ? alias : `${key.section}.${alias}`;
      if (from.includes('<')) {
        this.#aliasPatterns.push({ pattern: new PathPattern(from, true), target: key });
      } else {
        const path = key.path.replace('<http|https>', 'https');
        this.#addMeaning(from, { paths: [path], key, inverted: false, rank: index + 1 });
      }
    }
  }

  #addMeaning(from: string, meaning: Meaning): void {
    if (this.#exact.has(from)) return;
    const present = this.#aliases.get(from);
    const paths = present ? [...new Set([...present.paths, ...meaning.paths])] : meaning.paths;
    this.#aliases.set(from, {
      ...(present ?? meaning),
      paths,
      inverted: meaning.inverted || present?.inverted === true,
    });
  }

  #spelling(target: string): Meaning | undefined {
    const key = this.find(target);
    return key && { paths: [target], key, inverted: false, rank: 1 };
  }

  /** A key with a name of its own, in a section whose name the file chooses: free properties do not hide it. */
  #ownNameBelowWildcard(path: string): Meaning | undefined {
    const found = this.#patterns.find(({ pattern }) => !pattern.path.endsWith('>') && pattern.matches(path));
    return found && { paths: [path], key: found.target, inverted: false, rank: 0 };
  }

  #aliasByPattern(path: string): Meaning | undefined {
    for (const { pattern, target } of this.#aliasPatterns) {
      const name = pattern.nameIn(path);
      const canonical = name === undefined ? undefined : target.path.replace(/<[^>]*>/, name);
      if (canonical !== undefined) {
        return this.#ownNameBelowWildcard(path) ?? { paths: [canonical], key: target, inverted: false, rank: 1 };
      }
    }
    return undefined;
  }

  #byWildcard(path: string): Meaning | undefined {
    const found = this.#patterns.find(({ pattern }) => pattern.matches(path));
    if (!found) return undefined;
    return this.#aliasOfNamedTable(path) ?? { paths: [path], key: found.target, inverted: false, rank: 0 };
  }

  /** Aliases of keys below a wildcard section, such as `database.<name>.pool_options.max_active`. */
  #aliasOfNamedTable(path: string): Meaning | undefined {
    const section = this.section(parentOf(path)) ?? this.section(parentOf(parentOf(path)));
    if (!section?.path.includes('<')) return undefined;
    const depth = section.path.split('.').length;
    const name = path.split('.').slice(depth).join('.');
    const key = this.keys.find((candidate) => candidate.section === section.path && candidate.aliases.includes(name));
    const base = path.split('.').slice(0, depth).join('.');
    return key && { paths: [`${base}.${key.name}`], key, inverted: false, rank: 1 };
  }

  #byOtherName(path: string): Meaning | undefined {
    for (const [from, to] of sectionSpellings) {
      if (path.startsWith(`${from}.`)) return this.#renamed(`${to}${path.slice(from.length)}`);
    }
    const name = /^user_store\.(?:properties\.)?([^.]+)$/.exec(path)?.[1];
    const key = name === undefined ? undefined : this.#userStoreKeys.get(plainName(name));
    return key ? { paths: [key.path], key, inverted: false, rank: 1 } : this.#aliasOfNamedTable(path);
  }

  #renamed(path: string): Meaning | undefined {
    const meaning = this.meaningOf(path);
    return meaning && { ...meaning, rank: meaning.rank + 1 };
  }

  #longestSection(path: string): string | undefined {
    for (let cut = path.lastIndexOf('.'); cut > 0; cut = path.lastIndexOf('.', cut - 1)) {
      const parent = path.slice(0, cut);
      if (this.section(parent)) return parent;
    }
    return path.includes('.') ? undefined : '';
  }

  #neighbours(sectionPath: string): readonly string[] {
    return this.#names.get(this.section(sectionPath)?.path ?? sectionPath) ?? [];
  }

  #nearestSection(path: string): string | undefined {
    if (!this.#nearSections.has(path)) {
      const known = [...this.#sections.keys()].filter((candidate) => candidate !== '');
      this.#nearSections.set(path, nearestName(path, known));
    }
    return this.#nearSections.get(path);
  }
}

/** First names of paths that occur only in aliases. */
const extraRoots = ['mi_super_admin', 'message_builder', 'message_formatter', 'synapse_properties', 'blocking'];

const catalogs = new Map<string, Catalog>();

/** The catalog of the server's or of the dashboard's file. */
export function catalogOf(file: 'server' | 'dashboard'): Catalog {
  let catalog = catalogs.get(file);
  if (!catalog) {
    catalog = new Catalog(file === 'server' ? serverSections : dashboardSections);
    catalogs.set(file, catalog);
  }
  return catalog;
}

function rootOf(path: string): string {
  return path.split('.', 1)[0] ?? '';
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.')));
}

/** User store properties are written `ConnectionURL`, `connection_url` or `connectionUrl`. */
function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
