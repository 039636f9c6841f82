import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { configureLog } from '#core';
import { startTemporaryServer } from '../helpers/temporary-server.ts';

const connections = 64;
const changes = 200;

before(() => configureLog({ level: 'silent', format: 'json' }));
after(() => configureLog({ level: 'info', format: 'json' }));

function apiWithVersion(version: number): string {
  return `<api xmlns="http://ws.apache.org/ns/synapse" name="Versioned" context="/versioned">
  <resource methods="GET">
    <inSequence>
      <payloadFactory media-type="json"><format>{"version": ${version}}</format><args/></payloadFactory>
      <respond/>
    </inSequence>
  </resource>
</api>`;
}

interface Client {
  readonly agent: Agent;
  last: number;
  requests: number;
}

/** One request; rejects on anything but 200 with a version that is not older than the last one on this connection. */
function ask(url: string, client: Client): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: client.agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { version } = JSON.parse(text) as { version: number };
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        else if (version < client.last) reject(new Error(`version ${version} after ${client.last}`));
        else {
          client.last = version;
          client.requests++;
          resolve(version);
        }
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('artifacts change under load without a failed request, a reset or an answer that is older than the last', async (t) => {
  await using temporary = await startTemporaryServer({ 'artifacts/api/versioned.xml': apiWithVersion(0) });
  const url = `${temporary.url('API HTTP')}/versioned`;
  const clients = Array.from({ length: connections }, (): Client => {
    return { agent: new Agent({ keepAlive: true, maxSockets: 1 }), last: 0, requests: 0 };
  });
  let newest = 0;
  let isOver = false;
  const hammer = async (client: Client): Promise<void> => {
    while (!isOver) newest = Math.max(newest, await ask(url, client));
  };
  const load = Promise.all(clients.map(hammer));
  const changing = (async () => {
    for (let version = 1; version <= changes; version++) {
      temporary.write('artifacts/api/versioned.xml', apiWithVersion(version));
      while (newest < version && !isOver) await pause(2);
    }
  })();
  await Promise.race([load, changing]);
  isOver = true;
  await load;
  await changing;
  for (const { agent } of clients) agent.destroy();
  const total = clients.reduce((sum, client) => sum + client.requests, 0);
  t.diagnostic(`${changes} changes under ${connections} connections, ${total} requests, none failed`);
  assert.equal(newest, changes);
});

test('a change that is broken leaves the running artifacts alone, and a later sound one is taken', async () => {
  await using temporary = await startTemporaryServer({ 'artifacts/api/versioned.xml': apiWithVersion(1) });
  const url = `${temporary.url('API HTTP')}/versioned`;
  const client: Client = { agent: new Agent({ keepAlive: true, maxSockets: 1 }), last: 0, requests: 0 };
  temporary.write('artifacts/api/versioned.xml', apiWithVersion(2).replace('<respond/>', '<respnd/>'));
  await pause(300);
  assert.equal(await ask(url, client), 1);
  temporary.write('artifacts/api/versioned.xml', apiWithVersion(3));
  while ((await ask(url, client)) !== 3) await pause(5);
  client.agent.destroy();
});
