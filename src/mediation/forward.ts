import type { Message } from '#message';
import type { CompiledEndpoint } from './endpoint.ts';
import { STOP, type Flow } from './flow.ts';
import type { Compiled } from './mediator.ts';

/**
 * Sends a message through an endpoint without blocking and ends the flow (mediators 2.4): the answer goes to `receive`
 * when that gives a flow, else through the out sequence to the client. With `OUT_ONLY` nobody waits for the answer.
 */
export function forwarding(
  target: CompiledEndpoint,
  receive: (message: Message) => Compiled | undefined = () => undefined,
): Compiled {
  return (message) => {
    message.exchange.waits(message);
    if (String(message.properties.get('OUT_ONLY')) === 'true') return sendOnly(target, message);
    return sendAndRespond(message);
  };

  async function sendAndRespond(message: Message): Promise<Flow> {
    if ((await target.send(message, { blocking: false })) === STOP) return STOP;
    message.response = true;
    const next = receive(message);
    await (next ? next(message) : message.exchange.respondThrough(message));
    return STOP;
  }
}

async function sendOnly(target: CompiledEndpoint, message: Message): Promise<Flow> {
  await target.send(message, { blocking: false });
  message.payload.discard();
  return STOP;
}
