import { parseTOML, type AST } from 'toml-eslint-parser';
import { ProblemsError } from '#errors';
import { Findings } from './findings.ts';
import { isPlain } from './secret-table.ts';
import { parseToml } from './toml.ts';

/** One alias of the `[secrets]` table. */
export interface SecretEntry {
  readonly alias: string;
  /** `plain` waits in square brackets for encryption; `dynamic` takes its encrypted text from outside. */
  readonly state: 'encrypted' | 'plain' | 'dynamic';
  readonly line: number;
}

/** The outcome of an edit: the new text of the file and the aliases that changed. */
export interface SecretsEdit {
  readonly text: string;
  readonly changed: readonly string[];
}

/** The aliases of the file in their order. Throws a `ProblemsError` when the text is no TOML. */
export function listSecrets(text: string, file: string): readonly SecretEntry[] {
  return secretPairs(text, file).map(({ alias, value, line }) => ({ alias, state: stateOf(value), line }));
}

/**
 * Replaces every value in square brackets by what `encrypt` makes of it. Comments, order, line ends and everything
 * outside these values stay as they are.
 */
export function encryptSecrets(text: string, file: string, encrypt: (plainText: string) => string): SecretsEdit {
  const pairs = secretPairs(text, file).filter(({ value }) => isPlain(value));
  let edited = text;
  for (const pair of [...pairs].reverse()) edited = replacePair(edited, pair, encrypt(pair.value.slice(1, -1)));
  return { text: edited, changed: pairs.map(({ alias }) => alias) };
}

/** Puts an encrypted value under `alias`: in its place when the alias exists, else at the end of `[secrets]`. */
export function setSecret(text: string, file: string, secret: { alias: string; cipherText: string }): SecretsEdit {
  const pairs = secretPairs(text, file);
  const present = pairs.find(({ alias }) => alias === secret.alias);
  const changed = [secret.alias];
  if (present) return { text: replacePair(text, present, secret.cipherText), changed };
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const line = `${quoteAlias(secret.alias)} = "${secret.cipherText}"`;
  const end = endOfTable(text);
  if (end === undefined) {
    const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
    return { text: `${text}${gap}${text === '' ? '' : lineEnd}[secrets]${lineEnd}${line}${lineEnd}`, changed };
  }
  return { text: `${text.slice(0, end)}${lineEnd}${line}${text.slice(end)}`, changed };
}

interface SecretPair {
  readonly alias: string;
  readonly value: string;
  readonly line: number;
  /** The alias as written, with its quotes. */
  readonly writtenAlias: string;
  readonly start: number;
  readonly end: number;
}

function secretPairs(text: string, file: string): SecretPair[] {
  const findings = new Findings(file, text);
  if (!parseToml(text, findings)) throw new ProblemsError(findings.problems);
  return secretTables(text).flatMap((table) =>
    table.body.flatMap((pair) => {
      const { key, value } = pair;
      if (value.type !== 'TOMLValue' || value.kind !== 'string') return [];
      return [
        {
          alias: key.keys.map((name) => (name.type === 'TOMLBare' ? name.name : name.value)).join('.'),
          value: value.value,
          line: key.loc.start.line,
          writtenAlias: textAt(text, key.range),
          start: offsetIn(text, pair.range[0]),
          end: offsetIn(text, value.range[1]),
        },
      ];
    }),
  );
}

function secretTables(text: string): AST.TOMLTable[] {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return parseTOML(source, { tomlVersion: '1.0' })
    .body[0].body.filter((statement) => statement.type === 'TOMLTable')
    .filter(({ resolvedKey }) => resolvedKey.length === 1 && resolvedKey[0] === 'secrets');
}

/** Where the last line of `[secrets]` ends: its last pair with the comment behind it, or the header. */
function endOfTable(text: string): number | undefined {
  const table = secretTables(text).at(-1);
  if (!table) return undefined;
  const last = offsetIn(text, table.body.at(-1)?.range[1] ?? table.key.range[1]);
  const lineEnd = /\r?\n|$/.exec(text.slice(last));
  return last + (lineEnd?.index ?? 0);
}

function replacePair(text: string, pair: SecretPair, cipherText: string): string {
  return `${text.slice(0, pair.start)}${pair.writtenAlias} = "${cipherText}"${text.slice(pair.end)}`;
}

function stateOf(value: string): SecretEntry['state'] {
  if (isPlain(value)) return 'plain';
  return /\$(env|sys)\{/.test(value) ? 'dynamic' : 'encrypted';
}

function quoteAlias(alias: string): string {
  return /^[A-Za-z0-9_-]+$/.test(alias) ? alias : JSON.stringify(alias);
}

function textAt(text: string, range: readonly [number, number]): string {
  return text.slice(offsetIn(text, range[0]), offsetIn(text, range[1]));
}

/** The parser does not see a byte order mark. */
function offsetIn(text: string, offset: number): number {
  return text.startsWith('\uFEFF') ? offset + 1 : offset;
}
