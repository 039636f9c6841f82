import { compileExpression } from './compile.ts';
import { within } from './error.ts';
import type { CompileOptions, Expression } from './expression.ts';
import type { Scope } from './scope.ts';

/** A compiled text with `${…}` in it. */
export interface InlineTemplate {
  /** The text when it holds no expression. */
  readonly literal?: string;
  readonly contentAware: boolean;
  /** Expressions without a value leave nothing. */
  readonly evaluate: (scope: Scope) => string;
}

/** Every `${…}` up to the first closing brace on the same line. */
export const inlineExpression = /\$\{(.+?)\}/g;

/**
 * Compiles a text in which every `${…}` is replaced by its value (runtime-core 8.1). Expressions cannot contain `}`.
 *
 * @throws ExpressionError with the offset within `text`
 */
export function compileInlineTemplate(text: string, options: CompileOptions = {}): InlineTemplate {
  const parts: (string | Expression)[] = [];
  let end = 0;
  for (const match of text.matchAll(inlineExpression)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(within(match.index, () => compileExpression(match[0], options)));
    end = match.index + match[0].length;
  }
  if (parts.length === 0) return { literal: text, contentAware: false, evaluate: () => text };
  if (end < text.length) parts.push(text.slice(end));
  return {
    contentAware: parts.some((part) => typeof part !== 'string' && part.contentAware),
    evaluate: (scope) => {
      let result = '';
      for (const part of parts) result += typeof part === 'string' ? part : (part.evaluateString(scope) ?? '');
      return result;
    },
  };
}
