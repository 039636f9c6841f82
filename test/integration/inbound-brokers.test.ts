import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { configureLog, systemClock } from '#core';
import { lookUpBroker, type JmsConnection, type JmsOutgoing } from '#transport';
import { startAmqpBroker } from '../helpers/amqp-broker.ts';
import { synapse } from '../helpers/managed-server.ts';
import { startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { until } from '../helpers/until.ts';
import { activemqMissing, startActivemq } from '../peers/activemq.ts';

configureLog({ level: 'silent', format: 'json' });

/** What arrived at the back end: body and headers, in order. */
interface Arrived {
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A back end of the sequences that refuses bodies with "bad". */
async function startBackEnd(): Promise<{ server: Server; url: string; arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      arrived.push({ body, headers: request.headers });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"taken":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

/** Sequences: `Take` hands on, `Answer` answers, `Fail` fails, `RollBack` rolls back the first time. */
const sequences = (url: string): Readonly<Record<string, string>> => ({
  'artifacts/sequences/Take.xml': `<sequence ${synapse} name="Take"><call><endpoint><http method="POST" uri-template="${url}/"/></endpoint></call></sequence>`,
  'artifacts/sequences/Answer.xml': `<sequence ${synapse} name="Answer"><payloadFactory media-type="json"><format>{"answer":"$1"}</format><args><arg evaluator="json" expression="$.ask"/></args></payloadFactory><respond/></sequence>`,
  'artifacts/sequences/Fail.xml': `<sequence ${synapse} name="Fail"><call><endpoint><http method="POST" uri-template="${url}/"/></endpoint></call><throwError type="X" errorMessage="no"/></sequence>`,
  'artifacts/sequences/RollBack.xml': `<sequence ${synapse} name="RollBack"><filter source="$trp:JMS_REDELIVERED" regex="false"><then><property name="SET_ROLLBACK_ONLY" value="true"/></then></filter><call><endpoint><http method="POST" uri-template="${url}/"/></endpoint></call></sequence>`,
});

function inbound(protocol: string, [name, sequence]: readonly [string, string], parameters: object): string {
  const all = Object.entries(parameters).map(([key, value]) => `<parameter name="${key}">${value}</parameter>`);
  return `<inboundEndpoint ${synapse} name="${name}" protocol="${protocol}" sequence="${sequence}"><parameters>${all.join('')}</parameters></inboundEndpoint>`;
}

const jmsBrokers = [
  {
    title: 'inbound endpoints over ActiveMQ',
    missing: activemqMissing,
    start: startActivemq,
    factory: 'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
    url: (port: number) => `failover:(tcp://127.0.0.1:${port})?jms.redeliveryPolicy.initialRedeliveryDelay=0`,
  },
  {
    title: 'inbound endpoints over AMQP 1.0',
    missing: false as const,
    start: startAmqpBroker,
    factory: 'org.apache.qpid.jms.jndi.JmsInitialContextFactory',
    url: (port: number) => `amqp://127.0.0.1:${port}`,
  },
];

for (const kind of jmsBrokers) {
  suite(kind.title, { skip: kind.missing, timeout: 240_000 }, () => {
    let broker: Awaited<ReturnType<(typeof kind)['start']>>;
    let backEnd: Awaited<ReturnType<typeof startBackEnd>>;
    let server: TemporaryServer;
    let connection: JmsConnection;

    before(async () => {
      broker = await kind.start();
      backEnd = await startBackEnd();
      const naming = {
        'java.naming.factory.initial': kind.factory,
        'java.naming.provider.url': kind.url(broker.port),
        'connectionfactory.QueueConnectionFactory': kind.url(broker.port),
        'transport.jms.ConnectionFactoryJNDIName': 'QueueConnectionFactory',
        'transport.jms.UserName': broker.username,
        'transport.jms.Password': broker.password,
        interval: 20,
      };
      const { username, password } = broker;
      const found = lookUpBroker(
        {
          properties: new Map(Object.entries(naming).map(([name, value]) => [name, String(value)])),
          pathOf: (path) => path,
        },
        'QueueConnectionFactory',
      );
      connection = await found.provider.connect({ url: found.url, username, password, clock: systemClock });
      const endpoint = (name: string, sequence: string, extra: object = {}): readonly [string, string] => [
        `artifacts/inbound-endpoints/${name}.xml`,
        inbound('jms', [name, sequence], { ...naming, 'transport.jms.Destination': name, ...extra }),
      ];
      server = await startTemporaryServer({
        ...sequences(backEnd.url),
        ...Object.fromEntries([
          endpoint('Taken', 'Take', { 'transport.jms.CacheLevel': 3, 'concurrent.consumers': 2, sequential: false }),
          endpoint('Typed', 'Take', {
            'transport.jms.ContentType': 'application/xml',
            'transport.jms.ContentTypeProperty': 'kind',
            'transport.jms.MessagePropertyHyphens': 'replace',
          }),
          endpoint('Asked', 'Answer', { 'transport.jms.CacheLevel': 1 }),
          endpoint('RolledBack', 'RollBack', { 'transport.jms.SessionAcknowledgement': 'CLIENT_ACKNOWLEDGE' }),
          endpoint('Failing', 'Fail', {
            'transport.jms.SessionTransacted': true,
            'transport.jms.RetriesBeforeSuspension': 1,
            'transport.jms.PollingSuspensionPeriod': 600_000,
          }),
          endpoint('Careless', 'Fail'),
        ]),
      });
    });
    after(async () => {
      await server?.[Symbol.asyncDispose]();
      await connection?.close();
      backEnd.server.closeAllConnections();
      backEnd.server.close();
      await broker?.[Symbol.asyncDispose]();
    });

    const put = (queue: string, text: string, facts: Partial<JmsOutgoing> = {}): Promise<void> =>
      connection.send(
        { kind: 'queue', name: queue },
        {
          body: { kind: 'text', text },
          properties: new Map(),
          priority: 4,
          isPersistent: true,
          timeToLive: 0,
          ...facts,
        },
      );
    const of = (mark: string): readonly Arrived[] => backEnd.arrived.filter(({ body }) => body.includes(mark));

    test('messages go through the sequence, with their properties as headers', async () => {
      const facts = { properties: new Map([['colour', 'blue']]), correlationId: 'c1', type: 't1' };
      for (let n = 0; n < 5; n++) await put('Taken', `{"n":"taken${n}"}`, facts);
      await until('all arrive', () => of('taken').length === 5);
      const [first] = of('taken');
      assert.equal(first?.headers['colour'], 'blue');
      assert.equal(first?.headers['jms_coorelation_id'], 'c1');
      assert.equal(first?.headers['jms_type'], 't1');
      assert.match(String(first?.headers['content-type']), /^application\/json/);
    });

    test('the content type is that of a property, else that of the endpoint', async () => {
      await put('Typed', '<a>typed1</a>');
      await put('Typed', 'typed2', {
        properties: new Map([
          ['kind', 'text/plain'],
          ['X_HYPHEN_Y', 'z'],
        ]),
      });
      await until('both arrive', () => of('typed').length === 2);
      assert.match(String(of('typed1')[0]?.headers['content-type']), /^application\/xml/);
      assert.match(String(of('typed2')[0]?.headers['content-type']), /^text\/plain/);
      assert.equal(of('typed2')[0]?.headers['x-y'], 'z');
    });

    test('an answer goes to where the message asks for it', async () => {
      const replies = await connection.openReplyQueue();
      await put('Asked', '{"ask":"why"}', { replyTo: replies.destination, correlationId: 'c9' });
      const answer = await replies.consumer.receive(10_000);
      assert.deepEqual(answer?.message.body, { kind: 'text', text: '{"answer":"why"}' });
      assert.equal(answer.message.correlationId, 'c9');
      await answer.acknowledge();
      await replies.close();
    });

    test('what is rolled back is delivered again', async () => {
      await put('RolledBack', '{"n":"rolled"}');
      await until('it comes twice', () => of('rolled').length === 2);
      const marks = of('rolled').map(({ headers }) => headers['jms_redelivered']);
      assert.deepEqual(marks, ['false', 'true']);
    });

    test('failures in a transaction come again until the endpoint rests; without one they are done', async () => {
      await put('Failing', '{"n":"failing"}');
      await put('Careless', '{"n":"careless1"}');
      await put('Careless', '{"n":"careless2"}');
      await until('it was tried twice', () => of('failing').length === 2);
      await until('both were taken', () => of('careless').length === 2);
      assert.equal(of('failing').length, 2);
    });
  });
}
