import { MillraceError } from '#errors';
import type { PathStep } from '../jsonpath/ast.ts';
import { EvaluationError, within } from '../error.ts';
import type { Scope } from '../scope.ts';
import { fromProperty } from '../xpath/values.ts';
import { compileXPath, isNodeSet, type Namespaces, type XPath } from '../xpath/index.ts';
import { resultText } from '../xpath/result.ts';
import { follow } from './roots.ts';
import { expectString, type SynapseValue } from './values.ts';

/** Compiled code. @throws MillraceError when the expression has no value on this message */
export type Evaluate = (scope: Scope) => SynapseValue;

/** An argument as parsed: its code, and its value when it is a string literal. */
export interface Argument {
  readonly evaluate: Evaluate;
  readonly literal: string | undefined;
  readonly offset: number;
}

/** `exists(x)`: false when x is null or fails. */
export function existsCall(argument: Evaluate): Evaluate {
  return (scope) => {
    try {
      return argument(scope) !== null;
    } catch (error) {
      if (error instanceof MillraceError) return false;
      throw error;
    }
  };
}

/** `registry(path)`: the text of a resource, what a path in it leads to, or one of its properties. */
export function registryCall(key: Evaluate, steps: readonly PathStep[], property: string | undefined): Evaluate {
  return (scope) => {
    const name = expectString(key(scope));
    const found = property === undefined ? scope.resource(name) : scope.resourceProperty(name, property);
    if (found === undefined) throw new EvaluationError(`the registry has nothing at "${name}"`);
    return follow(found, steps, scope);
  };
}

/**
 * `xpath(expression)` on the message, or `xpath(expression, 'variable')` on the XML that a variable, or a field of a
 * variable's map, holds. Literal expressions are compiled at once.
 *
 * @throws ExpressionError for a literal that is no XPath
 */
export function xpathCall(expression: Argument, target: Argument | undefined, namespaces: Namespaces): Evaluate {
  const compiled =
    expression.literal === undefined || target !== undefined
      ? undefined
      : within(expression.offset + 1, () => compileXPath(expression.literal ?? '', namespaces));
  return (scope) => {
    if (compiled) return xpathResult(compiled, scope);
    const text = expectString(expression.evaluate(scope));
    if (!target) return xpathResult(compileXPath(text, namespaces), scope);
    return onVariable(scope, { text, name: expectString(target.evaluate(scope)), namespaces });
  };
}

interface VariablePath {
  readonly text: string;
  readonly name: string;
  readonly namespaces: Namespaces;
}

function onVariable(scope: Scope, { text, name, namespaces }: VariablePath): SynapseValue {
  const dot = name.indexOf('.');
  const holder = scope.variable(dot < 0 ? name : name.slice(0, dot));
  const value: unknown = dot < 0 ? holder : holder instanceof Map ? holder.get(name.slice(dot + 1)) : undefined;
  const nodes = fromProperty(value);
  const [node] = isNodeSet(nodes) ? nodes : [];
  if (!node) throw new EvaluationError(`the variable "${name}" holds no XML`);
  return xpathResult(compileXPath(text.replace(/^(?=\/)/, '.'), namespaces), scope, node);
}

function xpathResult(xpath: XPath, scope: Scope, context?: Parameters<XPath['evaluate']>[1]): SynapseValue {
  const value = xpath.evaluate(scope, context);
  const text = resultText(value, xpath.alwaysMarkup);
  if (text === undefined) return null;
  return isNodeSet(value) && value.length > 0 ? { kind: 'nodes', nodes: value, text } : text;
}
