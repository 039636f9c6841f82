import { XmlElement } from '#xml';
import type { Scope } from '../scope.ts';
import { isContentAware } from './analysis.ts';
import { Frame, booleanOf } from './code.ts';
import { compileAst, type Namespaces } from './compile.ts';
import { NodeCache, type XPathNode } from './nodes.ts';
import { parseXPath } from './parse.ts';
import { resultText } from './result.ts';
import type { XPathValue } from './values.ts';

/** A compiled XPath expression; `context` is the node to start from, the message's envelope when absent. */
export interface XPath {
  readonly contentAware: boolean;
  /** True when a single element gives its markup even if it has text. */
  readonly alwaysMarkup: boolean;
  readonly evaluate: (scope: Scope, context?: XPathNode) => XPathValue;
  readonly evaluateBoolean: (scope: Scope, context?: XPathNode) => boolean;
  readonly evaluateString: (scope: Scope, context?: XPathNode) => string | undefined;
}

const nowhere = new XmlElement('none');

/**
 * Compiles XPath 1.0 with the variables and functions of runtime-core 8.2.
 *
 * @throws ExpressionError with the offset
 */
export function compileXPath(source: string, namespaces: Namespaces): XPath {
  const ast = parseXPath(source);
  const code = compileAst(ast, namespaces);
  const contentAware = isContentAware(ast);
  const alwaysMarkup = /\bnode\(\s*\)/.test(source);
  const asBoolean = booleanOf(code);
  const frameFor = (scope: Scope, context: XPathNode | undefined): Frame => {
    const node = context ?? (contentAware ? scope.envelope() : nowhere);
    return new Frame({ scope, cache: new NodeCache() }, node);
  };
  const evaluate = (scope: Scope, context?: XPathNode): XPathValue => code.evaluate(frameFor(scope, context));
  return {
    contentAware,
    alwaysMarkup,
    evaluate,
    evaluateBoolean: (scope, context) => asBoolean(frameFor(scope, context)),
    evaluateString: (scope, context) => resultText(evaluate(scope, context), alwaysMarkup),
  };
}

export type { Namespaces } from './compile.ts';
export type { XPathAttribute, XPathDocument, XPathNode } from './nodes.ts';
export { isNodeSet, type XPathValue } from './values.ts';
