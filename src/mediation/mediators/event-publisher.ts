import { synapseCodes } from '#errors';
import { Fault } from '../fault.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { payloadOf, publish } from './event.ts';

interface Definition {
  readonly eventSourceName: string;
}

/** `<eventPublisher>`: the message goes to those who subscribed to an event source (mediators 7.4). */
export const eventPublisher = defineMediator<Definition>({
  element: 'eventPublisher',
  attributes: ['eventSourceName'],
  children: [],
  needsBody: () => true,
  parse: (node) => ({ eventSourceName: node.required('eventSourceName') }),
  serialize: ({ eventSourceName }) => synapseElement('eventPublisher', { eventSourceName }),
  compile: ({ eventSourceName }, { services }) => {
    return (message) => {
      const topic = `eventSource:${eventSourceName}`;
      if (publish(services.events, message, { topic, content: payloadOf(message) }) > 0) return CONTINUE;
      throw new Fault({ code: synapseCodes.mediation, message: `Event source "${eventSourceName}" not found` });
    };
  },
});
