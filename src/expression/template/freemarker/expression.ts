import type { Blamed } from './errors.ts';
import type { Environment } from './environment.ts';
import type { Value } from './values.ts';

/** A compiled expression; its place is where it begins. */
export interface Expression extends Blamed {
  /** Some forms that others look at: parentheses make `!` and `??` forgive more. */
  readonly form: 'parenthesis' | 'name' | 'literal' | 'lambda' | 'other';
  /** The name of a variable. */
  readonly name?: string;
  evaluate(environment: Environment): Value;
}

/** A function of one parameter within a template, the argument of `?map` and its relatives. */
export interface Lambda extends Expression {
  readonly form: 'lambda';
  apply(environment: Environment, item: Value): Value;
}

export function isLambda(expression: Expression | undefined): expression is Lambda {
  return expression?.form === 'lambda';
}
