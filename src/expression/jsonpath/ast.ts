import type { JsonValue } from '#json';
import type { Scope } from '../scope.ts';

/** A number that is written in the path, or one that an embedded expression yields for each message. */
export type IndexPart = number | ((scope: Scope) => number);

export type PathStep =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  /** A member or item whose name or index an embedded expression yields. */
  | { readonly kind: 'computed'; readonly key: (scope: Scope) => string | number }
  | { readonly kind: 'indexes'; readonly indexes: readonly IndexPart[] }
  | {
      readonly kind: 'slice';
      readonly from: IndexPart | undefined;
      readonly to: IndexPart | undefined;
      readonly step: IndexPart | undefined;
    }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'filter'; readonly condition: Condition }
  /** Every value at and below, to which the next step is applied. */
  | { readonly kind: 'descend' }
  | { readonly kind: 'function'; readonly name: string; readonly args: readonly Operand[] };

export interface PathAst {
  /** True when the path begins at the candidate of a filter (`@`). */
  readonly relative: boolean;
  readonly steps: readonly PathStep[];
}

export type Operand =
  | { readonly kind: 'path'; readonly path: PathAst }
  | { readonly kind: 'literal'; readonly value: JsonValue }
  | { readonly kind: 'pattern'; readonly matches: (text: string) => boolean }
  /** An expression of the surrounding language; undefined stands for no value. */
  | { readonly kind: 'embedded'; readonly evaluate: (scope: Scope) => JsonValue | undefined };

export type Condition =
  | { readonly kind: 'or' | 'and'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly operand: Condition }
  | { readonly kind: 'exists'; readonly operand: Operand }
  | { readonly kind: 'compare'; readonly operator: string; readonly left: Operand; readonly right: Operand };

/** The surrounding language's say in a path: its names, and its expressions where the path has values. */
export interface PathLanguage {
  /** Parses an expression of the surrounding language at `offset`, or returns undefined to leave it to the path. */
  readonly operand?: (offset: number) => { operand: Operand; end: number } | undefined;
  /** Parses an index expression at `offset` up to `]`, `,` or `:`. */
  readonly index?: (offset: number) => { key: (scope: Scope) => string | number; end: number };
  /** What a name after a dot looks like, as a sticky pattern. */
  readonly name?: RegExp;
}
