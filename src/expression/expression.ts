import type { JsonValue } from '#json';
import type { XmlNode } from '#xml';
import type { Scope } from './scope.ts';
import type { Namespaces, XPathNode, XPathValue } from './xpath/index.ts';

/** What compiling needs to know of the place where an expression stands. */
export interface CompileOptions {
  /** Prefixes in scope at the element that holds the expression. */
  readonly namespaces?: Namespaces;
}

export const noNamespaces: Namespaces = new Map();

/** A compiled expression of any of the three languages. */
export interface Expression {
  readonly language: 'xpath' | 'jsonpath' | 'synapse';
  /** The text as it was written. */
  readonly source: string;
  /** True when evaluating reads the payload, which must then be loaded. */
  readonly contentAware: boolean;
  /**
   * The result as text. Where nothing was found it is the empty string, as in the original; undefined stands for null:
   * a variable without a value, or an expression that failed.
   */
  readonly evaluateString: (scope: Scope) => string | undefined;
  /** The result as a condition: XPath's own conversion, in the other languages only `true` is true. */
  readonly evaluateBoolean: (scope: Scope) => boolean;
  /** The result as it is: nodes, JSON, string, number, boolean, null; undefined for a JSONPath that leads nowhere. */
  readonly evaluateValue: (scope: Scope) => ExpressionValue;
}

export type ExpressionValue = XPathValue | JsonValue | readonly (XPathNode | XmlNode)[] | undefined;
