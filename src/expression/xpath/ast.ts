export const axes = [
  'ancestor',
  'ancestor-or-self',
  'attribute',
  'child',
  'descendant',
  'descendant-or-self',
  'following',
  'following-sibling',
  'namespace',
  'parent',
  'preceding',
  'preceding-sibling',
  'self',
] as const;
export type Axis = (typeof axes)[number];

export type NodeTest =
  /** A name; `local` may be `*`. The prefix is as written, undefined when there is none. */
  | { readonly kind: 'name'; readonly prefix: string | undefined; readonly local: string; readonly offset: number }
  | { readonly kind: 'node' | 'text' | 'comment' }
  | { readonly kind: 'processing-instruction'; readonly target: string | undefined };

export interface Step {
  readonly axis: Axis;
  readonly test: NodeTest;
  readonly predicates: readonly XPathAst[];
}

export type CompareOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';
export type ArithmeticOperator = '+' | '-' | '*' | 'div' | 'mod';

/** XPath 1.0 as parsed (W3C REC-xpath-19991116, section 3). */
export type XPathAst =
  | { readonly kind: 'logical'; readonly operator: 'or' | 'and'; readonly left: XPathAst; readonly right: XPathAst }
  | { readonly kind: 'compare'; readonly operator: CompareOperator; readonly left: XPathAst; readonly right: XPathAst }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: XPathAst;
      readonly right: XPathAst;
    }
  | { readonly kind: 'negate'; readonly operand: XPathAst }
  | { readonly kind: 'union'; readonly left: XPathAst; readonly right: XPathAst }
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'variable'; readonly prefix: string; readonly name: string; readonly offset: number }
  | CallAst
  | PathAst
  | { readonly kind: 'filter'; readonly primary: XPathAst; readonly predicates: readonly XPathAst[] };

export interface CallAst {
  readonly kind: 'call';
  readonly prefix: string;
  readonly name: string;
  readonly args: readonly XPathAst[];
  readonly offset: number;
}

export interface PathAst {
  readonly kind: 'path';
  readonly start: 'root' | 'context' | XPathAst;
  readonly steps: readonly Step[];
}
