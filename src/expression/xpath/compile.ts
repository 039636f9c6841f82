import { JsonNumber } from '#json';
import { ExpressionError } from '../error.ts';
import { lookupVariable } from '../variables.ts';
import { usesFunction } from './analysis.ts';
import type { ArithmeticOperator, CallAst, PathAst, XPathAst } from './ast.ts';
import { booleanOf, nodesCode, numberOf, type Code, type Frame } from './code.ts';
import { coreFunctions } from './core-functions.ts';
import { extensionFunctions } from './extension-functions.ts';
import { messagePart, messageVariables } from './message-variables.ts';
import { inDocumentOrder, stringValue, type Visit, type XPathNode } from './nodes.ts';
import { compileSteps, withPredicates, type Predicate, type StepContext } from './steps.ts';
import { compare, compareAtoms, fromProperty, isNodeSet, toNumber } from './values.ts';

/** Prefixes of the namespace declarations at the element that holds the expression, and the namespaces they stand for. */
export type Namespaces = ReadonlyMap<string, string>;

/** Functions whose prefix needs no declaration. */
const wellKnownPrefixes: ReadonlySet<string> = new Set(['wso2', 'hashicorp', 'fn', 'syn', 'synapse']);

/**
 * Compiles parsed XPath to closures.
 *
 * @throws ExpressionError for undeclared prefixes, unknown functions and variables, and wrong numbers of arguments
 */
export function compileAst(ast: XPathAst, namespaces: Namespaces): Code {
  return new Compiler(namespaces).compile(ast);
}

class Compiler implements StepContext {
  readonly #namespaces: Namespaces;

  constructor(namespaces: Namespaces) {
    this.#namespaces = namespaces;
  }

  compile(ast: XPathAst): Code {
    switch (ast.kind) {
      case 'literal':
        return { type: typeof ast.value === 'string' ? 'string' : 'number', evaluate: () => ast.value };
      case 'variable':
        return this.#variable(ast.prefix, ast.name, ast.offset);
      case 'call':
        return this.#call(ast);
      case 'path':
        return this.#path(ast);
      case 'filter': {
        const predicates = ast.predicates.map((predicate) => this.predicate(predicate));
        const primary = nodesOf(this.compile(ast.primary));
        const walk = withPredicates((_node, frame, visit) => primary(frame, visit), predicates);
        return nodesCode((frame, visit) => walk(frame.node, frame, visit));
      }
      case 'union':
        return this.#union(ast.left, ast.right);
      case 'negate': {
        const operand = numberOf(this.compile(ast.operand));
        return { type: 'number', evaluate: (frame) => -operand(frame) };
      }
      case 'arithmetic': {
        const calculate = arithmetic[ast.operator];
        const left = numberOf(this.compile(ast.left));
        const right = numberOf(this.compile(ast.right));
        return { type: 'number', evaluate: (frame) => calculate(left(frame), right(frame)) };
      }
      case 'logical': {
        const left = booleanOf(this.compile(ast.left));
        const right = booleanOf(this.compile(ast.right));
        if (ast.operator === 'or') return { type: 'boolean', evaluate: (frame) => left(frame) || right(frame) };
        return { type: 'boolean', evaluate: (frame) => left(frame) && right(frame) };
      }
      case 'compare':
        return this.#compare(ast);
    }
  }

  predicate(ast: XPathAst): Predicate {
    const code = this.compile(ast);
    const needsSize = usesFunction(ast, 'last');
    if (ast.kind === 'literal' && typeof ast.value === 'number') {
      return { constant: ast.value, needsSize: false, positional: true, test: () => false };
    }
    if (code.type === 'number' || code.type === 'unknown') {
      const asBoolean = booleanOf({ type: code.type, evaluate: code.evaluate });
      const test = (frame: Frame): boolean => {
        const value = code.evaluate(frame);
        const isNumber = code.type === 'number' || typeof value === 'number' || value instanceof JsonNumber;
        return isNumber ? toNumber(value) === frame.position : asBoolean(frame);
      };
      return { constant: undefined, needsSize, positional: true, test };
    }
    const positional = needsSize || usesFunction(ast, 'position');
    return { constant: undefined, needsSize, positional, test: booleanOf(code) };
  }

  namespace(prefix: string, offset: number): string {
    const uri = this.#namespaces.get(prefix) ?? (prefix === 'xml' ? 'http://www.w3.org/XML/1998/namespace' : undefined);
    if (uri === undefined) {
      throw new ExpressionError(`the prefix "${prefix}" is not declared`, offset);
    }
    return uri;
  }

  #variable(prefix: string, name: string, offset: number): Code {
    if (prefix === '') {
      const part = messageVariables.get(name);
      if (!part) throw new ExpressionError(`the variable "$${name}" is not known`, offset);
      return nodesCode((frame, visit) => visit(messagePart(part, frame.evaluation.scope)));
    }
    const lookup = ({ evaluation: { scope } }: Frame): unknown => lookupVariable(scope, prefix, name);
    return { type: 'unknown', evaluate: (frame) => fromProperty(lookup(frame)) };
  }

  #call(ast: CallAst): Code {
    const isCore = ast.prefix === '' || ast.prefix === 'fn';
    const name = ast.prefix === 'wso2' || ast.prefix === 'hashicorp' ? `${ast.prefix}:${ast.name}` : ast.name;
    const definition = (isCore ? coreFunctions.get(name) : undefined) ?? extensionFunctions.get(name);
    const shown = ast.prefix === '' ? ast.name : `${ast.prefix}:${ast.name}`;
    if (!definition) {
      throw new ExpressionError(`the function "${shown}" is not known`, ast.offset);
    }
    if (ast.prefix !== '' && !wellKnownPrefixes.has(ast.prefix)) this.namespace(ast.prefix, ast.offset);
    const [least, most] = definition.arity;
    if (ast.args.length < least || ast.args.length > most) {
      const expected = least === most ? `${least}` : most === Infinity ? `${least} or more` : `${least} to ${most}`;
      throw new ExpressionError(
        `expected ${expected} arguments of "${shown}" but found ${ast.args.length}`,
        ast.offset,
      );
    }
    const args = ast.args.map((argument) => this.compile(argument));
    if (definition.nodes && args.some((code) => code.type !== 'nodes' && code.type !== 'unknown')) {
      throw new ExpressionError(`expected a node set as argument of "${shown}"`, ast.offset);
    }
    return {
      type: definition.type,
      evaluate: definition.make(definition.nodes ? args.map((code) => nodesCode(nodesOf(code))) : args),
    };
  }

  #path(ast: PathAst): Code {
    if (ast.start === 'root') {
      const walk = compileSteps(ast.steps, 'single', this);
      return nodesCode((frame, visit) => walk(frame.evaluation.cache.documentOf(frame.node), frame, visit));
    }
    if (ast.start === 'context') {
      const walk = compileSteps(ast.steps, 'single', this);
      return nodesCode((frame, visit) => walk(frame.node, frame, visit));
    }
    const nodes = nodesOf(this.compile(ast.start));
    const fromOne = compileSteps(ast.steps, 'single', this);
    return nodesCode((frame, visit) => {
      const found = collectNodes(nodes, frame);
      const [first] = found;
      if (!first) return false;
      if (found.length === 1) return fromOne(first, frame, visit);
      const reached = found.flatMap((node) => collectNodes((inner, add) => fromOne(node, inner, add), frame));
      return inDocumentOrder(reached, frame.evaluation.cache).some((node) => visit(node));
    });
  }

  #union(leftAst: XPathAst, rightAst: XPathAst): Code {
    const left = nodesOf(this.compile(leftAst));
    const right = nodesOf(this.compile(rightAst));
    return nodesCode((frame, visit) => {
      const nodes = [...collectNodes(left, frame), ...collectNodes(right, frame)];
      return inDocumentOrder(nodes, frame.evaluation.cache).some((node) => visit(node));
    });
  }

  #compare(ast: Extract<XPathAst, { kind: 'compare' }>): Code {
    const { operator } = ast;
    const left = this.compile(ast.left);
    const right = this.compile(ast.right);
    if (left.each && right.type !== 'nodes' && right.type !== 'unknown' && right.type !== 'boolean') {
      const { each } = left;
      return {
        type: 'boolean',
        evaluate: (frame) => {
          const value = right.evaluate(frame);
          if (isNodeSet(value)) return false;
          return each(frame, (node) => compareAtoms(operator, stringValue(node), value));
        },
      };
    }
    return { type: 'boolean', evaluate: (frame) => compare(operator, left.evaluate(frame), right.evaluate(frame)) };
  }
}

const arithmetic: Readonly<Record<ArithmeticOperator, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  div: (left, right) => left / right,
  mod: (left, right) => left % right,
};

type Nodes = (frame: Frame, visit: Visit) => boolean;

/** The nodes that code yields, in document order; anything but a node set yields none. */
function nodesOf(code: Code): Nodes {
  if (code.each) return code.each;
  return (frame, visit) => {
    const value = code.evaluate(frame);
    return isNodeSet(value) && inDocumentOrder(value, frame.evaluation.cache).some((node) => visit(node));
  };
}

function collectNodes(nodes: Nodes, frame: Frame): XPathNode[] {
  const found: XPathNode[] = [];
  nodes(frame, (node) => {
    found.push(node);
    return false;
  });
  return found;
}
