import type { Position } from '#errors';
import type { Catalog } from './catalog/catalog.ts';
import type { Raw } from './catalog/types.ts';
import type { Document, Entry } from './document.ts';
import type { Findings } from './findings.ts';
import { infer } from './inference.ts';
import { hasPlaceholder, lockedSecret, PlaceholderError, resolvePlaceholders, type Resolved } from './placeholders.ts';
import { SecretTable } from './secret-table.ts';
import type { Source, Value, ValueTable } from './values.ts';

/** What the values of a file depend on besides its text. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly systemProperties: Readonly<Record<string, string>>;
  /** Turns the Base64 text of an encrypted secret into plain text; secrets stay locked without it. */
  readonly decrypt?: ((cipherText: string) => string) | undefined;
}

/** Resolves placeholders, adds what can be inferred, and reads every value as its key's type. */
export class Evaluator {
  readonly #root: Document;
  readonly #catalog: Catalog;
  readonly #findings: Findings;
  readonly #surroundings: Surroundings;
  readonly #secrets: SecretTable;
  readonly #resolved = new Map<Entry, Resolved | undefined>();
  /** Paths whose references are being followed, outermost first. */
  readonly #following: string[] = [];
  #inferred: ReadonlyMap<string, Value> = new Map();

  constructor(root: Document, facts: { catalog: Catalog; findings: Findings; surroundings: Surroundings }) {
    this.#root = root;
    this.#catalog = facts.catalog;
    this.#findings = facts.findings;
    this.#surroundings = facts.surroundings;
    this.#secrets = new SecretTable(root, (entry) => this.#resolve(entry)?.raw, facts.surroundings.decrypt);
  }

  evaluate(): ValueTable {
    const paths = [...this.#root.entries.keys()];
    const derived = infer(paths, (path) => this.#resolvedRaw(path));
    const inferred = new Map<string, Value>();
    this.#inferred = inferred;
    for (const { path, raw, trigger } of derived.values()) {
      const value = this.#inferredValue(path, { raw, trigger });
      if (value) inferred.set(path, value);
    }
    const table = this.#table(this.#root);
    return { ...table, values: new Map([...inferred, ...table.values]) };
  }

  /** The value that `path` has when nothing is written: the default, with references to other keys followed. */
  defaultOf(path: string): Value | undefined {
    const key = this.#catalog.find(path);
    if (key?.default === undefined || key.whenAbsent !== undefined) return undefined;
    try {
      const resolved = resolvePlaceholders(key.default, this.#sources());
      const parsed = key.type.parse(resolved.raw);
      if (!parsed.ok) return undefined;
      const source: Source = { kind: 'default', from: resolved.from };
      return { path, key, raw: resolved.raw, typed: parsed.value, source, secret: key.secret || resolved.secret };
    } catch (error) {
      // A default that refers to a key without value is no default.
      if (error instanceof PlaceholderError) return undefined;
      throw error;
    }
  }

  #table(document: Document): ValueTable {
    const values = new Map<string, Value>();
    for (const entry of document.entries.values()) {
      const value = this.#value(entry);
      if (value) values.set(entry.path, value);
    }
    const lists = new Map<string, ValueTable[]>();
    for (const [path, items] of document.lists) {
      lists.set(
        path,
        items.map((item) => this.#table(item)),
      );
    }
    return {
      position: document.position,
      values,
      written: new Set(document.entries.keys()),
      headers: document.headers,
      lists,
    };
  }

  #value(entry: Entry): Value | undefined {
    const { key, path } = entry;
    const isSecretTable = key.section === 'secrets';
    const resolved = isSecretTable ? { raw: entry.raw, from: [], secret: true } : this.#resolve(entry);
    if (!resolved) return undefined;
    const source: Source = { kind: 'file', position: entry.valuePosition, written: entry.written, from: resolved.from };
    const secret = key.secret || resolved.secret;
    const facts = { path, key, raw: resolved.raw, source, secret };
    if (key.type.bag || resolved.raw === lockedSecret) return { ...facts, typed: String(resolved.raw) };
    const parsed = key.type.parse(resolved.raw);
    if (parsed.ok) return { ...facts, typed: parsed.value };
    this.#findings.add('MR_CONFIG_VALUE', {
      message: `${entry.written} expects ${parsed.expected}${secret ? '' : `, not ${show(resolved.raw)}`}`,
      position: entry.valuePosition,
      hint: hintFor(resolved, key.type.allowed),
    });
    return undefined;
  }

  #inferredValue(path: string, derived: { raw: Raw; trigger: string }): Value | undefined {
    const key = this.#catalog.find(path);
    if (!key) return undefined;
    const resolved = this.#attempt(() => resolvePlaceholders(derived.raw, this.#sources()));
    const parsed = resolved && key.type.parse(resolved.raw);
    if (!resolved || !parsed?.ok) return undefined;
    const source: Source = { kind: 'inferred', trigger: derived.trigger };
    return { path, key, raw: resolved.raw, typed: parsed.value, source, secret: key.secret || resolved.secret };
  }

  #resolvedRaw(path: string): Raw | undefined {
    const entry = this.#root.entries.get(path);
    return entry && this.#resolve(entry)?.raw;
  }

  #resolve(entry: Entry): Resolved | undefined {
    if (!hasPlaceholder(entry.raw)) return { raw: entry.raw, from: [], secret: false };
    if (this.#resolved.has(entry)) return this.#resolved.get(entry);
    this.#following.push(entry.path);
    const resolved = this.#attempt(() => resolvePlaceholders(entry.raw, this.#sources()), entry);
    this.#following.pop();
    this.#resolved.set(entry, resolved);
    return resolved;
  }

  #attempt(action: () => Resolved, entry?: Entry): Resolved | undefined {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof PlaceholderError)) throw error;
      if (entry && !error.reported) {
        this.#findings.add(error.code, {
          message: `${error.placeholder} in ${entry.written}: ${error.message}`,
          position: this.#positionIn(entry, error.placeholder),
          hint: error.hint,
        });
      }
      return undefined;
    }
  }

  #positionIn(entry: Entry, placeholder: string): Position {
    const line = this.#findings.lineAt(entry.valuePosition);
    const at = line.indexOf(placeholder, entry.valuePosition.column - 1);
    return at < 0 ? entry.valuePosition : { ...entry.valuePosition, column: at + 1 };
  }

  #sources() {
    return {
      env: this.#surroundings.env,
      systemProperties: this.#surroundings.systemProperties,
      reference: (path: string) => this.#reference(path),
      secret: (alias: string) => this.#secrets.plain(alias),
    };
  }

  #reference(written: string): Raw {
    const placeholder = `$ref{${written}}`;
    const path = this.#catalog.meaningOf(written)?.paths[0] ?? written;
    if (this.#following.includes(path)) {
      throw new PlaceholderError('MR_CONFIG_REFERENCE_CYCLE', {
        placeholder,
        message: `the reference leads back to itself: ${[...this.#following, path].join(' -> ')}`,
      });
    }
    const entry = this.#root.entries.get(path);
    const raw = entry ? this.#resolve(entry)?.raw : this.#unwritten(path);
    if (raw !== undefined) return raw;
    if (entry) {
      const message = `${written} cannot be resolved itself`;
      throw new PlaceholderError('MR_CONFIG_REFERENCE', { placeholder, message, reported: true });
    }
    const isTable = this.#root.headers.has(path) || this.#root.lists.has(path);
    const near = this.#catalog.find(path) ? undefined : this.#catalog.nearest(path);
    throw new PlaceholderError('MR_CONFIG_REFERENCE', {
      placeholder,
      message: isTable ? `${written} is a table; only a value or a list can be referred to` : `${written} has no value`,
      ...(near !== undefined && { hint: `did you mean $ref{${near}}?` }),
    });
  }

  #unwritten(path: string): Raw | undefined {
    this.#following.push(path);
    const raw = this.#inferred.get(path)?.raw ?? this.defaultOf(path)?.raw;
    this.#following.pop();
    return raw;
  }
}

function show(raw: Raw): string {
  return JSON.stringify(raw);
}

function hintFor(resolved: Resolved, allowed: readonly (string | boolean)[] | undefined): string | undefined {
  const text = String(resolved.raw).toLowerCase();
  const meant = allowed?.find((value) => String(value).toLowerCase() === text);
  if (meant !== undefined) return `write ${JSON.stringify(meant)}: upper and lower case count`;
  return resolved.from.length > 0 ? `the value came from ${resolved.from.join(', ')}` : undefined;
}
