import { TemplateFailure } from '../errors.ts';
import { compare } from '../operators.ts';
import { formatDate } from '../date-formats.ts';
import { formatNumber } from '../number-formats.ts';
import { booleanOf, plainText, required, wrongType } from '../convert.ts';
import { Callable, DateValue, isNumeric, TextMatches, type Value } from '../values.ts';
import { textArgument, type Builtin, type BuiltinCall } from './builtin.ts';

/** Built-ins that choose among their arguments, and `?string`, which chooses a format. */
export const choiceBuiltins: Readonly<Record<string, Builtin>> = {
  // eslint-disable-next-line unicorn/no-thenable -- the built-in has this name
  then: {
    arity: [2, 2],
    evaluate(value, { environment, operand, args }) {
      const chosen = args[booleanOf(value, operand) ? 0 : 1];
      return chosen && required(environment, chosen);
    },
  },
  switch: { arity: [2, Number.POSITIVE_INFINITY], evaluate: chooseCase },
  string: { arity: [0, 2], evaluate: toText },
};

function chooseCase(value: Value, { environment, operand, args, blamed }: BuiltinCall): Value {
  for (let index = 0; index + 1 < args.length; index += 2) {
    const [test, result] = [args[index], args[index + 1]];
    if (!test || !result) break;
    const operands = { first: value, second: required(environment, test), left: operand, right: test };
    if (compare('==', operands, blamed)) return required(environment, result);
  }
  const fallback = args.length % 2 === 1 ? args.at(-1) : undefined;
  if (fallback) return required(environment, fallback);
  throw new TemplateFailure('other', 'None of the cases of ?switch fits, and there is no default', blamed);
}

function toText(value: Value, call: BuiltinCall): Value {
  const { environment, operand, args } = call;
  if (typeof value === 'boolean' || value instanceof TextMatches) {
    const isTrue = booleanOf(value, operand);
    if (args.length === 2) return textArgument(call, isTrue ? 0 : 1);
    if (args.length === 0) return String(isTrue);
    throw new TemplateFailure('other', '?string of a boolean takes two texts', call.blamed);
  }
  if (args.length > 1) throw new TemplateFailure('other', '?string takes one format here', call.blamed);
  const format = args.length === 1 ? textArgument(call, 0) : undefined;
  if (format === undefined || value instanceof Callable) return plainText(environment, value, operand);
  if (isNumeric(value)) return formatNumber(format, value, { environment, blamed: call.blamed });
  if (value instanceof DateValue) return formatDate(format, value, { environment, blamed: call.blamed });
  throw wrongType('a number, a date or a boolean', value, operand);
}
