import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#core';
import { connectAmqp, lookUpBroker } from '#transport';
import { synapse } from '../helpers/managed-server.ts';
import { startProgram } from '../helpers/program.ts';
import { freePorts } from '../helpers/temporary-server.ts';
import { activemqMissing, startActivemq, type BrokerPeer } from '../peers/activemq.ts';
import { rabbitmqMissing, startRabbitmq } from '../peers/rabbitmq.ts';

const kills = 2;
const messages = 200;
const projectRoot = join(import.meta.dirname, '../..');

/** A broker: the parameters of an endpoint that takes its queue `Inbox`, and how messages come into that. */
interface Kind {
  readonly protocol: string;
  readonly missing: string | false;
  start(): Promise<BrokerPeer>;
  parameters(broker: BrokerPeer): Readonly<Record<string, string | number>>;
  fill(broker: BrokerPeer): Promise<void>;
}

const factory = 'org.apache.activemq.jndi.ActiveMQInitialContextFactory';
const namingOf = ({ port }: BrokerPeer): Readonly<Record<string, string>> => ({
  'java.naming.factory.initial': factory,
  'java.naming.provider.url': `tcp://127.0.0.1:${port}`,
});

const kinds: readonly Kind[] = [
  {
    protocol: 'jms',
    missing: activemqMissing,
    start: startActivemq,
    parameters: (broker) => ({
      ...namingOf(broker),
      'transport.jms.ConnectionFactoryJNDIName': 'QueueConnectionFactory',
      'transport.jms.Destination': 'Inbox',
      'transport.jms.UserName': broker.username,
      'transport.jms.Password': broker.password,
      'transport.jms.CacheLevel': 3,
      'concurrent.consumers': 3,
      interval: 10,
      coordination: 'false',
    }),
    async fill(broker) {
      const properties = new Map(Object.entries(namingOf(broker)));
      const { provider, url } = lookUpBroker({ properties, pathOf: (path) => path }, 'QueueConnectionFactory');
      const { username, password } = broker;
      const connection = await provider.connect({ url, username, password, clock: systemClock });
      const facts = { properties: new Map(), priority: 4, isPersistent: true, timeToLive: 0 };
      for (let n = 0; n < messages; n++) {
        const body = { kind: 'text', text: JSON.stringify({ n }) } as const;
        await connection.send({ kind: 'queue', name: 'Inbox' }, { ...facts, body });
      }
      await connection.close();
    },
  },
  {
    protocol: 'rabbitmq',
    missing: rabbitmqMissing,
    start: startRabbitmq,
    parameters: ({ port }) => ({
      'rabbitmq.connection.factory': 'Factory',
      'rabbitmq.server.host.name': '127.0.0.1',
      'rabbitmq.server.port': port,
      'rabbitmq.queue.name': 'Inbox',
      'rabbitmq.channel.consumer.qos': 5,
      'rabbitmq.connection.retry.interval': 200,
      coordination: 'false',
    }),
    async fill({ port, username, password }) {
      const connection = await connectAmqp({ host: '127.0.0.1', port, username, password, virtualHost: '/' });
      await connection.onChannel((channel) => channel.assertQueue('Inbox', { durable: true }));
      for (let n = 0; n < messages; n++) {
        const content = Buffer.from(JSON.stringify({ n }));
        await connection.publish({ exchange: '', routingKey: 'Inbox', content, options: { persistent: true } });
      }
      await connection.close();
    },
  },
];

/** A back end that takes its time, and counts how often each message arrived. */
async function startBackEnd(arrived: Map<number, number>): Promise<Server> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { n } = JSON.parse(text) as { n: number };
      setTimeout(() => {
        arrived.set(n, (arrived.get(n) ?? 0) + 1);
        response.writeHead(200).end();
      }, 5);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

for (const kind of kinds) {
  test(
    `no message of a queue is lost when the server that takes it is killed (${kind.protocol})`,
    { timeout: 240_000, skip: kind.missing },
    async (t) => {
      const arrived = new Map<number, number>();
      const home = mkdtempSync(join(tmpdir(), 'millrace-inbound-crash-'));
      const broker = await kind.start();
      const backEnd = await startBackEnd(arrived);
      t.after(async () => {
        await broker[Symbol.asyncDispose]();
        backEnd.closeAllConnections();
        backEnd.close();
        rmSync(home, { recursive: true, force: true });
      });
      const parameters = Object.entries(kind.parameters(broker)).map(
        ([name, value]) => `<parameter name="${name}">${value}</parameter>`,
      );
      const files = {
        'conf/deployment.toml': freePorts,
        'artifacts/sequences/Take.xml': `<sequence ${synapse} name="Take"><call><endpoint><http method="POST" uri-template="http://127.0.0.1:${(backEnd.address() as AddressInfo).port}/"/></endpoint></call></sequence>`,
        'artifacts/inbound-endpoints/Inbox.xml': `<inboundEndpoint ${synapse} name="Inbox" protocol="${kind.protocol}" sequence="Take"><parameters>${parameters.join('')}</parameters></inboundEndpoint>`,
      };
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), text);
      }
      await kind.fill(broker);
      // The launcher would die alone; what is killed must be the server itself.
      const args = [join(projectRoot, 'src/cli/main.ts'), 'start', '--home', home];
      const start = (): ReturnType<typeof startProgram> =>
        startProgram(process.execPath, args, { cwd: projectRoot, env: process.env });
      for (let round = 0; round < kills; round++) {
        const program = start();
        const before = arrived.size;
        for (let wait = 0; wait < 2400 && arrived.size < before + 20; wait++) await pause(25);
        await program.stop('SIGKILL');
      }
      assert.ok(arrived.size > 0 && arrived.size < messages, `${arrived.size} arrived before the last start`);
      const last = start();
      try {
        for (let wait = 0; wait < 2400 && arrived.size < messages; wait++) await pause(25);
        assert.equal(arrived.size, messages, last.output());
      } finally {
        await last.stop();
      }
      const repeated = [...arrived.values()].reduce((sum, times) => sum + times - 1, 0);
      t.diagnostic(`${messages} messages, ${repeated} of them twice`);
      // Only what was being mediated when the server died comes again.
      assert.ok(repeated <= kills * 5, `${repeated} messages came twice`);
    },
  );
}
