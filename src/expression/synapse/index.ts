import { messageOf, MillraceError } from '#errors';
import type { Scope } from '../scope.ts';
import type { Namespaces } from '../xpath/index.ts';
import { parseSynapse } from './parse.ts';
import { toNative, toText, type SynapseValue } from './values.ts';

/** A compiled `${…}` expression. Any error makes the whole of it null, with a warning (runtime-core 8.5). */
export interface SynapseExpression {
  readonly contentAware: boolean;
  readonly evaluate: (scope: Scope) => SynapseValue;
  /** Undefined for null. */
  readonly evaluateString: (scope: Scope) => string | undefined;
  readonly evaluateNative: (scope: Scope) => ReturnType<typeof toNative>;
}

/**
 * Compiles what stands between `${` and `}`.
 *
 * @throws ExpressionError with the offset
 */
export function compileSynapse(source: string, namespaces: Namespaces): SynapseExpression {
  const parsed = parseSynapse(source, namespaces);
  const evaluate = (scope: Scope): SynapseValue => {
    try {
      return parsed.evaluate(scope);
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      scope.warn('an expression has no value', `\${${source}}: ${messageOf(error)}`);
      return null;
    }
  };
  return {
    contentAware: parsed.contentAware,
    evaluate,
    evaluateString: (scope) => resultText(evaluate(scope)),
    evaluateNative: (scope) => toNative(evaluate(scope)),
  };
}

/** A string that stands in quotes loses them. */
function resultText(value: SynapseValue): string | undefined {
  if (value === null) return undefined;
  const text = toText(value);
  const isQuoted = typeof value === 'string' && /^(?:'[\s\S]*'|"[\s\S]*")$/.test(text) && text.length > 1;
  return isQuoted ? text.slice(1, -1) : text;
}

export type { SynapseValue } from './values.ts';
