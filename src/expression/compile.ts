import { ExpressionError, unexpected, within } from './error.ts';
import { noNamespaces, type CompileOptions, type Expression } from './expression.ts';
import { compileJsonEval } from './json-eval.ts';
import type { Scope } from './scope.ts';
import { compileSynapse } from './synapse/index.ts';
import { compileXPath, type Namespaces } from './xpath/index.ts';
import { compileXPath2 } from './xpath2/index.ts';
import { allowsXPath2 } from './xpath2/switch.ts';

/**
 * Compiles the text of an expression attribute, in the language that the text shows (runtime-core 8.1): `json-eval(…)`,
 * `${…}`, anything else XPath.
 *
 * @throws ExpressionError with the offset within `text`
 */
export function compileExpression(text: string, options: CompileOptions = {}): Expression {
  const namespaces = options.namespaces ?? noNamespaces;
  const trimmed = text.trim();
  const shift = text.indexOf(trimmed);
  if (trimmed.startsWith('json-eval(')) {
    if (!trimmed.endsWith(')')) throw unexpected('")" at the end of json-eval', text, text.length);
    const start = 'json-eval('.length;
    return { ...within(shift + start, () => compileJsonEval(trimmed.slice(start, -1), namespaces)), source: text };
  }
  if (trimmed.startsWith('${') && trimmed.endsWith('}')) {
    return within(shift + 2, () => synapseExpression(text, trimmed.slice(2, -1), namespaces));
  }
  return xpathExpression(text, namespaces);
}

/** Compiles a JSONPath that stands without `json-eval(…)` around it. @throws ExpressionError */
export function compileJsonExpression(path: string, options: CompileOptions = {}): Expression {
  return { ...compileJsonEval(path, options.namespaces ?? noNamespaces), source: path };
}

function synapseExpression(source: string, inner: string, namespaces: Namespaces): Expression {
  const compiled = compileSynapse(inner, namespaces);
  return {
    language: 'synapse',
    source,
    contentAware: compiled.contentAware,
    evaluateString: compiled.evaluateString,
    evaluateBoolean: (scope) => compiled.evaluateString(scope) === 'true',
    evaluateValue: compiled.evaluateNative,
  };
}

/** XPath 1.0; what its compiler refuses is tried as XPath 2.0 where that is allowed (runtime-core 8.1). */
function xpathExpression(source: string, namespaces: Namespaces): Expression {
  try {
    return xpath1Expression(source, namespaces);
  } catch (error) {
    if (!(error instanceof ExpressionError) || !allowsXPath2()) throw error;
    try {
      return compileXPath2(source, namespaces);
    } catch (second) {
      // What neither of them takes is explained in terms of XPath 1.0.
      throw second instanceof ExpressionError ? error : second;
    }
  }
}

function xpath1Expression(source: string, namespaces: Namespaces): Expression {
  const compiled = compileXPath(source, namespaces);
  return {
    language: 'xpath',
    source,
    contentAware: compiled.contentAware,
    evaluateString: (scope: Scope) => compiled.evaluateString(scope),
    evaluateBoolean: (scope: Scope) => compiled.evaluateBoolean(scope),
    evaluateValue: (scope: Scope) => compiled.evaluate(scope),
  };
}
