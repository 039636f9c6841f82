import { nearestName } from '#errors';
import { EvaluationError, ExpressionError, unexpected } from '../error.ts';
import type { PathLanguage, PathStep } from '../jsonpath/ast.ts';
import { PathReader } from '../jsonpath/parse.ts';
import type { Scope } from '../scope.ts';
import type { Namespaces } from '../xpath/index.ts';
import { functions, type SynapseFunction } from './functions.ts';
import { parseJavaNumber } from './numbers.ts';
import { operations } from './operators.ts';
import { follow, namedRoots, payloadReader, rootAliases, variable } from './roots.ts';
import { existsCall, registryCall, xpathCall, type Argument, type Evaluate } from './special-calls.ts';
import { expectBoolean, isNumber, toJsonValue, toText } from './values.ts';

export interface Parsed {
  readonly evaluate: Evaluate;
  /** True when the expression reads the payload. */
  readonly contentAware: boolean;
}

/**
 * Parses what stands between `${` and `}` and compiles it on the way (runtime-core 8.4). Comparisons bind tighter than
 * `and` and `or`, which accepts everything that the original does and more.
 *
 * @throws ExpressionError with the offset and what was expected there
 */
export function parseSynapse(source: string, namespaces: Namespaces): Parsed {
  const parser = new Parser(source, namespaces);
  const evaluate = parser.whole();
  return { evaluate, contentAware: parser.contentAware };
}

const name = /[A-Za-z_][A-Za-z_0-9-]*/y;
const string = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y;
const number = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Parentheses, calls and brackets count twice, once for the operand and once for the expression in it. */
const maxDepth = 120;
const additiveLevel = 3;

/** Binary operators by level, loosest first. */
const levels: readonly RegExp[] = [/\|\||or(?![\w-])/y, /&&|and(?![\w-])/y, /==|!=|<=|>=|<|>/y, /[+-]/y, /[*/%]/y];
const words: ReadonlyMap<string, string> = new Map([
  ['||', 'or'],
  ['&&', 'and'],
]);
/** Calls that the grammar knows beside `functions`. */
const specialNames: readonly string[] = ['exists', 'xpath', 'registry', 'object', 'array'];
const rootNames: readonly string[] = ['payload', 'vars', 'headers', 'props', 'params', 'configs'];

class Parser {
  readonly #source: string;
  readonly #namespaces: Namespaces;
  readonly #paths: PathLanguage = {
    name,
    index: (offset) => {
      this.#at = offset;
      const evaluate = this.#binary(additiveLevel);
      return { key: (scope) => keyOf(evaluate, scope), end: this.#at };
    },
    operand: (offset) => this.#filterOperand(offset),
  };
  #at = 0;
  #depth = 0;
  contentAware = false;

  constructor(source: string, namespaces: Namespaces) {
    this.#source = source;
    this.#namespaces = namespaces;
  }

  whole(): Evaluate {
    const evaluate = this.#expression();
    this.#skipBlanks();
    if (this.#at < this.#source.length) this.#fail('an operator or the end');
    return evaluate;
  }

  #expression(): Evaluate {
    this.#enter();
    const condition = this.#binary(0);
    const evaluate = this.#takes('?') ? this.#choice(condition) : condition;
    this.#depth--;
    return evaluate;
  }

  #enter(): void {
    if (++this.#depth > maxDepth)
      throw new ExpressionError(`the expression is nested deeper than ${maxDepth}`, this.#at);
  }

  #choice(condition: Evaluate): Evaluate {
    const then = this.#expression();
    if (!this.#takes(':')) this.#fail('":"');
    const otherwise = this.#expression();
    return (scope) => (expectBoolean(condition(scope)) ? then(scope) : otherwise(scope));
  }

  #binary(level: number): Evaluate {
    const pattern = levels[level];
    if (!pattern) {
      this.#enter();
      const operand = this.#primary();
      this.#depth--;
      return operand;
    }
    let left = this.#binary(level + 1);
    for (let count = 0; ; count++) {
      this.#skipBlanks();
      const start = this.#at;
      const operator = this.#match(pattern);
      const operation = operator === undefined ? undefined : operations.get(words.get(operator) ?? operator);
      if (operator === undefined || !operation) return left;
      if (count > 500) throw new ExpressionError('the expression has too many operators', start);
      if (operator === '-' && /[0-9]/.test(this.#source.charAt(this.#at))) {
        throw new ExpressionError(`expected a blank after "-", since "-" belongs to the number`, start);
      }
      const first = left;
      const second = this.#binary(level + 1);
      left = (scope) => operation(first(scope), second(scope));
    }
  }

  #primary(): Evaluate {
    this.#skipBlanks();
    if (this.#takes('(')) {
      const inner = this.#expression();
      if (!this.#takes(')')) this.#fail('")"');
      return inner;
    }
    if (this.#takes('[')) return this.#list();
    const text = this.#match(string);
    if (text !== undefined) return constant(text.slice(1, -1));
    const digits = this.#match(number);
    if (digits !== undefined) return constant(parseJavaNumber(digits) ?? digits);
    if (this.#source.charAt(this.#at) === '$') {
      this.#at++;
      return this.#payload();
    }
    return this.#word();
  }

  #list(): Evaluate {
    const items: Evaluate[] = [];
    if (!this.#takes(']')) {
      do items.push(this.#expression());
      while (this.#takes(','));
      if (!this.#takes(']')) this.#fail('"," or "]"');
    }
    return (scope) => items.map((item) => toJsonValue(item(scope)));
  }

  #word(): Evaluate {
    const start = this.#at;
    const word = this.#match(name);
    if (word === undefined) this.#fail('an expression');
    if (this.#takes('(')) return this.#call(word, start);
    if (word === 'true' || word === 'false') return constant(word === 'true');
    if (word === 'null') return constant(null);
    if (word === 'payload') return this.#payload();
    const root = rootAliases.get(word) ?? word;
    if (root === 'vars') {
      const [variableName, steps] = this.#variablePath();
      return (scope) => follow(variable(scope, variableName), steps, scope);
    }
    return this.#namedRoot(root, start);
  }

  #payload(): Evaluate {
    this.contentAware = true;
    const steps = this.#tail();
    return payloadReader(steps);
  }

  #variablePath(): [name: string, steps: readonly PathStep[]] {
    const variableName = this.#member();
    return [variableName, this.#tail()];
  }

  #namedRoot(root: string, start: number): Evaluate {
    let path = root;
    if (root === 'props' || root === 'params') {
      const group = this.#member();
      path = `${root}.${rootAliases.get(group) ?? group}`;
    }
    const lookup = namedRoots.get(path);
    if (!lookup) {
      const nearest = nearestName(path, [...rootNames, ...namedRoots.keys()]);
      const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
      throw new ExpressionError(
        `expected a function, a literal or one of ${rootNames.join(', ')} but found "${path}"${hint}`,
        start,
      );
    }
    const member = this.#member();
    return (scope) => lookup(scope, member);
  }

  /** One name behind a root: `.name`, `["name"]` or `.["name"]`. */
  #member(): string {
    const dotted = this.#takes('.');
    if (this.#takes('[')) {
      this.#skipBlanks();
      const text = this.#match(string);
      if (text === undefined) this.#fail('a quoted name');
      if (!this.#takes(']')) this.#fail('"]"');
      return text.slice(1, -1);
    }
    const member = dotted ? this.#match(name) : undefined;
    if (member === undefined) this.#fail(dotted ? 'a name' : '"." and a name');
    return member;
  }

  #tail(): readonly PathStep[] {
    const reader = new PathReader(this.#source, this.#at, this.#paths);
    const steps = reader.steps();
    this.#at = reader.at;
    return steps;
  }

  #call(callee: string, start: number): Evaluate {
    const args = this.#arguments();
    const evaluates = args.map(({ evaluate }) => evaluate);
    const [first, second] = args;
    if (callee === 'exists' && first && args.length === 1) return existsCall(first.evaluate);
    if (callee === 'registry' && first && args.length === 1) return this.#registry(first.evaluate);
    if (callee === 'xpath' && first && args.length <= 2) {
      this.contentAware ||= second === undefined;
      return xpathCall(first, second, this.#namespaces);
    }
    const definition = functions.get(callee);
    if (!definition || args.length < definition.arity[0] || args.length > definition.arity[1]) {
      throw callError(callee, { count: args.length, offset: start, definition });
    }
    const call: Evaluate = (scope) => definition.call(withoutNull(evaluates, { callee, scope }), scope);
    if (callee !== 'object' && callee !== 'array') return call;
    const steps = this.#tail();
    return (scope) => follow(call(scope), steps, scope);
  }

  #arguments(): Argument[] {
    const args: Argument[] = [];
    if (this.#takes(')')) return args;
    do {
      this.#skipBlanks();
      const offset = this.#at;
      const text = this.#match(string);
      this.#at = offset;
      const evaluate = this.#expression();
      this.#skipBlanks();
      const isLiteral = text !== undefined && this.#source.slice(offset, this.#at).trimEnd() === text;
      args.push({ evaluate, literal: isLiteral ? text.slice(1, -1) : undefined, offset });
    } while (this.#takes(','));
    if (!this.#takes(')')) this.#fail('"," or ")"');
    return args;
  }

  #registry(key: Evaluate): Evaluate {
    const property = /\s*\.\s*property\s*\(\s*('[^']*'|"[^"]*")\s*\)/y;
    property.lastIndex = this.#at;
    const match = property.exec(this.#source);
    if (!match) return registryCall(key, this.#tail(), undefined);
    this.#at = property.lastIndex;
    return registryCall(key, [], match[1]?.slice(1, -1));
  }

  /** Roots and calls inside of filters; the rest belongs to the path's own language. */
  #filterOperand(offset: number): ReturnType<NonNullable<PathLanguage['operand']>> {
    const rest = this.#source.slice(offset, offset + 100);
    const word = /^[A-Za-z_][A-Za-z_0-9-]*/.exec(rest)?.[0];
    const isRoot =
      word !== undefined && (rootNames.includes(word) || rootAliases.has(word) || /^[\w-]+\s*\(/.test(rest));
    if (!isRoot && !rest.startsWith('$')) return undefined;
    this.#at = offset;
    const evaluate = this.#binary(additiveLevel);
    return { operand: { kind: 'embedded', evaluate: (scope) => toJsonValue(evaluate(scope)) }, end: this.#at };
  }

  #takes(text: string): boolean {
    this.#skipBlanks();
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (!match) return undefined;
    this.#at = pattern.lastIndex;
    return match[0];
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#source.charAt(this.#at))) this.#at++;
  }

  #fail(expected: string): never {
    throw unexpected(expected, this.#source, this.#at);
  }
}

function constant(value: ReturnType<Evaluate>): Evaluate {
  return () => value;
}

function keyOf(evaluate: Evaluate, scope: Scope): string | number {
  const value = evaluate(scope);
  if (isNumber(value)) return Number(value.value);
  if (typeof value === 'string') return value;
  throw new EvaluationError(`expected an index or a name but found ${toText(value)}`);
}

interface CallPlace {
  readonly callee: string;
  readonly scope: Scope;
}

function withoutNull(args: readonly Evaluate[], { callee, scope }: CallPlace): ReturnType<Evaluate>[] {
  return args.map((argument) => {
    const value = argument(scope);
    if (value === null) throw new EvaluationError(`an argument of ${callee}() is null`);
    return value;
  });
}

interface WrongCall {
  readonly count: number;
  readonly offset: number;
  readonly definition: SynapseFunction | undefined;
}

function callError(callee: string, { count, offset, definition }: WrongCall): ExpressionError {
  const special = specialNames.includes(callee);
  if (!definition && !special) {
    const nearest = nearestName(callee, [...functions.keys(), ...specialNames]);
    const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
    return new ExpressionError(`the function "${callee}" is not known${hint}`, offset);
  }
  const [least, most] = definition?.arity ?? [1, callee === 'xpath' ? 2 : 1];
  const expected = least === most ? String(least) : `${least} to ${most}`;
  return new ExpressionError(`expected ${expected} arguments of "${callee}" but found ${count}`, offset);
}
