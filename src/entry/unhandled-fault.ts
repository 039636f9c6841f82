import { getLogger } from '#core';
import { messageOf } from '#errors';
import { Fault, faultFields } from '#mediation';
import type { Message } from '#message';
import type { HttpRequest } from '#transport';
import type { HttpExchange } from './exchange.ts';
import { answerFault } from './fault-answer.ts';

const log = getLogger('entry');

/**
 * Answers a message that failed with no handler left: status 500 with a SOAP fault in the version of a SOAP client and
 * a plain `<Exception>` for others (runtime-core 7.2). The cause goes to the log only.
 */
export function answerUnhandledFault(
  { exchange, request, message }: { exchange: HttpExchange; request: HttpRequest; message: Message },
  error: unknown,
): void {
  const fields = error instanceof Fault ? faultFields(error) : { err: error };
  log.error({ ...fields, target: request.target, message: message.id }, 'a message failed and nothing handled it');
  message.payload.discard();
  const reason = error instanceof Fault ? (messageOf(error).split('\n', 1)[0] ?? '') : 'Internal error';
  answerFault(exchange, message, { reason });
}
