import { itemsOf } from '../convert.ts';
import { Markup } from '../output-format.ts';
import { evaluateLenient } from '../lenient.ts';
import { isHash, isMissing, nothing, TextMatch, type Value } from '../values.ts';
import { XmlNodes } from '../xml-nodes.ts';
import type { Builtin } from './builtin.ts';

/** Built-ins that ask whether there is a value; they may stand behind one that is missing. */
export const missingBuiltins: Readonly<Record<string, Builtin>> = {
  has_content: {
    isLenient: true,
    evaluate: (_, { environment, operand }) => hasContent(evaluateLenient(environment, operand)),
  },
  exists: {
    isLenient: true,
    evaluate: (_, { environment, operand }) => !isMissing(evaluateLenient(environment, operand)),
  },
  if_exists: {
    isLenient: true,
    evaluate: (_, { environment, operand }) => evaluateLenient(environment, operand) ?? nothing,
  },
  default: {
    isLenient: true,
    arity: [1, Number.POSITIVE_INFINITY],
    evaluate(_, { environment, operand, args }) {
      let value = evaluateLenient(environment, operand);
      for (const argument of args) {
        if (!isMissing(value)) return value;
        value = argument.evaluate(environment);
      }
      return value;
    },
  },
};

/** Texts, sequences and hashes with nothing in them have no content; numbers, dates and booleans always have. */
function hasContent(value: Value): boolean {
  if (isMissing(value) || value === nothing) return false;
  if (typeof value === 'string' || value instanceof TextMatch || value instanceof Markup) return lengthOf(value) > 0;
  if (value instanceof XmlNodes) return value.size > 0;
  const items = itemsOf(value);
  if (items) return items.size > 0;
  if (isHash(value)) return value.keys()[Symbol.iterator]().next().done !== true;
  return true;
}

function lengthOf(value: string | TextMatch | Markup): number {
  return typeof value === 'string' ? value.length : value.text.length;
}
