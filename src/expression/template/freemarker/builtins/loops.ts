import { TemplateFailure } from '../errors.ts';
import { numeric } from '../numbers.ts';
import { required } from '../convert.ts';
import type { LoopState } from '../environment.ts';
import type { Value } from '../values.ts';
import type { Builtin, BuiltinCall } from './builtin.ts';

/** Built-ins of loop variables. */
export const loopBuiltins: Readonly<Record<string, Builtin>> = {
  index: ofLoop(({ index }) => numeric(index)),
  counter: ofLoop(({ index }) => numeric(index + 1)),
  has_next: ofLoop(({ hasNext }) => hasNext),
  is_first: ofLoop(({ index }) => index === 0),
  is_last: ofLoop(({ hasNext }) => !hasNext),
  is_odd_item: ofLoop(({ index }) => index % 2 === 0),
  is_even_item: ofLoop(({ index }) => index % 2 === 1),
  item_parity: ofLoop(({ index }) => (index % 2 === 0 ? 'odd' : 'even')),
  item_parity_cap: ofLoop(({ index }) => (index % 2 === 0 ? 'Odd' : 'Even')),
  item_cycle: {
    ...ofLoop(({ index }, { environment, args }) => {
      const chosen = args[index % args.length];
      return chosen && required(environment, chosen);
    }),
    arity: [1, Number.POSITIVE_INFINITY],
  },
};

function ofLoop(evaluate: (state: LoopState, call: BuiltinCall) => Value): Builtin {
  return {
    isLenient: true,
    check: ({ loopNames }, { name, source }) => {
      return name !== undefined && loopNames.has(name) ? undefined : `"${source}" is no variable of a list here`;
    },
    evaluate(_, call) {
      const { environment, operand, blamed } = call;
      const state = environment.loop(operand.name ?? '');
      if (!state) throw new TemplateFailure('other', `"${operand.source}" is no variable of a loop here`, blamed);
      return evaluate(state, call);
    },
  };
}
