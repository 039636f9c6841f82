import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { startAmqpBroker } from '../helpers/amqp-broker.ts';
import type { EffectRow } from './effect-row.ts';
import { apiOf, askApi, ports } from './effect-server.ts';

/** A flow that hands its message to an address and asks for no answer. */
function flowTo(address: string): ReturnType<typeof apiOf> {
  const uri = address.replaceAll('&', '&amp;');
  return apiOf(
    `<property name="OUT_ONLY" value="true"/><call><endpoint><address uri="${uri}"/></endpoint></call><respond/>`,
  );
}

const jmsFactory = (account: string): string => `${ports}[[transport.jms.sender]]
parameter.initial_naming_factory = "org.apache.qpid.jms.jndi.JmsInitialContextFactory"
parameter.provider_url = "amqp://127.0.0.1:PORT"
parameter.connection_factory_name = "Factory"
parameter.password = "pass word"
${account}`;
const carrier = 'parameter.username = "carrier"\n';

/** What a client gets of an API that sends to a queue by way of the connection factory "ours". */
async function sentByJms(text: string): Promise<string> {
  await using broker = await startAmqpBroker();
  // As every factory of this provider, this one is declared beside the address of the broker.
  const url = `amqp://127.0.0.1:${broker.port}`;
  const declared = `connectionfactory.Factory=${encodeURIComponent(url)}`;
  const files = flowTo(`jms:/Queue?transport.jms.ConnectionFactory=ours&${declared}`);
  return await askApi(text.replaceAll('PORT', String(broker.port)), files, { method: 'POST', body: 'hi' });
}

const rabbitmqFactory = (more: string): string => `${ports}[[transport.rabbitmq.sender]]
parameter.port = "PORT"
${more}`;
const here = 'parameter.hostname = "127.0.0.1"\n';

/** How a server greets a broker to which an API sends by way of the connection factory "ours". */
async function greetedByRabbitmq(text: string): Promise<string> {
  let greeting = '';
  const broker = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        greeting += bytes.toString('latin1', 0, 4);
        socket.destroy();
      });
  });
  await once(broker.listen(0, '127.0.0.1'), 'listening');
  const { port } = broker.address() as AddressInfo;
  try {
    const files = flowTo('rabbitmq:/ours?rabbitmq.queue.name=Queue');
    await askApi(text.replaceAll('PORT', String(port)), files, { method: 'POST', body: 'hi' });
    return greeting;
  } finally {
    broker.close();
  }
}

export const rows: readonly EffectRow[] = [
  {
    key: 'transport.jms.sender_enable',
    given: jmsFactory(`name = "ours"\n${carrier}`),
    first: true,
    second: false,
    observe: (_, text) => sentByJms(text),
  },
  {
    key: 'transport.jms.sender.name',
    given: jmsFactory(carrier),
    first: 'ours',
    second: 'theirs',
    observe: (_, text) => sentByJms(text),
  },
  {
    key: 'transport.jms.sender.parameter.username',
    given: jmsFactory('name = "ours"\n'),
    first: 'carrier',
    second: 'nobody',
    observe: (_, text) => sentByJms(text),
  },
  {
    key: 'transport.rabbitmq.sender_enable',
    given: rabbitmqFactory(`name = "ours"\n${here}`),
    first: true,
    second: false,
    observe: (_, text) => greetedByRabbitmq(text),
  },
  {
    key: 'transport.rabbitmq.sender.name',
    given: rabbitmqFactory(here),
    first: 'ours',
    second: 'theirs',
    observe: (_, text) => greetedByRabbitmq(text),
  },
  {
    key: 'transport.rabbitmq.sender.parameter.hostname',
    given: rabbitmqFactory('name = "ours"\n'),
    first: '127.0.0.1',
    second: 'absent.invalid',
    observe: (_, text) => greetedByRabbitmq(text),
  },
];
