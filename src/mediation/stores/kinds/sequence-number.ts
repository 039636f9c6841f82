import type { CompileContext } from '../../context.ts';
import { BackgroundExchange } from '../../background/exchange.ts';
import { parameterOf, type Parameters } from '../parameters.ts';
import { revive, type StoredMessage } from '../stored-message.ts';

/** Finds the number of a message with the expression of `store.resequence.id.path`. */
export function sequenceNumberOf(
  parameters: Parameters,
  { library }: CompileContext,
): (message: StoredMessage) => number | undefined {
  const expression = parameterOf(parameters, 'store.resequence.id.path')?.expression?.expression;
  return (stored) => {
    const message = revive(stored, new BackgroundExchange(library.environment));
    const text = expression?.evaluateString(message)?.trim();
    return text === undefined || !/^-?\d+$/.test(text) ? undefined : Number(text);
  };
}
