import { ExpressionError, unexpected } from '../error.ts';

export interface Token {
  /** `name` may be `p:local`, `p:*` or `*`; `operator` includes the operator names. */
  readonly kind: 'name' | 'operator' | 'string' | 'number' | 'variable' | 'symbol' | 'end';
  readonly text: string;
  readonly offset: number;
}

const maxTokens = 5000;
const blank = /[ \t\r\n]+/y;
const numberPattern = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)/y;
const stringPattern = /"[^"]*"|'[^']*'/y;
const operatorPattern = /\/\/|\/|\||\+|-|!=|=|<=|<|>=|>/y;
const symbolPattern = /\.\.|\.|::|[()[\],@]/y;
const ncName = String.raw`[\p{L}_][\p{L}\p{N}\p{M}._\u00b7-]*`;
const namePattern = new RegExp(`${ncName}(?::(?!:)(?:${ncName}|\\*))?`, 'uy');
const variablePattern = new RegExp(String.raw`\$\s*(${ncName}(?::${ncName})?)`, 'uy');
const operatorNames: ReadonlySet<string> = new Set(['and', 'or', 'mod', 'div']);

/**
 * Splits XPath text into tokens, telling operator names and `*` from element names by what stands before (XPath 1.0,
 * 3.7).
 *
 * @throws ExpressionError for characters that begin no token
 */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  for (;;) {
    at += match(blank)?.[0].length ?? 0;
    if (at >= source.length) break;
    const token = nextToken({ source, offset: at, match, operand: expectsOperand(tokens.at(-1)) });
    tokens.push(token.token);
    at += token.length;
    if (tokens.length > maxTokens) throw new ExpressionError(`the expression has more than ${maxTokens} parts`, at);
  }
  tokens.push({ kind: 'end', text: '', offset: source.length });
  return tokens;
}

interface Place {
  readonly source: string;
  readonly offset: number;
  readonly match: (pattern: RegExp) => RegExpExecArray | null;
  readonly operand: boolean;
}

function nextToken({ source, offset, match, operand }: Place): { token: Token; length: number } {
  const make = (kind: Token['kind'], whole: string, text = whole): { token: Token; length: number } => ({
    token: { kind, text, offset },
    length: whole.length,
  });
  const number = match(numberPattern);
  if (number) return make('number', number[0]);
  const string = match(stringPattern);
  if (string) return make('string', string[0], string[0].slice(1, -1));
  const first = source.charAt(offset);
  if (first === '"' || first === "'") throw new ExpressionError('the string has no end', offset);
  if (first === '$') {
    const variable = match(variablePattern);
    if (!variable) throw unexpected('a variable name after "$"', source, offset + 1);
    return make('variable', variable[0], variable[1]);
  }
  if (first === '*') return make(operand ? 'name' : 'operator', '*');
  const name = match(namePattern);
  if (name) return nameToken(name[0], operand, make);
  const operator = match(operatorPattern);
  if (operator) return make('operator', operator[0]);
  const symbol = match(symbolPattern);
  if (symbol) return make('symbol', symbol[0]);
  throw unexpected('an expression', source, offset);
}

function nameToken<T>(name: string, operand: boolean, make: (kind: Token['kind'], whole: string) => T): T {
  if (operand) return make('name', name);
  // `a div-1` is an operator and a number, since a name cannot follow an operand.
  const word = /^(?:and|or|mod|div)(?=[-.]|$)/.exec(name)?.[0] ?? name;
  return make(operatorNames.has(word) ? 'operator' : 'name', word);
}

function expectsOperand(previous: Token | undefined): boolean {
  if (!previous || previous.kind === 'operator') return true;
  return previous.kind === 'symbol' && ['@', '::', '(', '[', ','].includes(previous.text);
}
