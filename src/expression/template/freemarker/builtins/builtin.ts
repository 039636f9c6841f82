import { arrayOf, booleanOf, numberFrom, plainText, required, textOf, wholeOf, wrongType } from '../convert.ts';
import { TemplateFailure, type Blamed } from '../errors.ts';
import { isLambda, type Expression } from '../expression.ts';
import { callFunction } from '../macro.ts';
import { isNumeric, type Numeric, type Value } from '../values.ts';
import type { Environment } from '../environment.ts';
import type { ReadContext } from '../read-expression.ts';

/** One use of a built-in in a run. */
export interface BuiltinCall {
  readonly environment: Environment;
  /** What stands before the `?`. */
  readonly operand: Expression;
  readonly args: readonly Expression[];
  /** The whole, for failures. */
  readonly blamed: Blamed;
  readonly context: ReadContext;
}

/** A built-in: what follows the `?`. */
export interface Builtin {
  /** Least and most arguments; without it there are no parentheses, with a least of 0 they may be left out. */
  readonly arity?: readonly [least: number, most: number];
  /** True when it evaluates its operand itself, which may be missing. */
  readonly isLenient?: boolean;
  /** A reason to refuse it at this place when the template is compiled. */
  check?(context: ReadContext, operand: Expression): string | undefined;
  evaluate(value: Value, call: BuiltinCall): Value;
}

/** A built-in of texts; what can be written as text is. */
export function ofText(evaluate: (text: string, call: BuiltinCall) => Value, arity?: Builtin['arity']): Builtin {
  return {
    ...(arity ? { arity } : {}),
    evaluate: (value, call) => evaluate(plainText(call.environment, value, call.operand), call),
  };
}

/** A built-in of numbers. */
export function ofNumber(evaluate: (value: Numeric, call: BuiltinCall) => Value, arity?: Builtin['arity']): Builtin {
  return {
    ...(arity ? { arity } : {}),
    evaluate(value, call) {
      if (!isNumeric(value)) throw wrongType('a number', value, call.operand);
      return evaluate(value, call);
    },
  };
}

/** A built-in of sequences that have an end. */
export function ofItems(
  evaluate: (items: readonly Value[], call: BuiltinCall) => Value,
  arity?: Builtin['arity'],
): Builtin {
  return {
    ...(arity ? { arity } : {}),
    evaluate: (value, call) => evaluate(arrayOf(call.environment, value, call.operand), call),
  };
}

/** The text of an argument; `fallback` when it is not given. */
export function textArgument(call: BuiltinCall, index: number, fallback = ''): string {
  const argument = call.args[index];
  return argument ? textOf(call.environment, argument) : fallback;
}

/** The whole number of an argument; `fallback` when it is not given. */
export function wholeArgument(call: BuiltinCall, index: number, fallback = 0): number {
  const argument = call.args[index];
  return argument ? wholeOf(numberFrom(call.environment, argument), argument) : fallback;
}

/** The value of an argument that must be there. */
export function valueArgument(call: BuiltinCall, index: number): NonNullable<Value> {
  const argument = call.args[index];
  if (!argument) throw new TemplateFailure('other', 'An argument is not given', call.blamed);
  return required(call.environment, argument);
}

/** The function that an argument is: a lambda, or a function of the template. */
export function functionArgument(call: BuiltinCall, index: number): (item: Value) => Value {
  const argument = call.args[index];
  if (!argument) throw new TemplateFailure('other', 'An argument is not given', call.blamed);
  const { environment, blamed } = call;
  if (isLambda(argument)) return (item) => argument.apply(environment, item);
  const callee = required(environment, argument);
  return (item) => callFunction(environment, { callee, values: [item], operand: argument }, blamed);
}

/** The condition that an argument is; see `functionArgument`. */
export function predicateArgument(call: BuiltinCall, index: number): (item: Value) => boolean {
  const apply = functionArgument(call, index);
  return (item) => booleanOf(apply(item), call.args[index] ?? call.blamed);
}
