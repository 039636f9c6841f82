import { STOP } from '../flow.ts';
import { defineMediator } from '../mediator.ts';
import { synapseElement } from '../reading.ts';

/** `<drop/>`: ends the flow; nothing is sent by it (mediators 2.4). */
export const drop = defineMediator({
  element: 'drop',
  attributes: [],
  children: [],
  needsBody: () => false,
  parse: () => ({}),
  serialize: () => synapseElement('drop'),
  compile: () => (message) => {
    message.addressing.to = undefined;
    return STOP;
  },
});
