import { STOP } from '../flow.ts';
import { defineMediator } from '../mediator.ts';
import { synapseElement } from '../reading.ts';

/** `<respond/>`: the message goes to the client as it is, and the flow ends (mediators 2.4). */
export const respond = defineMediator({
  element: 'respond',
  attributes: [],
  children: [],
  needsBody: () => false,
  parse: () => ({}),
  serialize: () => synapseElement('respond'),
  compile: () => (message) => {
    message.addressing.to = undefined;
    message.response = true;
    const pending = message.exchange.answer(message);
    return pending ? pending.then(() => STOP) : STOP;
  },
});
