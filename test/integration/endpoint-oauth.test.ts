import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { configureLog } from '#core';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

/** What the token server was asked, and what it gave. */
const asked: string[] = [];
let valid = '';
let delay = 0;

const tokens = await listen((request, response) => {
  void answerWith(request, (body) => {
    asked.push(`${request.headers.authorization ?? ''} ${body}`);
    valid = `token-${asked.length}`;
    const answer = JSON.stringify({ access_token: valid, expires_in: 3600 });
    setTimeout(() => response.setHeader('Content-Type', 'application/json').end(answer), delay);
  });
});

/** Takes only the token that was given last, and echoes what it got. */
const backEnd = await listen((request, response) => {
  void answerWith(request, (body) => {
    response.statusCode = request.headers.authorization === `Bearer ${valid}` ? 200 : 401;
    response.end(`${request.method} ${body}`);
  });
});

let server: TemporaryServer;

before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  server = await startTemporaryServer(
    {
      'artifacts/api/t.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t">
  <resource methods="POST">
    <inSequence><call><endpoint key="guarded"/></call><respond/></inSequence>
  </resource>
</api>`,
      'artifacts/endpoints/guarded.xml': `<endpoint xmlns="http://ws.apache.org/ns/synapse" name="guarded">
  <http method="post" uri-template="${backEnd.url}/x">
    <authentication><oauth><clientCredentials>
      <clientId>me</clientId>
      <clientSecret>secret</clientSecret>
      <tokenUrl>${tokens.url}/token</tokenUrl>
      <socketTimeout>20000</socketTimeout>
    </clientCredentials></oauth></authentication>
  </http>
</endpoint>`,
    },
    freePorts,
  );
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await Promise.all([tokens.close(), backEnd.close()]);
  configureLog({ level: 'info', format: 'json' });
});

test('many messages at once ask for one token', async () => {
  delay = 50;
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(`first ${index}`)));
  assert.deepEqual(
    answers,
    Array.from({ length: 20 }, (_, index) => `200 POST first ${index}`),
  );
  assert.deepEqual(asked, [`Basic ${Buffer.from('me:secret').toString('base64')} grant_type=client_credentials`]);
});

test('a token that the back end no longer takes is replaced once for all, and every message arrives whole', async () => {
  valid = 'withdrawn';
  asked.length = 1;
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(`second ${index}`)));
  assert.deepEqual(
    answers,
    Array.from({ length: 20 }, (_, index) => `200 POST second ${index}`),
  );
  assert.equal(asked.length, 2);
});

test('a token that was replaced serves the messages that follow', async () => {
  assert.equal(await post('third'), '200 POST third');
  assert.equal(asked.length, 2);
});

test('connections of its own to a token server end with the endpoint that wanted them', async () => {
  assert.equal(await tokens.connections(), 1);
  server.write(
    'artifacts/endpoints/guarded.xml',
    `<endpoint xmlns="http://ws.apache.org/ns/synapse" name="guarded"><http method="post" uri-template="${backEnd.url}/x"/></endpoint>`,
  );
  await server.server.deploy();
  while ((await tokens.connections()) > 0) await sleep(10);
});

async function answerWith(request: IncomingMessage, answer: (body: string) => void): Promise<void> {
  answer(await text(request));
}

async function post(body: string): Promise<string> {
  const response = await fetch(`${server.url('API HTTP')}/t`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body,
  });
  return `${response.status} ${await response.text()}`;
}

async function listen(listener: RequestListener): Promise<{
  readonly url: string;
  readonly connections: () => Promise<number>;
  readonly close: () => Promise<unknown>;
}> {
  const opened = createServer(listener);
  await new Promise<void>((resolve) => void opened.listen(0, '127.0.0.1', resolve));
  const { port } = opened.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () =>
      new Promise((resolve, reject) => {
        opened.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    close() {
      opened.closeAllConnections();
      return new Promise((resolve) => opened.close(resolve));
    },
  };
}
