import { defineSection, key } from './define.ts';
import { boolean, secretBag, text } from './types.ts';

const senderEnable = (scheme: string) =>
  key('sender_enable', boolean(), {
    default: true,
    additional: true,
    doc: `Sending to \`${scheme}:\` addresses.`,
    effect: 'false refuses messages for such addresses.',
  });

/** A named way to a broker, to which addresses of endpoints refer. */
const factoryKeys = (reference: string) => ({
  name: key('name', text(), {
    required: true,
    additional: true,
    doc: 'Name of the connection factory.',
    effect: `${reference} of an address refers to it.`,
  }),
  parameters: key('parameter.<name>', secretBag(), {
    additional: true,
    doc: 'What the address need not say.',
    effect: 'counts for addresses that refer to the factory, where they say nothing else.',
  }),
});

export const transportJms = defineSection({
  path: 'transport.jms',
  doc: 'Sending to brokers that speak JMS.',
  keys: { senderEnable: senderEnable('jms') },
});

export const transportJmsSender = defineSection({
  path: 'transport.jms.sender',
  repeated: true,
  doc: 'Connection factories of brokers that speak JMS.',
  keys: factoryKeys('`transport.jms.ConnectionFactory`'),
});

export const transportRabbitmq = defineSection({
  path: 'transport.rabbitmq',
  doc: 'Sending to RabbitMQ.',
  keys: { senderEnable: senderEnable('rabbitmq') },
});

export const transportRabbitmqSender = defineSection({
  path: 'transport.rabbitmq.sender',
  repeated: true,
  doc: 'Connection factories of RabbitMQ.',
  keys: factoryKeys('The name behind `rabbitmq:/`, or `rabbitmq.connection.factory`,'),
});
