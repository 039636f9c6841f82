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
    message.waits();
    if (String(message.properties.get('OUT_ONLY')) === 'true') return sendOnly(target, message);
    return sendAndRespond(message);
  };

  async function sendAndRespond(message: Message): Promise<Flow> {
    return (await target.send(message, { blocking: false, deliver })) === STOP ? STOP : deliver(message);
  }

  async function deliver(answer: Message): Promise<Flow> {
    answer.response = true;
    const next = receive(answer);
    await (next ? next(answer) : answer.exchange.respondThrough(answer));
    return STOP;
  }
}

async function sendOnly(target: CompiledEndpoint, message: Message): Promise<Flow> {
  const deliver = (answer: Message): Flow => {
    answer.payload.discard();
    return STOP;
  };
  return (await target.send(message, { blocking: false, deliver })) === STOP ? STOP : deliver(message);
}
