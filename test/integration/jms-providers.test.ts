import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { systemClock } from '#core';
import {
  lookUpBroker,
  type JmsBody,
  type JmsConnection,
  type JmsDestination,
  type JmsOutgoing,
  type JmsValue,
} from '#transport';
import { startAmqpBroker, type AmqpBroker } from '../helpers/amqp-broker.ts';
import { activemqMissing, startActivemq, type BrokerPeer } from '../peers/activemq.ts';
import { rabbitmqMissing, startRabbitmq } from '../peers/rabbitmq.ts';

/** A broker, and how artifacts name it. */
interface Contract {
  readonly title: string;
  readonly missing: string | false;
  readonly factory: string;
  start(): Promise<Broker>;
  /** Kinds of bodies that the protocol does not carry between programs of several languages. */
  readonly without?: readonly JmsBody['kind'][];
  readonly selects: boolean;
  readonly browses: boolean;
  readonly topics: boolean;
}

type Account = { readonly username: string; readonly password: string; readonly clientId?: string };
type Broker = (BrokerPeer | AmqpBroker) & { readonly address: (account: Account) => string };

const contracts: readonly Contract[] = [
  {
    title: 'ActiveMQ over OpenWire',
    missing: activemqMissing,
    factory: 'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
    start: async () =>
      named(
        await startActivemq(),
        (port) => `failover:(tcp://127.0.0.1:1,tcp://127.0.0.1:${port})?jms.redeliveryPolicy.initialRedeliveryDelay=0`,
      ),
    selects: true,
    browses: true,
    topics: true,
  },
  {
    title: 'a broker of AMQP 1.0, as Qpid JMS reaches it',
    missing: false,
    factory: 'org.apache.qpid.jms.jndi.JmsInitialContextFactory',
    start: async () =>
      named(await startAmqpBroker(), (port) => `failover:(amqp://127.0.0.1:1,amqp://127.0.0.1:${port})`),
    selects: false,
    browses: true,
    topics: false,
  },
  {
    title: 'a broker of AMQP 0-9-1, as Andes is reached',
    missing: rabbitmqMissing,
    factory: 'org.wso2.andes.jndi.PropertiesFileInitialContextFactory',
    start: async () =>
      named(
        await startRabbitmq(),
        (port, { username, password }) =>
          `amqp://${username}:${encodeURIComponent(password)}@client/?brokerlist='tcp://127.0.0.1:1?retries='2';tcp://127.0.0.1:${port}'`,
      ),
    without: ['map', 'stream'],
    selects: false,
    browses: false,
    topics: true,
  },
];

function named(peer: BrokerPeer | AmqpBroker, address: (port: number, account: Account) => string): Broker {
  return Object.assign(peer, { address: (account: Account) => address(peer.port, account) });
}

const bodies: readonly JmsBody[] = [
  { kind: 'text', text: 'Grüße 😀 \0' },
  { kind: 'bytes', bytes: Buffer.from([0, 1, 255]) },
  { kind: 'object', bytes: Buffer.from([0xac, 0xed, 0, 5, 0x74, 0, 1, 0x78]) },
  {
    kind: 'map',
    entries: new Map<string, JmsValue>([
      ['a', 1],
      ['b', 'c'],
      ['d', true],
    ]),
  },
  { kind: 'stream', items: ['x', 2, false] },
  { kind: 'none' },
];

for (const contract of contracts) {
  suite(contract.title, { skip: contract.missing, timeout: 240_000 }, () => {
    let broker: Broker;
    let connection: JmsConnection;

    const connect = (account: Partial<Account> = {}): Promise<JmsConnection> => {
      const facts = { username: broker.username, password: broker.password, ...account };
      const properties = new Map([
        ['java.naming.factory.initial', contract.factory],
        ['connectionfactory.QueueConnectionFactory', broker.address(facts)],
      ]);
      const { provider, url } = lookUpBroker({ properties, pathOf: (path) => path }, 'QueueConnectionFactory');
      return provider.connect({ url, ...facts, clock: systemClock });
    };

    before(async () => {
      broker = await contract.start();
      connection = await connect();
    });
    after(async () => {
      await connection?.close();
      await broker?.[Symbol.asyncDispose]();
    });

    test('every body comes back, with headers and properties', async () => {
      const destination = queue('bodies');
      const consumer = await connection.consume(destination);
      for (const body of bodies.filter(({ kind }) => contract.without?.includes(kind) !== true)) {
        const properties = new Map<string, JmsValue>([
          ['text', 'x'],
          ['number', 7],
          ['flag', true],
        ]);
        await connection.send(destination, message(body, { properties, correlationId: 'c1', type: 't1' }));
        const delivery = await consumer.receive(10_000);
        assert.deepEqual(plain(delivery?.message.body), plain(body), body.kind);
        for (const [name, value] of properties) assert.equal(delivery?.message.properties.get(name), value, name);
        assert.equal(delivery?.message.correlationId, 'c1');
        assert.equal(delivery?.message.type, 't1');
        assert.equal(delivery?.message.isPersistent, true);
        assert.equal(delivery?.message.isRedelivered, false);
        await delivery?.acknowledge();
      }
      for (const kind of contract.without ?? []) {
        const body = bodies.find((each) => each.kind === kind)!;
        await assert.rejects(connection.send(destination, message(body)), /cannot be sent/);
      }
      await consumer.close();
    });

    test('messages come in order, each to one consumer, and only so many as are asked for', async () => {
      const destination = queue('order');
      for (const text of ['1', '2', '3']) await connection.send(destination, message({ kind: 'text', text }));
      const consumer = await connection.consume(destination);
      const first = await consumer.receive(10_000);
      const second = await consumer.receive(10_000);
      assert.deepEqual([textOf(first), textOf(second)], ['1', '2']);
      // The third is for whoever asks for it.
      await second?.acknowledge();
      await first?.acknowledge();
      const third = await consumer.receive(10_000);
      assert.equal(textOf(third), '3');
      await third?.acknowledge();
      assert.equal(await consumer.receive(50), undefined);
      await consumer.close();
    });

    test('what is not acknowledged is given to the next one', async () => {
      const destination = queue('again');
      await connection.send(destination, message({ kind: 'text', text: 'a' }));
      await connection.send(destination, message({ kind: 'text', text: 'b' }));
      const consumer = await connection.consume(destination);
      const delivery = await consumer.receive(10_000);
      assert.equal(textOf(delivery), 'a');
      await consumer.close();
      assert.equal(delivery?.isLost, true);
      const other = await connect();
      const next = await other.consume(destination);
      for (const text of ['a', 'b']) {
        const again = await next.receive(10_000);
        assert.equal(textOf(again), text);
        await again?.acknowledge();
      }
      await other.close();
      assert.equal(other.isOpen, false);
      await assert.rejects(other.send(destination, message({ kind: 'none' })));
    });

    test('what is released comes again, marked', async () => {
      const destination = queue('released');
      await connection.send(destination, message({ kind: 'text', text: 'a' }));
      const consumer = await connection.consume(destination);
      const first = await consumer.receive(10_000);
      assert.equal(first?.message.isRedelivered, false);
      await first.release();
      const second = await consumer.receive(10_000);
      assert.equal(textOf(second), 'a');
      assert.equal(second?.message.isRedelivered, true);
      await second.acknowledge();
      assert.equal(await consumer.receive(50), undefined);
      await consumer.close();
    });

    test('an answer comes to the queue that the question names', async () => {
      const replies = await connection.openReplyQueue();
      const asked = queue('questions');
      const question = message({ kind: 'text', text: '?' }, { replyTo: replies.destination, correlationId: 'c7' });
      await connection.send(asked, question);
      const other = await connect();
      const consumer = await other.consume(asked);
      const delivery = await consumer.receive(10_000);
      assert.ok(delivery?.message.replyTo);
      await other.send(delivery.message.replyTo, message({ kind: 'text', text: '!' }, { correlationId: 'c7' }));
      await delivery.acknowledge();
      const answer = await replies.consumer.receive(10_000);
      assert.equal(textOf(answer), '!');
      assert.equal(answer?.message.correlationId, 'c7');
      await answer.acknowledge();
      await replies.close();
      await other.close();
    });

    test(
      'a topic gives its messages to everybody, and keeps them for durable names',
      { skip: contract.topics ? false : 'this broker has no topics' },
      async () => {
        const news: JmsDestination = { kind: 'topic', name: 'news' };
        const reader = await connect({ clientId: 'reader' });
        const durable = await reader.consume(news, { durableName: 'Reader' });
        const passing = await connection.consume(news);
        await connection.send(news, message({ kind: 'text', text: '1' }));
        for (const consumer of [durable, passing]) {
          const delivery = await consumer.receive(10_000);
          assert.equal(textOf(delivery), '1');
          await delivery?.release();
          const again = await consumer.receive(10_000);
          assert.equal(textOf(again), '1');
          await again?.acknowledge();
        }
        await durable.close();
        await reader.close();
        await connection.send(news, message({ kind: 'text', text: '2' }));
        const back = await connect({ clientId: 'reader' });
        const kept = await back.consume(news, { durableName: 'Reader' });
        const delivery = await kept.receive(10_000);
        assert.equal(textOf(delivery), '2');
        await delivery?.acknowledge();
        await back.close();
        await passing.close();
      },
    );

    test('a wait ends with its signal', async () => {
      const consumer = await connection.consume(queue('silence'));
      const ending = new AbortController();
      const waiting = consumer.receive(3_600_000, ending.signal);
      ending.abort();
      assert.equal(await waiting, undefined);
      await consumer.close();
    });

    test('a selector chooses', { skip: contract.selects ? false : 'this broker selects nothing' }, async () => {
      const destination = queue('chosen');
      for (const colour of ['red', 'blue']) {
        const properties = new Map([['colour', colour]]);
        await connection.send(destination, message({ kind: 'text', text: colour }, { properties }));
      }
      const consumer = await connection.consume(destination, { selector: "colour = 'blue'" });
      const delivery = await consumer.receive(10_000);
      assert.equal(textOf(delivery), 'blue');
      await delivery?.acknowledge();
      await consumer.close();
    });

    test(
      'a queue is looked at without taking anything',
      { skip: contract.browses ? false : 'no way to do so' },
      async () => {
        const destination = queue('seen');
        for (const text of ['1', '2', '3']) await connection.send(destination, message({ kind: 'text', text }));
        const seen = await connection.browse?.(destination, { limit: 2, skip: new Set() });
        assert.deepEqual(
          seen?.map(({ body }) => plain(body)),
          [plain({ kind: 'text', text: '1' }), plain({ kind: 'text', text: '2' })],
        );
        const skip = new Set(seen?.map(({ id }) => id));
        const rest = await connection.browse?.(destination, { limit: 2, skip });
        assert.deepEqual(
          rest?.map(({ body }) => plain(body)),
          [plain({ kind: 'text', text: '3' })],
        );
        assert.deepEqual(await connection.browse?.(queue('nothing'), { limit: 10, skip }), []);
      },
    );

    test('a wrong password is refused, and not told', async () => {
      await assert.rejects(connect({ password: 'wrong secret' }), (error: Error) => {
        assert.match(error.message, /127\.0\.0\.1:\d+/);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    });

    test('a connection that breaks ends every wait', async () => {
      const lost = await connect();
      const consumer = await lost.consume(queue('broken'));
      const waiting = assert.rejects(consumer.receive(3_600_000));
      if ('cut' in broker) broker.cut();
      else await broker.stop();
      await waiting;
      assert.equal(lost.isOpen, false);
      if (!('cut' in broker)) await broker.start();
      connection = await connect();
      const next = await connection.consume(queue('broken'));
      await connection.send(queue('broken'), message({ kind: 'text', text: 'x' }));
      const delivery = await next.receive(10_000);
      assert.equal(textOf(delivery), 'x');
      await delivery?.acknowledge();
    });
  });
}

function queue(name: string): JmsDestination {
  return { kind: 'queue', name };
}

function message(body: JmsBody, facts: Partial<JmsOutgoing> = {}): JmsOutgoing {
  return { body, properties: new Map(), priority: 4, isPersistent: true, timeToLive: 0, ...facts };
}

function textOf(delivery: { readonly message: { readonly body: JmsBody } } | undefined): string | undefined {
  return delivery?.message.body.kind === 'text' ? delivery.message.body.text : undefined;
}

function plain(body: JmsBody | undefined): unknown {
  return body && 'bytes' in body ? { ...body, bytes: Buffer.from(body.bytes).toString('hex') } : body;
}
