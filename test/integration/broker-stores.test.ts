import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { configureLog, systemClock } from '#core';
import { lookUpBroker, type JmsConnection } from '#transport';
import { ask } from '../effects/effect-server.ts';
import { synapse } from '../helpers/managed-server.ts';
import { basic } from '../helpers/management-calls.ts';
import { connectRabbitmq, implementations, storingApi } from '../helpers/storing-api.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { activemqMissing, startActivemq, type BrokerPeer } from '../peers/activemq.ts';
import { rabbitmqMissing, startRabbitmq } from '../peers/rabbitmq.ts';

const users = `[[internal_apis.users]]
user.name = "root"
user.password = "root"
user.is_admin = true
`;

/** What arrived at the back end: body, and the header `X-Mine`. */
interface Arrived {
  readonly body: string;
  readonly mine: string | undefined;
  readonly type: string | undefined;
}

/** A kind of broker: how a store names a queue of it, and what happens there. */
interface Kind {
  readonly title: string;
  readonly missing: string | false;
  start(): Promise<BrokerPeer>;
  store(broker: BrokerPeer, name: string, extra?: string): string;
  /** Puts a text of another program into a queue. */
  put(broker: BrokerPeer, queue: string, text: string): Promise<void>;
  readonly type: string;
  readonly knowsSize: boolean;
  readonly refusal: RegExp;
}

const kinds: readonly Kind[] = [
  {
    title: 'stores over ActiveMQ',
    missing: activemqMissing,
    start: startActivemq,
    store: ({ port, username, password }, name, extra = '') =>
      `<messageStore ${synapse} name="${name}" class="${implementations}.jms.JmsStore">
  <parameter name="java.naming.factory.initial">org.apache.activemq.jndi.ActiveMQInitialContextFactory</parameter>
  <parameter name="java.naming.provider.url">failover:(tcp://127.0.0.1:${port})</parameter>
  <parameter name="store.jms.destination">${name}</parameter>
  <parameter name="store.jms.username">${username}</parameter>
  <parameter name="store.jms.password">${password}</parameter>
  <parameter name="store.jms.ConsumerReceiveTimeOut">3600000</parameter>
  <parameter name="store.jms.JMSSpecVersion">1.1</parameter>
  ${extra}
</messageStore>`,
    async put(broker, queue, text) {
      const connection = await connectActivemq(broker);
      await connection.send(
        { kind: 'queue', name: queue },
        {
          body: { kind: 'text', text },
          properties: new Map([['Mine', 'other']]),
          priority: 4,
          isPersistent: true,
          timeToLive: 0,
        },
      );
      await connection.close();
    },
    type: 'jms-message-store',
    knowsSize: false,
    refusal: /User name \[carrier\] or password is invalid/,
  },
  {
    title: 'stores over RabbitMQ',
    missing: rabbitmqMissing,
    start: () => startRabbitmq(),
    store: ({ port, username, password }, name, extra = '') =>
      `<messageStore ${synapse} name="${name}" class="${implementations}.rabbitmq.RabbitMQStore">
  <parameter name="store.rabbitmq.host.name">127.0.0.1,127.0.0.1</parameter>
  <parameter name="store.rabbitmq.host.port">1,${port}</parameter>
  <parameter name="store.rabbitmq.username">${username}</parameter>
  <parameter name="store.rabbitmq.password">${password}</parameter>
  <parameter name="store.rabbitmq.exchange.name">exchange of ${name}</parameter>
  <parameter name="store.rabbitmq.route.key">key</parameter>
  <parameter name="rabbitmq.connection.retry.count">0</parameter>
  ${extra}
</messageStore>`,
    async put(broker, queue, text) {
      const connection = await connectRabbitmq(broker);
      await connection.publish({
        exchange: '',
        routingKey: queue,
        content: Buffer.from(text),
        options: { headers: { Mine: 'other' } },
      });
      await connection.close();
    },
    type: 'rabbitmq-message-store',
    knowsSize: true,
    refusal: /ACCESS.REFUSED/,
  },
];

const processor = (name: string, store: string, extra = ''): string =>
  `<messageProcessor ${synapse} name="${name}" messageStore="${store}" targetEndpoint="Target">
  <parameter name="interval">20</parameter>
  <parameter name="throttle.interval">0</parameter>
  <parameter name="client.retry.interval">20</parameter>
  <parameter name="store.connection.retry.interval">50</parameter>
  <parameter name="max.delivery.attempts">0</parameter>
  ${extra}
</messageProcessor>`;

for (const kind of kinds) {
  suite(kind.title, { skip: kind.missing, timeout: 240_000 }, () => {
    let broker: BrokerPeer;
    let server: TemporaryServer;
    let backEnd: Server;
    let token = '';
    let isAngry = false;
    const arrived: Arrived[] = [];
    const lines: string[] = [];

    const post = (name: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${server.url('API HTTP')}/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      });
    const stored = async (name: string, body: string, headers?: Record<string, string>): Promise<void> => {
      const answer = await post(name, body, headers);
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
    };
    const manage = async (path: string, json?: unknown): Promise<Record<string, unknown>> => {
      const answer = await ask(`${server.url('Management')}/management${path}`, {
        method: json === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      assert.ok(typeof answer !== 'string', path);
      return JSON.parse(answer.body) as Record<string, unknown>;
    };
    const switchTo = (name: string, status: 'active' | 'inactive'): Promise<unknown> =>
      manage('/message-processors', { name, status });
    const until = async (count: number): Promise<readonly string[]> => {
      for (let wait = 0; wait < 600 && arrived.length < count; wait++) await pause(50);
      return arrived.splice(0).map(({ body }) => body);
    };

    before(async () => {
      configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } });
      backEnd = createServer((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        request.on('end', () => {
          if (!isAngry)
            arrived.push({
              body,
              mine: (request.headers['x-mine'] ?? request.headers['mine'])?.toString(),
              type: request.headers['content-type'],
            });
          response.writeHead(isAngry ? 500 : 202).end();
        });
      });
      await new Promise<void>((resolve) => backEnd.listen(0, '127.0.0.1', resolve));
      broker = await kind.start();
      const guaranteed = `<parameter name="store.producer.guaranteed.delivery.enable">true</parameter>
  <parameter name="store.failover.message.store.name">Spare</parameter>`;
      const { port } = backEnd.address() as AddressInfo;
      const wrong = { ...broker, password: 'topsecret' };
      server = await startTemporaryServer(
        {
          'artifacts/endpoints/Target.xml': `<endpoint ${synapse} name="Target"><http method="POST" uri-template="http://127.0.0.1:${port}/in"><suspendOnFailure><errorCodes>-1</errorCodes></suspendOnFailure></http></endpoint>`,
          'artifacts/message-stores/Inbox.xml': kind.store(broker, 'Inbox'),
          'artifacts/message-stores/Ranked.xml': kind.store(broker, 'Ranked'),
          'artifacts/message-stores/Sampled.xml': kind.store(broker, 'Sampled'),
          'artifacts/message-stores/Safe.xml': kind.store(broker, 'Safe', guaranteed),
          'artifacts/message-stores/Wrong.xml': kind.store(wrong, 'Wrong'),
          'artifacts/message-stores/Spare.xml': `<messageStore ${synapse} name="Spare"/>`,
          'artifacts/message-processors/Forward.xml': processor(
            'Forward',
            'Inbox',
            '<parameter name="message.processor.reply.sequence">Reply</parameter>',
          ),
          'artifacts/sequences/Reply.xml': `<sequence ${synapse} name="Reply"><log/></sequence>`,
          'artifacts/message-processors/Rank.xml': processor(
            'Rank',
            'Ranked',
            '<parameter name="is.active">false</parameter>',
          ),
          'artifacts/message-processors/Rescue.xml': processor(
            'Rescue',
            'Spare',
            '<parameter name="is.active">false</parameter>',
          ),
          'artifacts/message-processors/Sample.xml': `<messageProcessor ${synapse} name="Sample" class="org.apache.synapse.message.processor.impl.sampler.SamplingProcessor" messageStore="Sampled"><parameter name="interval">20</parameter><parameter name="sequence">Send</parameter></messageProcessor>`,
          'artifacts/sequences/Send.xml': `<sequence ${synapse} name="Send"><property name="OUT_ONLY" value="true"/><call><endpoint key="Target"/></call></sequence>`,
          'artifacts/api/in.xml': storingApi('in', 'Inbox'),
          'artifacts/api/ranked.xml': storingApi('ranked', 'Ranked'),
          'artifacts/api/sampled.xml': storingApi('sampled', 'Sampled'),
          'artifacts/api/safe.xml': storingApi('safe', 'Safe'),
          'artifacts/api/wrong.xml': storingApi('wrong', 'Wrong'),
        },
        `${freePorts}${users}`,
      );
      const answer = await ask(`${server.url('Management')}/management/login`, { headers: basic('root', 'root') });
      assert.ok(typeof answer !== 'string');
      token = (JSON.parse(answer.body) as { AccessToken: string }).AccessToken;
    });
    after(async () => {
      await server?.[Symbol.asyncDispose]();
      await broker?.[Symbol.asyncDispose]();
      backEnd.closeAllConnections();
      await new Promise((resolve) => backEnd.close(resolve));
      configureLog({ level: 'info', format: 'json' });
    });

    test('messages go through the queue in order, with their headers and the bytes of their body', async () => {
      for (let n = 0; n < 10; n++) await stored('in', `{"n":  ${n}.0}`, { 'X-Mine': `number ${n}` });
      for (let wait = 0; wait < 600 && arrived.length < 10; wait++) await pause(50);
      assert.deepEqual(
        arrived.splice(0),
        Array.from({ length: 10 }, (_, n) => ({
          body: `{"n":  ${n}.0}`,
          mine: `number ${n}`,
          type: 'application/json',
        })),
      );
    });

    test('a message stays in the queue until the back end has taken it', async () => {
      isAngry = true;
      await stored('in', '{"n": 1}');
      await stored('in', '{"n": 2}');
      await pause(200);
      assert.equal(arrived.length, 0);
      isAngry = false;
      assert.deepEqual(await until(2), ['{"n": 1}', '{"n": 2}']);
    });

    test('a deactivated processor gives back what it has; the most urgent message goes first', async () => {
      const isRanked = kind.type === 'jms-message-store';
      for (const rank of ['1', '9', '4']) await stored('ranked', `{"rank": ${rank}}`, { Priority: rank });
      const waiting = await manage('/message-stores?name=Ranked');
      assert.equal(waiting['size'], kind.knowsSize ? 3 : -1);
      isAngry = true;
      await switchTo('Rank', 'active');
      await pause(200);
      await switchTo('Rank', 'inactive');
      isAngry = false;
      await switchTo('Rank', 'active');
      const ranks = isRanked ? ['9', '4', '1'] : ['1', '9', '4'];
      assert.deepEqual(
        await until(3),
        ranks.map((rank) => `{"rank": ${rank}}`),
      );
    });

    test('sampling hands each message to a sequence', async () => {
      for (const n of [1, 2, 3]) await stored('sampled', `{"n": ${n}}`);
      assert.deepEqual([...(await until(3))].sort(), ['{"n": 1}', '{"n": 2}', '{"n": 3}']);
    });

    test('a text of another program is a message with its properties as headers', async () => {
      await kind.put(broker, 'Inbox', '<order xmlns=""><n>1</n></order>');
      for (let wait = 0; wait < 600 && arrived.length < 1; wait++) await pause(50);
      const [found] = arrived.splice(0);
      assert.equal(found?.body, '<order xmlns=""><n>1</n></order>');
      assert.match(found?.type ?? '', /^text\/xml/);
      assert.equal(found?.mine, 'other');
    });

    test('a wrong password fails the message with the words of the broker, and is not told', async () => {
      const answer = await post('wrong', '{}');
      assert.equal(answer.status, 503);
      const text = await answer.text();
      assert.match(text, kind.refusal);
      assert.doesNotMatch(text + lines.join(''), /topsecret/);
    });

    test('the management API knows the kind of store', async () => {
      const { list } = (await manage('/message-stores')) as { list: readonly { name: string; type: string }[] };
      assert.equal(list.find(({ name }) => name === 'Inbox')?.type, kind.type);
    });

    test('while the broker is down messages fail or go to the failover store; then everything goes on', async () => {
      await broker.stop();
      const answer = await post('in', '{"lost": true}');
      assert.equal(answer.status, 503);
      assert.match(await answer.text(), /^Inbox: 127\.0\.0\.1:\d+: /);
      await stored('safe', '{"safe": 1}');
      await switchTo('Rescue', 'active');
      assert.deepEqual(await until(1), ['{"safe": 1}']);
      await broker.start();
      await stored('in', '{"n": 1}');
      await stored('in', '{"n": 2}');
      assert.deepEqual(await until(2), ['{"n": 1}', '{"n": 2}']);
    });
  });
}

function connectActivemq({ port, username, password }: BrokerPeer): Promise<JmsConnection> {
  const properties = new Map([
    ['java.naming.factory.initial', 'org.apache.activemq.jndi.ActiveMQInitialContextFactory'],
    ['java.naming.provider.url', `tcp://127.0.0.1:${port}`],
  ]);
  const { provider, url } = lookUpBroker({ properties, pathOf: (path) => path }, 'ConnectionFactory');
  return provider.connect({ url, username, password, clock: systemClock });
}
