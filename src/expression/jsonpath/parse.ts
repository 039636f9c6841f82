import { parseJson, JsonNumber } from '#json';
import { messageOf, MillraceError } from '#errors';
import { ExpressionError, unexpected, within } from '../error.ts';
import { compilePattern } from '../patterns.ts';
import type { Condition, IndexPart, Operand, PathAst, PathLanguage, PathStep } from './ast.ts';
import { isPathFunction } from './functions.ts';

const blanks = /\s*/y;
const integer = /-?[0-9]+/y;
const defaultName = /[^\s.[\]()'",=<>!&|~?]+/y;
const quoted = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const comparison = /==|!=|<=|>=|=~|<|>/y;
const wordOperator = /(?:in|nin|subsetof|anyof|noneof|size|empty|contains)(?![\w-])/iy;
const maxDepth = 50;

/**
 * Reads a JSONPath, or the part of one that follows a value, from a text that may go on with something else.
 * The dialect is Jayway's (runtime-core 8.3).
 */
export class PathReader {
  readonly source: string;
  readonly #language: PathLanguage;
  at: number;
  #depth = 0;

  constructor(source: string, at: number, language: PathLanguage) {
    this.source = source;
    this.at = at;
    this.#language = language;
  }

  /** The steps from here on, as far as there are any. @throws ExpressionError */
  steps(): PathStep[] {
    const steps: PathStep[] = [];
    for (;;) {
      if (this.#take('..')) {
        steps.push({ kind: 'descend' });
        steps.push(this.#peek() === '[' ? this.#brackets() : this.#named());
      } else if (this.#peek() === '.') {
        this.at++;
        steps.push(this.#peek() === '[' ? this.#brackets() : this.#named());
      } else if (this.#peek() === '[') steps.push(this.#brackets());
      else if (this.#isNameAfterBrackets()) steps.push(this.#named());
      else return steps;
    }
  }

  /** Jayway reads `[0]name` as `[0].name`. */
  #isNameAfterBrackets(): boolean {
    return this.#language.name === undefined && this.source.charAt(this.at - 1) === ']' && /[\w*]/.test(this.#peek());
  }

  #named(): PathStep {
    if (this.#take('*')) return { kind: 'wildcard' };
    const name = this.#match(this.#language.name ?? defaultName);
    if (name === undefined) this.fail('a member name');
    if (this.#peek() !== '(') return { kind: 'names', names: [name] };
    if (!isPathFunction(name)) {
      throw new ExpressionError(`the JSONPath function "${name}" is not known`, this.at - name.length);
    }
    this.at++;
    return { kind: 'function', name, args: this.#arguments() };
  }

  #arguments(): Operand[] {
    const args: Operand[] = [];
    this.skipBlanks();
    if (this.#take(')')) return args;
    for (;;) {
      args.push(this.#operand());
      this.skipBlanks();
      if (this.#take(')')) return args;
      if (!this.#take(',')) this.fail('"," or ")"');
    }
  }

  #brackets(): PathStep {
    this.at++;
    this.skipBlanks();
    let step: PathStep;
    if (this.#take('*')) step = { kind: 'wildcard' };
    else if (this.#take('?')) step = this.#filter();
    else if (this.#peek() === "'" || this.#peek() === '"') step = this.#names();
    else step = this.#indexes();
    this.skipBlanks();
    if (!this.#take(']')) this.fail('"]"');
    return step;
  }

  #filter(): PathStep {
    this.skipBlanks();
    if (!this.#take('(')) this.fail('"("');
    const condition = this.#or();
    this.skipBlanks();
    if (!this.#take(')')) this.fail('")"');
    return { kind: 'filter', condition };
  }

  #names(): PathStep {
    const names: string[] = [];
    do {
      this.skipBlanks();
      const text = this.#match(quoted);
      if (text === undefined) this.fail('a quoted name');
      names.push(unquote(text));
      this.skipBlanks();
    } while (this.#take(','));
    return { kind: 'names', names };
  }

  #indexes(): PathStep {
    const first = this.#peek() === ':' ? undefined : this.#index();
    this.skipBlanks();
    if (this.#take(':')) return this.#slice(indexPart(first));
    if (first === undefined) this.fail('an index');
    if (this.#peek() !== ',') {
      if (typeof first === 'number') return { kind: 'indexes', indexes: [first] };
      return { kind: 'computed', key: first };
    }
    const indexes = [indexPart(first) ?? 0];
    while (this.#take(',')) {
      this.skipBlanks();
      indexes.push(indexPart(this.#index()) ?? 0);
      this.skipBlanks();
    }
    return { kind: 'indexes', indexes };
  }

  #slice(from: IndexPart | undefined): PathStep {
    this.skipBlanks();
    const to = /[\]:]/.test(this.#peek()) ? undefined : indexPart(this.#index());
    this.skipBlanks();
    const step = this.#take(':') && this.#peek() !== ']' ? indexPart(this.#index()) : undefined;
    return { kind: 'slice', from, to, step };
  }

  #index(): Index {
    this.skipBlanks();
    const literal = this.#match(integer);
    if (literal !== undefined) {
      const next = /^\s*(.?)/.exec(this.source.slice(this.at))?.[1] ?? '';
      if (!this.#language.index || /[\],:]/.test(next)) return Number(literal);
      this.at -= literal.length;
    }
    if (!this.#language.index) this.fail('an index, a quoted name, "*" or "?("');
    const { key, end } = this.#language.index(this.at);
    this.at = end;
    return key;
  }

  #or(): Condition {
    if (++this.#depth > maxDepth) throw new ExpressionError('the filter is nested too deeply', this.at);
    let left = this.#and();
    while (this.#takeAny('||', 'or')) left = { kind: 'or', left, right: this.#and() };
    this.#depth--;
    return left;
  }

  #and(): Condition {
    let left = this.#term();
    while (this.#takeAny('&&', 'and')) left = { kind: 'and', left, right: this.#term() };
    return left;
  }

  #term(): Condition {
    this.skipBlanks();
    if (this.#peek() === '!' && this.source.charAt(this.at + 1) !== '=') {
      this.at++;
      if (++this.#depth > maxDepth) throw new ExpressionError('the filter is nested too deeply', this.at);
      const operand = this.#term();
      this.#depth--;
      return { kind: 'not', operand };
    }
    if (this.#take('(')) {
      const inner = this.#or();
      this.skipBlanks();
      if (!this.#take(')')) this.fail('")"');
      return inner;
    }
    const left = this.#operand();
    this.skipBlanks();
    const operator = this.#match(comparison) ?? this.#match(wordOperator)?.toLowerCase();
    if (operator === undefined) return { kind: 'exists', operand: left };
    return { kind: 'compare', operator, left, right: this.#operand() };
  }

  #operand(): Operand {
    this.skipBlanks();
    const embedded = this.#language.operand?.(this.at);
    if (embedded) {
      this.at = embedded.end;
      return embedded.operand;
    }
    const next = this.#peek();
    if (next === '@' || next === '$') {
      this.at++;
      return { kind: 'path', path: { relative: next === '@', steps: this.steps() } };
    }
    if (next === '/') return this.#pattern();
    if (next === '[' || next === '{') return { kind: 'literal', value: this.#json() };
    const text = this.#match(quoted);
    if (text !== undefined) return { kind: 'literal', value: unquote(text) };
    const digits = this.#match(number);
    if (digits !== undefined) return { kind: 'literal', value: new JsonNumber(digits) };
    const word = this.#match(/(?:true|false|null)(?!\w)/iy)?.toLowerCase();
    if (word === undefined) this.fail('a value or a path');
    return { kind: 'literal', value: word === 'null' ? null : word === 'true' };
  }

  #pattern(): Operand {
    const start = this.at;
    const literal = this.#match(/\/((?:[^/\\]|\\[\s\S])*)\/[imsxdu]*/iy);
    if (literal === undefined) this.fail('a regular expression with its closing "/"');
    const end = literal.lastIndexOf('/');
    try {
      return { kind: 'pattern', matches: compilePattern(literal.slice(1, end), literal.slice(end + 1)) };
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      throw new ExpressionError(error.message, start);
    }
  }

  /** An array or object literal, whose strings may have single quotes. */
  #json(): ReturnType<typeof parseJson> {
    const start = this.at;
    let depth = 0;
    let text = '';
    do {
      const string = this.#match(quoted);
      if (string !== undefined) {
        text += JSON.stringify(unquote(string));
        continue;
      }
      const character = this.#peek();
      if (character === '') this.fail('the end of a JSON literal');
      if (character === '[' || character === '{') depth++;
      if (character === ']' || character === '}') depth--;
      text += character;
      this.at++;
    } while (depth > 0);
    try {
      return parseJson(text);
    } catch (error) {
      throw new ExpressionError(`a literal in a filter is no JSON: ${messageOf(error)}`, start);
    }
  }

  skipBlanks(): void {
    this.#match(blanks);
  }

  fail(expected: string): never {
    throw unexpected(expected, this.source, this.at);
  }

  #takeAny(symbol: string, word: string): boolean {
    this.skipBlanks();
    if (this.#take(symbol)) return true;
    return this.#match(word === 'or' ? /or(?![\w-])/iy : /and(?![\w-])/iy) !== undefined;
  }

  #take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  #peek(): string {
    return this.source.charAt(this.at);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.source);
    if (!match) return undefined;
    this.at = pattern.lastIndex;
    return match[0];
  }
}

type Index = number | ((scope: Parameters<Exclude<IndexPart, number>>[0]) => string | number);

function indexPart(index: Index | undefined): IndexPart | undefined {
  if (index === undefined || typeof index === 'number') return index;
  return (scope) => Number(index(scope));
}

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\([\s\S])/g, (_, character: string) => escapes[character] ?? character);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/**
 * Parses a whole JSONPath. As in the original `$` may be left out, a dot at the end is ignored, and so is one bracket too
 * many behind a closing one.
 *
 * @throws ExpressionError with the offset
 */
export function parsePath(source: string): PathAst {
  const text = source.trimEnd().replace(/\.$/, '');
  const start = /^\s*[$@]?/.exec(text)?.[0] ?? '';
  const marked = /[$@]$/.test(start);
  const reader = new PathReader(marked ? text : `.${text.slice(start.length)}`, marked ? start.length : 0, {});
  const shift = marked ? 0 : start.length - 1;
  const steps = within(shift, () => {
    const found = text === '' ? [] : reader.steps();
    const isRest = /^\][)\]]$/.test(reader.source.slice(reader.at - 1));
    if (reader.at < reader.source.length && !isRest && text !== '') reader.fail('a step of the path or its end');
    return found;
  });
  return { relative: false, steps };
}
