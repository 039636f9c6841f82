import { dot } from './char-names.ts';
import { type CharSet, fullSet, singleOf } from './char-set.ts';
import type { RegexNode } from './syntax.ts';

/** A pattern that is a text, perhaps with `.*` before or after it. */
export interface LiteralPattern {
  readonly text: string;
  readonly anyBefore: boolean;
  readonly anyAfter: boolean;
  /** Whether `.` stops at line ends. */
  readonly withinLine: boolean;
}

const anyLineEnd = /[\n\r\u0085\u2028\u2029]/;

/** Recognises patterns that need no engine, or undefined. */
export function literalOf(root: RegexNode): LiteralPattern | undefined {
  const items = root.kind === 'sequence' ? root.items : [root];
  const before = wildcardOf(items[0]);
  const after = items.length > 1 ? wildcardOf(items.at(-1)) : undefined;
  const middle = items.slice(before ? 1 : 0, after ? -1 : undefined);
  if (middle.length === 0 && before) return undefined;
  let text = '';
  for (const item of middle) {
    const code = item.kind === 'set' ? singleOf(item.set) : undefined;
    if (code === undefined) return undefined;
    text += String.fromCodePoint(code);
  }
  const wildcards = [before, after].filter((set) => set !== undefined);
  const withinLine = wildcards.includes(dot);
  // A mixture such as (?s:.*)a.* is left to the engines.
  if (withinLine && wildcards.some((set) => set !== dot)) return undefined;
  return { text, anyBefore: before !== undefined, anyAfter: after !== undefined, withinLine };
}

function wildcardOf(node: RegexNode | undefined): CharSet | undefined {
  if (node?.kind !== 'repeat' || node.min !== 0 || node.max !== Infinity || node.mode === 'possessive')
    return undefined;
  if (node.body.kind !== 'set') return undefined;
  return node.body.set === dot || node.body.set === fullSet ? node.body.set : undefined;
}

/** Whether the whole of `text` matches; undefined when line ends make it a matter for an engine. */
export function matchesLiteral(pattern: LiteralPattern, text: string): boolean | undefined {
  const { text: literal, anyBefore, anyAfter } = pattern;
  if (!anyBefore && !anyAfter) return text === literal;
  const fits = anyBefore ? (anyAfter ? text.includes(literal) : text.endsWith(literal)) : text.startsWith(literal);
  if (!fits || !pattern.withinLine) return fits;
  return anyLineEnd.test(text) ? undefined : true;
}
