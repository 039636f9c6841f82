import { MillraceError } from '#errors';
import type { CharSet } from './char-set.ts';

export type QuantifierMode = 'greedy' | 'lazy' | 'possessive';

export type AnchorKind =
  | 'start' // \A, and ^ without MULTILINE
  | 'end' // \z
  | 'finalEnd' // \Z, and $ without MULTILINE: also before a last line end
  | 'lineStart' // ^ with MULTILINE
  | 'lineEnd' // $ with MULTILINE
  | 'word' // \b
  | 'notWord'; // \B

/** A parsed regular expression; case, flags and character classes are resolved to sets of code points. */
export type RegexNode =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly RegexNode[] }
  | { readonly kind: 'group'; readonly body: RegexNode; readonly index: number; readonly name: string | undefined }
  | RepeatNode
  | {
      readonly kind: 'look';
      readonly body: RegexNode;
      readonly ahead: boolean;
      readonly negative: boolean;
      readonly position: number;
    }
  | { readonly kind: 'atomic'; readonly body: RegexNode; readonly position: number }
  | {
      readonly kind: 'reference';
      readonly index: number;
      /** Whether what the group takes has a limit of length. */
      readonly isBounded: boolean;
      readonly position: number;
    }
  | { readonly kind: 'anchor'; readonly at: AnchorKind };

export interface RepeatNode {
  readonly kind: 'repeat';
  readonly body: RegexNode;
  readonly min: number;
  /** Infinity when open. */
  readonly max: number;
  readonly mode: QuantifierMode;
  /** Index of the quantifier in the pattern. */
  readonly position: number;
}

/** Inline flags of java.util.regex. */
export interface RegexFlags {
  /** `i` */
  readonly caseInsensitive?: boolean;
  /** `m` */
  readonly multiline?: boolean;
  /** `s` */
  readonly dotAll?: boolean;
  /** `u`: case of all letters, not only of ASCII */
  readonly unicodeCase?: boolean;
  /** `x`: white space and `#` comments in the pattern are ignored */
  readonly comments?: boolean;
  /** `d`: only `\n` ends a line */
  readonly unixLines?: boolean;
}

export interface ParsedRegex {
  readonly root: RegexNode;
  readonly groupCount: number;
  /** Index of each named group. */
  readonly names: ReadonlyMap<string, number>;
}

/** Raised for a pattern that java.util.regex would not accept; `index` counts UTF-16 units from 0. */
export class RegexSyntaxError extends MillraceError {
  readonly index: number;

  constructor(pattern: string, index: number, what: string) {
    super({
      code: 'MR_JAVA_REGEX_SYNTAX',
      message: `${what} at character ${index + 1} of the regular expression ${JSON.stringify(pattern)}`,
    });
    this.index = index;
  }
}

/** Raised for a pattern that is valid, but could take more than linear time, or that no engine here knows. */
export class RegexUnsupportedError extends MillraceError {
  readonly index: number;

  constructor(pattern: string, index: number, what: string) {
    super({
      code: 'MR_JAVA_REGEX_UNSUPPORTED',
      message: `${what} at character ${index + 1} of the regular expression ${JSON.stringify(pattern)} is not supported`,
    });
    this.index = index;
  }
}
