import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAmqp } from '#transport';
import { synapse } from '../helpers/managed-server.ts';
import { startTemporaryServer } from '../helpers/temporary-server.ts';
import { rabbitmqMissing, startRabbitmq } from '../peers/rabbitmq.ts';

/** Rolls back the first time, with or without the wish for another delivery. */
const sequence = (url: string): string => `<sequence ${synapse} name="Take">
  <call><endpoint><http method="POST" uri-template="${url}/"/></endpoint></call>
  <filter xpath="\${payload.isFirst}"><then>
    <property name="SET_ROLLBACK_ONLY" value="true"/>
    <property name="SET_REQUEUE_ON_ROLLBACK" expression="\${payload.requeue}"/>
  </then></filter>
</sequence>`;

test(
  'SET_REQUEUE_ON_ROLLBACK has a message delivered again that was rolled back',
  { timeout: 120_000, skip: rabbitmqMissing },
  async () => {
    const arrived: string[] = [];
    const backEnd = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        const { name, requeue } = JSON.parse(text) as { name: string; requeue: boolean };
        const isFirst = !arrived.includes(name);
        arrived.push(name);
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ isFirst, requeue: String(requeue) }));
      });
    });
    await new Promise<void>((resolve) => void backEnd.listen(0, '127.0.0.1', resolve));
    await using broker = await startRabbitmq();
    const { port, username, password } = broker;
    const parameters = Object.entries({
      'rabbitmq.connection.factory': 'Factory',
      'rabbitmq.server.host.name': '127.0.0.1',
      'rabbitmq.server.port': port,
      'rabbitmq.queue.name': 'Inbox',
      'rabbitmq.connection.retry.interval': 200,
      coordination: 'false',
    }).map(([name, value]) => `<parameter name="${name}">${value}</parameter>`);
    const connection = await connectAmqp({ host: '127.0.0.1', port, username, password, virtualHost: '/' });
    try {
      await connection.onChannel((channel) => channel.assertQueue('Inbox', { durable: true }));
      const messages = [
        { name: 'dropped', requeue: false },
        { name: 'again', requeue: true },
        { name: 'last', requeue: false },
      ];
      for (const message of messages) {
        const options = { persistent: true, contentType: 'application/json' };
        const content = Buffer.from(JSON.stringify(message));
        await connection.publish({ exchange: '', routingKey: 'Inbox', content, options });
      }
      await using _server = await startTemporaryServer({
        'artifacts/sequences/Take.xml': sequence(`http://127.0.0.1:${(backEnd.address() as AddressInfo).port}`),
        'artifacts/inbound-endpoints/Inbox.xml': `<inboundEndpoint ${synapse} name="Inbox" protocol="rabbitmq" sequence="Take"><parameters>${parameters.join('')}</parameters></inboundEndpoint>`,
      });
      const isOver = (): boolean => arrived.length >= 4 && arrived.includes('last');
      for (let wait = 0; wait < 2400 && !isOver(); wait++) await pause(25);
      assert.deepEqual(arrived.toSorted(), ['again', 'again', 'dropped', 'last']);
    } finally {
      await connection.close();
      backEnd.closeAllConnections();
      backEnd.close();
    }
  },
);
