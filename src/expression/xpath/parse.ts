import { ExpressionError, unexpected } from '../error.ts';
import {
  axes,
  type ArithmeticOperator,
  type Axis,
  type CompareOperator,
  type NodeTest,
  type Step,
  type XPathAst,
} from './ast.ts';
import { tokenize, type Token } from './tokens.ts';

const maxDepth = 100;
const nodeTypes: ReadonlySet<string> = new Set(['node', 'text', 'comment', 'processing-instruction']);
const anyNode: Step = { axis: 'descendant-or-self', test: { kind: 'node' }, predicates: [] };

/**
 * Parses XPath 1.0.
 *
 * @throws ExpressionError with the offset and what was expected there
 */
export function parseXPath(source: string): XPathAst {
  return new Parser(source).whole();
}

class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokenize(source);
  }

  whole(): XPathAst {
    const ast = this.#expression();
    if (this.#peek().kind !== 'end') this.#fail('an operator or the end');
    return ast;
  }

  #expression(): XPathAst {
    if (++this.#depth > maxDepth) {
      throw new ExpressionError(`the expression is nested deeper than ${maxDepth}`, this.#peek().offset);
    }
    const ast = this.#or();
    this.#depth--;
    return ast;
  }

  #or(): XPathAst {
    let left = this.#and();
    while (this.#takeOperator('or')) left = { kind: 'logical', operator: 'or', left, right: this.#and() };
    return left;
  }

  #and(): XPathAst {
    let left = this.#equality();
    while (this.#takeOperator('and')) left = { kind: 'logical', operator: 'and', left, right: this.#equality() };
    return left;
  }

  #equality(): XPathAst {
    let left = this.#relational();
    for (let operator = this.#compare('=', '!='); operator; operator = this.#compare('=', '!=')) {
      left = { kind: 'compare', operator, left, right: this.#relational() };
    }
    return left;
  }

  #relational(): XPathAst {
    let left = this.#additive();
    for (;;) {
      const operator = this.#compare('<', '<=', '>', '>=');
      if (!operator) return left;
      left = { kind: 'compare', operator, left, right: this.#additive() };
    }
  }

  #additive(): XPathAst {
    let left = this.#multiplicative();
    for (;;) {
      const operator = this.#arithmetic('+', '-');
      if (!operator) return left;
      left = { kind: 'arithmetic', operator, left, right: this.#multiplicative() };
    }
  }

  #multiplicative(): XPathAst {
    let left = this.#unary();
    for (;;) {
      const operator = this.#arithmetic('*', 'div', 'mod');
      if (!operator) return left;
      left = { kind: 'arithmetic', operator, left, right: this.#unary() };
    }
  }

  #unary(): XPathAst {
    let negations = 0;
    while (this.#takeOperator('-')) negations++;
    let ast = this.#union();
    // Two signs cancel each other but still make a number of the operand.
    if (negations > 0) ast = { kind: 'negate', operand: ast };
    return negations > 0 && negations % 2 === 0 ? { kind: 'negate', operand: ast } : ast;
  }

  #union(): XPathAst {
    let left = this.#path();
    while (this.#takeOperator('|')) left = { kind: 'union', left, right: this.#path() };
    return left;
  }

  #path(): XPathAst {
    if (this.#startsFilter()) return this.#filterPath();
    const steps: Step[] = [];
    if (this.#takeOperator('//')) {
      steps.push(anyNode, this.#step());
      return { kind: 'path', start: 'root', steps: this.#moreSteps(steps) };
    }
    if (this.#takeOperator('/')) {
      if (this.#startsStep()) this.#moreSteps(steps, this.#step());
      return { kind: 'path', start: 'root', steps };
    }
    if (!this.#startsStep()) this.#fail('an expression');
    return { kind: 'path', start: 'context', steps: this.#moreSteps(steps, this.#step()) };
  }

  #filterPath(): XPathAst {
    const primary = this.#primary();
    const predicates = this.#predicates();
    const start: XPathAst = predicates.length === 0 ? primary : { kind: 'filter', primary, predicates };
    const steps = this.#moreSteps([]);
    return steps.length === 0 ? start : { kind: 'path', start, steps };
  }

  #moreSteps(steps: Step[], first?: Step): Step[] {
    if (first) steps.push(first);
    for (;;) {
      if (this.#takeOperator('//')) steps.push(anyNode, this.#step());
      else if (this.#takeOperator('/')) steps.push(this.#step());
      else return steps;
    }
  }

  #step(): Step {
    if (this.#takeSymbol('.')) return { axis: 'self', test: { kind: 'node' }, predicates: this.#predicates() };
    if (this.#takeSymbol('..')) return { axis: 'parent', test: { kind: 'node' }, predicates: this.#predicates() };
    const axis = this.#axis();
    return { axis, test: this.#nodeTest(), predicates: this.#predicates() };
  }

  #axis(): Axis {
    if (this.#takeSymbol('@')) return 'attribute';
    const name = this.#peek();
    if (name.kind !== 'name' || !isSymbol(this.#peek(1), '::')) return 'child';
    const axis = axes.find((candidate) => candidate === name.text);
    if (!axis) this.#fail('an axis');
    this.#index += 2;
    return axis;
  }

  #nodeTest(): NodeTest {
    const token = this.#peek();
    if (token.kind !== 'name') this.#fail('a step of a path');
    this.#index++;
    if (nodeTypes.has(token.text) && this.#takeSymbol('(')) return this.#nodeType(token.text);
    const colon = token.text.indexOf(':');
    const prefix = colon < 0 ? undefined : token.text.slice(0, colon);
    return { kind: 'name', prefix, local: token.text.slice(colon + 1), offset: token.offset };
  }

  #nodeType(type: string): NodeTest {
    let target: string | undefined;
    if (type === 'processing-instruction' && this.#peek().kind === 'string') target = this.#next().text;
    if (!this.#takeSymbol(')')) this.#fail('")"');
    if (type === 'processing-instruction') return { kind: type, target };
    return { kind: type === 'text' ? 'text' : type === 'comment' ? 'comment' : 'node' };
  }

  #predicates(): XPathAst[] {
    const predicates: XPathAst[] = [];
    while (this.#takeSymbol('[')) {
      predicates.push(this.#expression());
      if (!this.#takeSymbol(']')) this.#fail('"]"');
    }
    return predicates;
  }

  #primary(): XPathAst {
    const token = this.#next();
    if (token.kind === 'string') return { kind: 'literal', value: token.text };
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) };
    if (token.kind === 'variable') return { kind: 'variable', ...splitName(token.text), offset: token.offset };
    if (token.kind === 'name') {
      this.#index++;
      return { kind: 'call', ...splitName(token.text), args: this.#arguments(), offset: token.offset };
    }
    const inner = this.#expression();
    if (!this.#takeSymbol(')')) this.#fail('")"');
    return inner;
  }

  #arguments(): XPathAst[] {
    const args: XPathAst[] = [];
    if (this.#takeSymbol(')')) return args;
    do args.push(this.#expression());
    while (this.#takeSymbol(','));
    if (!this.#takeSymbol(')')) this.#fail('"," or ")"');
    return args;
  }

  #startsFilter(): boolean {
    const token = this.#peek();
    if (token.kind === 'string' || token.kind === 'number' || token.kind === 'variable') return true;
    if (token.kind === 'name') return isSymbol(this.#peek(1), '(') && !nodeTypes.has(token.text);
    return isSymbol(token, '(');
  }

  #startsStep(): boolean {
    const token = this.#peek();
    return token.kind === 'name' || (token.kind === 'symbol' && ['.', '..', '@'].includes(token.text));
  }

  #compare(...operators: CompareOperator[]): CompareOperator | undefined {
    return operators.find((operator) => this.#takeOperator(operator));
  }

  #arithmetic(...operators: ArithmeticOperator[]): ArithmeticOperator | undefined {
    return operators.find((operator) => this.#takeOperator(operator));
  }

  #takeOperator(text: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'operator' || token.text !== text) return false;
    this.#index++;
    return true;
  }

  #takeSymbol(text: string): boolean {
    if (!isSymbol(this.#peek(), text)) return false;
    this.#index++;
    return true;
  }

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)] ?? endToken;
  }

  #next(): Token {
    const token = this.#peek();
    this.#index++;
    return token;
  }

  #fail(expected: string): never {
    throw unexpected(expected, this.#source, this.#peek().offset);
  }
}

const endToken: Token = { kind: 'end', text: '', offset: 0 };

function isSymbol(token: Token, text: string): boolean {
  return token.kind === 'symbol' && token.text === text;
}

function splitName(text: string): { prefix: string; name: string } {
  const colon = text.indexOf(':');
  return { prefix: text.slice(0, Math.max(0, colon)), name: text.slice(colon + 1) };
}
