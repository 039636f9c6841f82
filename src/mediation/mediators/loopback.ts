import { STOP } from '../flow.ts';
import { defineMediator } from '../mediator.ts';
import { synapseElement } from '../reading.ts';

/** `<loopback/>`: a request turns around and takes the out path; nothing happens to a response (mediators 2.4). */
export const loopback = defineMediator({
  element: 'loopback',
  attributes: [],
  children: [],
  needsBody: () => false,
  parse: () => ({}),
  serialize: () => synapseElement('loopback'),
  compile: () => (message) => {
    if (message.response) return STOP;
    message.response = true;
    message.addressing.to = undefined;
    const flow = message.exchange.respondThrough(message);
    return typeof flow === 'boolean' ? STOP : flow.then(() => STOP);
  },
});
