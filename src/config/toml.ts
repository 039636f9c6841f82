import { ParseError, parseTOML, type AST } from 'toml-eslint-parser';
import type { Position } from '#errors';
import type { Raw } from './catalog/types.ts';
import type { Findings } from './findings.ts';

/** One value of the file with the names that lead to it from the root; dots inside a quoted name stay in one name. */
export interface TomlValue {
  readonly path: readonly string[];
  readonly raw: Raw;
  readonly position: Position;
  readonly valuePosition: Position;
}

/** The file, or one table of an array of tables: values of sub-tables included, arrays of tables apart. */
export interface TomlTable {
  readonly position: Position;
  readonly values: TomlValue[];
  /** Headers and inline tables, by dotted path, also when they are empty. */
  readonly headers: Map<string, Position>;
  /** Arrays of tables by dotted path from the root. */
  readonly lists: Map<string, TomlTable[]>;
}

/**
 * Reads TOML as the original does: TOML 0.5, where an array holds values of one type. A leading byte order mark and
 * any line ends are accepted. Syntax errors go to `findings`; the result is then undefined.
 */
export function parseToml(text: string, findings: Findings): TomlTable | undefined {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    const program = parseTOML(source, { tomlVersion: '1.0' });
    return new TableBuilder(findings).build(program);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    reportSyntaxError(firstError(source, error), source, findings);
    return undefined;
  }
}

/** The parser finds repeated tables before repeated keys; the first fault in the file is what a person looks for. */
function firstError(source: string, error: ParseError): ParseError {
  const lineStart = source.lastIndexOf('\n', Math.max(0, error.index - 1)) + 1;
  if (!error.message.includes('multiple times') || lineStart === 0) return error;
  const before = source.slice(0, lineStart);
  try {
    parseTOML(before, { tomlVersion: '1.0' });
    return error;
  } catch (earlier) {
    return earlier instanceof ParseError ? firstError(before, earlier) : error;
  }
}

function reportSyntaxError(error: ParseError, source: string, findings: Findings): void {
  const lines = source.split(/\r\n|\n|\r/);
  const atLineEnd = error.column === 0 && error.lineNumber > 1 && !error.message.includes('multiple times');
  const line = atLineEnd ? error.lineNumber - 1 : error.lineNumber;
  const column = atLineEnd ? (lines[line - 1]?.length ?? 0) + 1 : error.column + 1;
  findings.add('MR_CONFIG_SYNTAX', {
    message: `not valid TOML: ${explainSyntax(error.message)}`,
    position: { file: findings.file, line, column },
    hint: hintForSyntax(error, lines[line - 1] ?? ''),
  });
}

/** The parser's short texts in words that say what was expected. */
const syntaxTexts: Readonly<Record<string, string>> = {
  'Unterminated string constant': 'the text has no closing quote on this line',
  'Unterminated table-key': 'expected "]" at the end of the table header',
  'Unterminated array': 'expected "]" at the end of the array',
  'Unterminated inline table': 'expected "}" at the end of the inline table',
  'Must be a newline': 'expected the end of the line after the value',
  'Expected equal (=) token': 'expected "=" after the key',
  'Unspecified values are invalid': 'expected a value after "="',
  'Expected comma (,) token': 'expected "," or the end of the array',
  'Defining a key multiple times is invalid': 'the key or table is already defined',
  'Unexpected character': 'expected a value: a quoted text, a number, true, false, an array or an inline table',
  'The key, equals sign, and value must be on the same line':
    'expected the rest of the header or "key = value" on this line',
};

function explainSyntax(message: string): string {
  return syntaxTexts[message] ?? message.charAt(0).toLowerCase() + message.slice(1);
}

function hintForSyntax(error: ParseError, line: string): string | undefined {
  if (error.message.includes('multiple times')) return 'remove one of the two, or merge them';
  const value = /=\s*([^"'\s#[{][^#]*?)\s*(#.*)?$/.exec(line)?.[1];
  const isBareText = value !== undefined && !/^[\d+-]|^(true|false|inf|nan)$/.test(value);
  return isBareText ? 'texts need quotes, as in key = "text"' : undefined;
}

/** Turns the syntax tree into flat tables. */
class TableBuilder {
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  build(program: AST.TOMLProgram): TomlTable {
    const root = newTable({ file: this.#findings.file, line: 1, column: 1 });
    for (const statement of program.body[0].body) {
      if (statement.type === 'TOMLKeyValue') this.#addPair(root, [], statement);
      else this.#addTable(root, statement);
    }
    return root;
  }

  #addTable(root: TomlTable, statement: AST.TOMLTable): void {
    const position = this.#at(statement);
    let table = root;
    const path: string[] = [];
    for (const step of statement.resolvedKey) {
      if (typeof step === 'string') path.push(step);
      else table = itemOf(table, { path, index: step, position });
    }
    if (statement.kind === 'standard') table.headers.set(path.join('.'), position);
    for (const pair of statement.body) this.#addPair(table, path, pair);
  }

  #addPair(table: TomlTable, base: readonly string[], pair: AST.TOMLKeyValue): void {
    const path = [...base, ...pair.key.keys.map((name) => (name.type === 'TOMLBare' ? name.name : name.value))];
    const position = this.#at(pair.key);
    if (pair.value.type === 'TOMLInlineTable') {
      table.headers.set(path.join('.'), position);
      for (const inner of pair.value.body) this.#addPair(table, path, inner);
    } else if (pair.value.type === 'TOMLArray' && isListOfTables(pair.value)) {
      for (const [index, element] of pair.value.elements.entries()) {
        const item = itemOf(table, { path, index, position: this.#at(element) });
        if (element.type === 'TOMLInlineTable') for (const inner of element.body) this.#addPair(item, path, inner);
      }
    } else {
      table.values.push({ path, raw: this.#rawOf(pair.value), position, valuePosition: this.#at(pair.value) });
    }
  }

  #rawOf(node: AST.TOMLContentNode): Raw {
    if (node.type === 'TOMLArray') return this.#rawArray(node);
    if (node.type === 'TOMLInlineTable') return '';
    if ('datetime' in node) return node.datetime;
    return node.value;
  }

  #rawArray(node: AST.TOMLArray): Raw {
    const kinds = new Set(node.elements.map((element) => (element.type === 'TOMLValue' ? element.kind : element.type)));
    const stranger = node.elements.find((element) => element.type !== node.elements[0]?.type || kinds.size > 1);
    if (stranger) {
      this.#findings.add('MR_CONFIG_SYNTAX', {
        message: `an array holds values of one type; this one mixes ${[...kinds].join(' and ')}`,
        position: this.#at(node),
      });
    }
    return node.elements.map((element) => this.#rawOf(element));
  }

  #at(node: { readonly loc: AST.SourceLocation }): Position {
    return { file: this.#findings.file, line: node.loc.start.line, column: node.loc.start.column + 1 };
  }
}

interface ItemPlace {
  readonly path: readonly string[];
  readonly index: number;
  readonly position: Position;
}

function itemOf(table: TomlTable, place: ItemPlace): TomlTable {
  const name = place.path.join('.');
  const items = table.lists.get(name) ?? [];
  table.lists.set(name, items);
  const item = items[place.index] ?? newTable(place.position);
  items[place.index] = item;
  return item;
}

function newTable(position: Position): TomlTable {
  return { position, values: [], headers: new Map(), lists: new Map() };
}

function isListOfTables(array: AST.TOMLArray): boolean {
  return array.elements.length > 0 && array.elements.every((element) => element.type === 'TOMLInlineTable');
}
