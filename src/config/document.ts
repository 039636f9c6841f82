import type { Position } from '#errors';
import type { Catalog, Meaning } from './catalog/catalog.ts';
import type { Key } from './catalog/define.ts';
import type { Raw } from './catalog/types.ts';
import type { Findings } from './findings.ts';
import { placeOf } from './findings.ts';
import type { TomlTable, TomlValue } from './toml.ts';
import { reportUnknown } from './unknown.ts';

/** A value of the file under the canonical path of its key. */
export interface Entry {
  readonly path: string;
  readonly key: Key<unknown>;
  /** The path as the file spells it. */
  readonly written: string;
  readonly raw: Raw;
  readonly position: Position;
  readonly valuePosition: Position;
  /** Preference among spellings of one key; 0 is the canonical one. */
  readonly rank: number;
}

/** The file, or one table of an array of tables, with canonical paths. */
export interface Document {
  readonly position: Position;
  readonly entries: Map<string, Entry>;
  readonly headers: Map<string, Position>;
  readonly lists: Map<string, Document[]>;
}

/** Gives every value of `table` its canonical path; unknown and contradicting keys go to `findings`. */
export function canonicalize(table: TomlTable, catalog: Catalog, findings: Findings): Document {
  return new Canonicalizer(catalog, findings).document(table);
}

class Canonicalizer {
  readonly #catalog: Catalog;
  readonly #findings: Findings;
  /** Unknown paths that are reported already: the tables of one array mostly have the same keys. */
  readonly #unknown = new Set<string>();
  readonly #namedItems = new Map<string, Document>();

  constructor(catalog: Catalog, findings: Findings) {
    this.#catalog = catalog;
    this.#findings = findings;
  }

  /** `inside` is the path of the array of tables that the table is an item of. */
  document(table: TomlTable, inside = ''): Document {
    const document: Document = {
      position: table.position,
      entries: new Map(),
      headers: new Map(table.headers),
      lists: new Map(),
    };
    for (const value of table.values) this.#addValue(document, value, inside);
    for (const [path, items] of table.lists) this.#addList(document, { path, items }, inside);
    return document;
  }

  #addValue(document: Document, value: TomlValue, inside: string): void {
    const written = value.path.join('.');
    const meaning = this.#catalog.meaningOf(written);
    if (!meaning) {
      if (this.#addToNamedItem(document, value)) return;
      if (this.#unknown.has(written)) return;
      this.#unknown.add(written);
      reportUnknown({ path: written, position: value.position }, this.#catalog, this.#findings);
      return;
    }
    for (const path of meaning.paths) {
      const target = this.#tableFor(document, { path, inside, position: value.position });
      this.#place(target, entryOf(path, value, meaning));
    }
  }

  /** `[datasource.Orders]` in place of `[[datasource]]`: the names of the tables tell its items apart. */
  #addToNamedItem(document: Document, value: TomlValue): boolean {
    const [root = '', name = '', ...rest] = value.path;
    const path = [root, ...rest].join('.');
    const meaning = this.#catalog.meaningOf(path);
    if (rest.length === 0 || !meaning || !this.#catalog.section(root)?.repeated) return false;
    const items = document.lists.get(root) ?? [];
    document.lists.set(root, items);
    const known = this.#namedItems.get(`${root}.${name}`);
    const item = known ?? emptyDocument(document.headers.get(`${root}.${name}`) ?? value.position);
    if (!known) {
      this.#namedItems.set(`${root}.${name}`, item);
      items.push(item);
    }
    this.#place(item, entryOf(meaning.paths[0] ?? path, value, meaning));
    return true;
  }

  /** A value below a repeated section that was written as `[x]` goes to the only item of that list. */
  #tableFor(document: Document, place: { path: string; inside: string; position: Position }): Document {
    const repeated = this.#repeatedSectionOf(place.path, place.inside);
    if (repeated === undefined) return document;
    const items = document.lists.get(repeated) ?? [];
    document.lists.set(repeated, items);
    const item = items[0] ?? emptyDocument(document.headers.get(repeated) ?? place.position);
    items[0] = item;
    return this.#tableFor(item, { ...place, inside: repeated });
  }

  #repeatedSectionOf(path: string, inside: string): string | undefined {
    const start = inside === '' ? 0 : inside.length + 1;
    for (let cut = path.indexOf('.', start); cut > 0; cut = path.indexOf('.', cut + 1)) {
      const parent = path.slice(0, cut);
      if (parent !== inside && this.#catalog.section(parent)?.repeated) return parent;
    }
    return undefined;
  }

  #addList(document: Document, list: { path: string; items: readonly TomlTable[] }, inside: string): void {
    const section = this.#catalog.section(list.path);
    if (section?.repeated) {
      const target = this.#tableFor(document, {
        path: list.path,
        inside,
        position: list.items[0]?.position ?? document.position,
      });
      const items = list.items.map((item) => this.document(item, list.path));
      target.lists.set(list.path, [...(target.lists.get(list.path) ?? []), ...items]);
      return;
    }
    for (const item of list.items) {
      const table = this.#asNamedTable(item, list.path) ?? item;
      this.#merge(document, this.document(table, inside), list.path);
    }
  }

  /** `[[parent]]` with a `name`, where the catalog has `[parent.<name>]`. */
  #asNamedTable(item: TomlTable, path: string): TomlTable | undefined {
    const depth = path.split('.').length;
    const name = item.values.find(
      (value) => value.path.at(-1) === 'name' && value.path.length === path.split('.').length + 1,
    );
    const isParentOfNamed = typeof name?.raw === 'string' && this.#catalog.section(`${path}.${name.raw}`) !== undefined;
    if (!isParentOfNamed) return undefined;
    const chosen = name.raw;
    const values = item.values.map((value) => {
      return { ...value, path: [...path.split('.'), chosen, ...value.path.join('.').split('.').slice(depth)] };
    });
    return { ...item, values };
  }

  #merge(document: Document, other: Document, path: string): void {
    for (const entry of other.entries.values()) {
      const present = document.entries.get(entry.path);
      if (present && present.position !== entry.position) {
        this.#findings.add('MR_CONFIG_REPEATED_TABLE', {
          message: `[[${path}]] is written more than once, but there is only one such table`,
          position: entry.position,
          hint: `${present.written} stands already on ${placeOf(present.position, this.#findings.file)}`,
        });
        return;
      }
      document.entries.set(entry.path, entry);
    }
    for (const [name, position] of other.headers) document.headers.set(name, position);
    document.headers.set(path, other.position);
    for (const [name, items] of other.lists) document.lists.set(name, [...(document.lists.get(name) ?? []), ...items]);
  }

  #place(document: Document, entry: Entry): void {
    const present = document.entries.get(entry.path);
    if (!present) {
      document.entries.set(entry.path, entry);
      return;
    }
    const winner = entry.rank < present.rank ? entry : present;
    const loser = winner === entry ? present : entry;
    document.entries.set(entry.path, winner);
    if (String(winner.raw) === String(loser.raw)) return;
    this.#findings.add('MR_CONFIG_CONTRADICTION', {
      severity: 'warning',
      message: `${loser.written} is not used: ${winner.written} on ${placeOf(winner.position, this.#findings.file)} sets the same`,
      position: loser.position,
      hint: `remove one of the two`,
    });
  }
}

function entryOf(path: string, value: TomlValue, meaning: Meaning): Entry {
  return {
    path,
    key: meaning.key,
    written: value.path.join('.'),
    raw: meaning.inverted ? invert(value.raw) : value.raw,
    position: value.position,
    valuePosition: value.valuePosition,
    rank: meaning.rank,
  };
}

function invert(raw: Raw): Raw {
  return /^(true|false)$/i.test(String(raw)) ? !/^true$/i.test(String(raw)) : raw;
}

function emptyDocument(position: Position): Document {
  return { position, entries: new Map(), headers: new Map(), lists: new Map() };
}
