import { TemplateFailure } from './errors.ts';
import type { Environment } from './environment.ts';
import type { Expression } from './expression.ts';
import type { Value } from './values.ts';

/** The value, or nothing when it is missing; in parentheses nothing on the way needs to exist. */
export function evaluateLenient(environment: Environment, operand: Expression): Value {
  if (operand.form !== 'parenthesis') return operand.evaluate(environment);
  try {
    return operand.evaluate(environment);
  } catch (error) {
    if (error instanceof TemplateFailure && error.kind === 'missing') return undefined;
    throw error;
  }
}
