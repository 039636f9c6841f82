import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { configureLog, systemClock } from '#core';
import { connectAmqp, lookUpBroker, type AmqpConnection, type JmsConnection } from '#transport';
import { ask } from '../effects/effect-server.ts';
import { synapse } from '../helpers/managed-server.ts';
import { startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { activemqMissing, startActivemq, type BrokerPeer } from '../peers/activemq.ts';
import { rabbitmqMissing, startRabbitmq, type RabbitmqPeer } from '../peers/rabbitmq.ts';

configureLog({ level: 'silent', format: 'json' });

function api(name: string, address: string, before = ''): readonly [string, string] {
  const uri = address.replaceAll('&', '&amp;');
  const text = `<api ${synapse} name="${name}" context="/${name}"><resource methods="POST"><inSequence>${before}<call><endpoint><address uri="${uri}"/></endpoint></call><respond/></inSequence><faultSequence><payloadFactory media-type="json"><format>{"code":"$1"}</format><args><arg expression="$ctx:ERROR_CODE"/></args></payloadFactory><property name="HTTP_SC" value="500" scope="axis2"/><respond/></faultSequence></resource></api>`;
  return [`artifacts/api/${name}.xml`, text];
}

function inbound(
  protocol: string,
  [name, sequence]: readonly [string, string],
  parameters: object,
): readonly [string, string] {
  const all = Object.entries(parameters).map(([key, value]) => `<parameter name="${key}">${value}</parameter>`);
  const text = `<inboundEndpoint ${synapse} name="${name}" protocol="${protocol}" sequence="${sequence}"><parameters>${all.join('')}</parameters></inboundEndpoint>`;
  return [`artifacts/inbound-endpoints/${name}.xml`, text];
}

const answering = [
  'artifacts/sequences/Answer.xml',
  `<sequence ${synapse} name="Answer"><payloadFactory media-type="json"><format>{"answer":"$1"}</format><args><arg evaluator="json" expression="$.ask"/></args></payloadFactory><respond/></sequence>`,
] as const;
const oneWay = '<property name="OUT_ONLY" value="true"/>';
const short = '<property name="JMS_WAIT_REPLY" value="100" scope="axis2"/>';

async function post(server: TemporaryServer, path: string, body: string): Promise<{ status: number; body: string }> {
  const answer = await ask(`${server.url('API HTTP')}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Mine': 'mine' },
    body,
  });
  assert.ok(typeof answer !== 'string', `${path}: no answer`);
  return answer;
}

suite('endpoints over JMS', { skip: activemqMissing, timeout: 240_000 }, () => {
  let broker: BrokerPeer;
  let server: TemporaryServer;
  let connection: JmsConnection;

  before(async () => {
    broker = await startActivemq();
    const { port, username, password } = broker;
    const naming = {
      'java.naming.factory.initial': 'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
      'java.naming.provider.url': `tcp://127.0.0.1:${port}`,
      'transport.jms.ConnectionFactoryJNDIName': 'QueueConnectionFactory',
      'transport.jms.UserName': username,
      'transport.jms.Password': password,
    };
    const query = Object.entries(naming).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const address = (name: string): string => `jms:/${name}?${query.join('&')}`;
    const properties = new Map(Object.entries(naming));
    const { provider, url } = lookUpBroker({ properties, pathOf: (path) => path }, 'QueueConnectionFactory');
    connection = await provider.connect({ url, username, password, clock: systemClock });
    server = await startTemporaryServer(
      Object.fromEntries([
        answering,
        inbound('jms', ['Ask', 'Answer'], { ...naming, 'transport.jms.Destination': 'Ask', interval: 20 }),
        api(
          'oneway',
          `${address('One')}&transport.jms.Priority=7`,
          `${oneWay}<property name="JMS_TYPE" value="t" scope="axis2"/>`,
        ),
        api('ask', address('Ask')),
        api('silent', address('Silent'), short),
        api('gone', address('X').replace(`${port}`, '1')),
        api('gone-oneway', address('X').replace(`${port}`, '1'), oneWay),
      ]),
    );
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await connection?.close();
    await broker?.[Symbol.asyncDispose]();
  });

  test('a message for nobody to answer is in the queue, with its headers', async () => {
    assert.equal((await post(server, '/oneway', '{"n":1}')).status, 200);
    const consumer = await connection.consume({ kind: 'queue', name: 'One' });
    const delivery = await consumer.receive(10_000);
    assert.deepEqual(delivery?.message.body, { kind: 'text', text: '{"n":1}' });
    assert.equal(delivery.message.priority, 7);
    assert.equal(delivery.message.type, 't');
    assert.equal(delivery.message.properties.get('X-Mine'), 'mine');
    await delivery.acknowledge();
  });

  test('an answer becomes the message', async () => {
    const { status, body } = await post(server, '/ask', '{"ask":"why"}');
    assert.deepEqual([status, JSON.parse(body)], [200, { answer: 'why' }]);
  });

  test('no answer and no broker are faults like those of any endpoint', async () => {
    assert.deepEqual(await codeOf(server, '/silent'), '101504');
    assert.deepEqual(await codeOf(server, '/gone'), '101503');
    assert.deepEqual(await codeOf(server, '/gone-oneway'), '101503');
  });
});

async function codeOf(server: TemporaryServer, path: string): Promise<unknown> {
  const { status, body } = await post(server, path, '{}');
  assert.equal(status, 500);
  return (JSON.parse(body) as { code: unknown }).code;
}

suite('endpoints and inbound endpoints over RabbitMQ', { skip: rabbitmqMissing, timeout: 240_000 }, () => {
  let broker: RabbitmqPeer;
  let server: TemporaryServer;
  let connection: AmqpConnection;

  before(async () => {
    broker = await startRabbitmq();
    const { port, username, password } = broker;
    connection = await connectAmqp({ host: '127.0.0.1', port, username, password, virtualHost: '/' });
    const place = { 'rabbitmq.server.host.name': '127.0.0.1', 'rabbitmq.server.port': port };
    const address = (name: string, extra = ''): string =>
      `rabbitmq:/Factory?rabbitmq.server.host.name=127.0.0.1&rabbitmq.server.port=${port}&rabbitmq.queue.name=${name}${extra}`;
    const listen = (name: string, sequence: string, extra: object = {}): readonly [string, string] =>
      inbound('rabbitmq', [name, sequence], {
        ...place,
        'rabbitmq.connection.factory': 'Factory',
        'rabbitmq.queue.name': name,
        'rabbitmq.connection.retry.interval': 100,
        ...extra,
      });
    server = await startTemporaryServer(
      Object.fromEntries([
        answering,
        [
          'artifacts/sequences/Fail.xml',
          `<sequence ${synapse} name="Fail"><throwError type="X" errorMessage="no"/></sequence>`,
        ],
        [
          'artifacts/sequences/Forward.xml',
          `<sequence ${synapse} name="Forward">${oneWay}<call><endpoint><address uri="${address('Forwarded').replaceAll('&', '&amp;')}"/></endpoint></call></sequence>`,
        ],
        listen('Ask', 'Answer'),
        listen('ToForward', 'Forward', { sequential: false, 'rabbitmq.channel.consumer.qos': 5 }),
        listen('Failing', 'Fail', {
          'rabbitmq.exchange.name': 'own',
          'rabbitmq.queue.optional.x-dead-letter-exchange': '',
          'rabbitmq.queue.optional.x-dead-letter-routing-key': 'Failing',
          'rabbitmq.message.max.dead.lettered.count': 1,
          'rabbitmq.message.error.queue.routing.key': 'Errors',
        }),
        listen('Erring', 'Fail', {
          'rabbitmq.channel.consumer.qos': 1,
          'rabbitmq.message.max.dead.lettered.count': 0,
          'rabbitmq.message.error.exchange.name': 'later',
          'rabbitmq.message.error.queue.routing.key': 'ErredAtLast',
        }),
        api('ask', address('Ask')),
        api('oneway', address('One', '&rabbitmq.exchange.name=ours&rabbitmq.queue.routing.key=k'), oneWay),
      ]),
    );
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await connection?.close();
    await broker?.[Symbol.asyncDispose]();
  });

  const take = async (queue: string): Promise<{ text: string; headers: Readonly<Record<string, unknown>> }> => {
    for (let wait = 0; wait < 400; wait++) {
      const found = await connection
        .onChannel((channel) => channel.get(queue, { noAck: true }))
        .catch(() => false as const);
      if (found) return { text: found.content.toString(), headers: found.properties.headers ?? {} };
      await pause(25);
    }
    return assert.fail(`nothing came into ${queue}`);
  };

  test('a message goes through exchange and queue, made where they are not there', async () => {
    assert.equal((await post(server, '/oneway', '{"n":1}')).status, 200);
    const { text, headers } = await take('One');
    assert.equal(text, '{"n":1}');
    assert.equal(headers['X-Mine'], 'mine');
  });

  test('an answer becomes the message', async () => {
    const { status, body } = await post(server, '/ask', '{"ask":"why"}');
    assert.deepEqual([status, JSON.parse(body)], [200, { answer: 'why' }]);
  });

  test('messages of a queue go through the sequence', async () => {
    const content = Buffer.from('{"n":2}');
    await connection.publish({ exchange: '', routingKey: 'ToForward', content, options: { headers: { own: 'x' } } });
    const { text, headers } = await take('Forwarded');
    assert.deepEqual([text, headers['own']], ['{"n":2}', 'x']);
  });

  test('what no queue takes fails, and uses up no channels of its connection', async () => {
    const nowhere = { exchange: '', routingKey: 'Nowhere', content: Buffer.from('x'), options: {} };
    // A broker gives a connection 2047 channels.
    for (let round = 0; round < 30; round++) {
      const sent = await Promise.allSettled(Array.from({ length: 70 }, () => connection.publish(nowhere)));
      for (const { reason } of sent as PromiseRejectedResult[]) assert.match(String(reason), /no queue takes/);
    }
    const closed = connection.publish({ ...nowhere, exchange: 'no such exchange' });
    await assert.rejects(closed, /no exchange 'no such exchange'/);
    await assert.rejects(connection.publish(nowhere), /no queue takes/);
  });

  test('what fails is a dead letter, and goes to the errors when it came back too often', async () => {
    await connection.onChannel((channel) => channel.assertQueue('Errors', { durable: true }));
    await connection.publish({ exchange: 'own', routingKey: 'Failing', content: Buffer.from('{"n":3}'), options: {} });
    const { text, headers } = await take('Errors');
    assert.equal(text, '{"n":3}');
    assert.equal((headers['x-death'] as { count: number }[])[0]?.count, 1);
  });

  test('what cannot be handed to the errors comes again', async () => {
    await connection.publish({ exchange: '', routingKey: 'Erring', content: Buffer.from('{"n":4}'), options: {} });
    // There is no exchange "later" yet; the one message that the endpoint may have is not given up.
    await pause(300);
    await connection.onChannel(async (channel) => {
      await channel.assertQueue('ErredAtLast', { durable: true });
      await channel.assertExchange('later', 'direct', { durable: true });
      await channel.bindQueue('ErredAtLast', 'later', 'ErredAtLast');
    });
    assert.equal((await take('ErredAtLast')).text, '{"n":4}');
  });
});
