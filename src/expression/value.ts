import { compileExpression } from './compile.ts';
import { within } from './error.ts';
import type { CompileOptions } from './expression.ts';
import type { Scope } from './scope.ts';

/** A compiled attribute that holds a literal or `{expression}`. */
export interface ValueExpression {
  /** The text when it does not depend on the message. */
  readonly literal?: string;
  readonly contentAware: boolean;
  /** Undefined when the expression has no value. */
  readonly evaluate: (scope: Scope) => string | undefined;
}

/**
 * Compiles the text of a "Value" attribute (runtime-core 8.1): `{expression}` is evaluated for each message, `{{x}}`
 * is the literal `{x}`, anything else is literal.
 *
 * @throws ExpressionError with the offset within `text`
 */
export function compileValue(text: string, options: CompileOptions = {}): ValueExpression {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}') || trimmed.length < 3) return literalValue(text);
  if (trimmed.startsWith('{{') && trimmed.endsWith('}}')) return literalValue(trimmed.slice(1, -1));
  const expression = within(text.indexOf('{') + 1, () => compileExpression(trimmed.slice(1, -1), options));
  return { contentAware: expression.contentAware, evaluate: expression.evaluateString };
}

function literalValue(literal: string): ValueExpression {
  return { literal, contentAware: false, evaluate: () => literal };
}
