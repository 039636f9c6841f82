import assert from 'node:assert/strict';
import { request as httpsRequest } from 'node:https';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { type Files } from '../effects/effect-server.ts';
import { until } from '../helpers/until.ts';
import { answering, bodiesOf, bodyOf, skip, startNode, type WorkerNode } from '../helpers/worker-node.ts';

/** Calls the management API, each time on a connection of its own, so that any worker answers. */
function manage(
  node: WorkerNode,
  line: string,
  body?: unknown,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const [method = '', path = ''] = line.split(' ');
  const headers = {
    Authorization: line.includes('/login') ? basicAdmin : `Bearer ${tokens.get(node) ?? ''}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const { hostname, port } = new URL(node.url('Management'));
  return new Promise((resolve, reject) => {
    const options = { method, hostname, port, path: `/management${path}`, headers, agent: false as const };
    const sent = httpsRequest({ ...options, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
        resolve({ status: response.statusCode ?? 0, json });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const tokens = new WeakMap<WorkerNode, string>();
const basicAdmin = `Basic ${Buffer.from('admin:admin').toString('base64')}`;
const account = `[management_api]
protocols = "https"
[[internal_apis.users]]
user.name = "admin"
user.password = "admin"
user.is_admin = true
`;

async function signedIn(t: TestContext, files: Files): Promise<WorkerNode> {
  const node = await startNode(t, files, 2, account);
  const { status, json } = await manage(node, 'GET /login');
  assert.equal(status, 200);
  tokens.set(node, String(json['AccessToken']));
  return node;
}

/** The same question on so many connections that every worker is asked. */
async function askEach(node: WorkerNode, line: string): Promise<Record<string, unknown>[]> {
  const answers = await Promise.all(Array.from({ length: 16 }, () => manage(node, line)));
  for (const { status } of answers) assert.equal(status, 200, line);
  return answers.map(({ json }) => json);
}

const listIn = (json: Record<string, unknown>): Record<string, unknown>[] => json['list'] as Record<string, unknown>[];

test('the management API of a node is one, whichever worker answers', { skip }, async (t) => {
  const node = await signedIn(t, {
    ...answering('served'),
    'artifacts/proxy/P.xml': `<proxy xmlns="http://ws.apache.org/ns/synapse" name="P" transports="http" startOnLoad="true">
  <target><inSequence><respond/></inSequence></target></proxy>`,
  });
  const url = `${node.url('API HTTP')}/t`;

  // A session is known to all, until it is ended.
  await askEach(node, 'GET /server');

  // What is switched is switched everywhere, and counted everywhere.
  const counted = await manage(node, 'POST /apis', { name: 'T', statistics: 'enable' });
  assert.equal(counted.status, 200, JSON.stringify(counted.json));
  for (const detail of await askEach(node, 'GET /apis?apiName=T')) assert.equal(detail['stats'], 'enabled');
  await bodiesOf(url, 40);
  const respond = (json: Record<string, unknown>): unknown =>
    listIn(json).find(({ element }) => element === 'respond')?.['count'];
  for (const counters of await askEach(node, 'GET /millrace/counters')) assert.equal(respond(counters), 40);
  const [{ cursor } = {}] = await askEach(node, 'GET /millrace/counters');
  assert.deepEqual((await manage(node, `GET /millrace/counters?since=${Number(cursor)}`)).json['list'], []);

  // Traces of all workers are one list, and each can be opened by its number.
  assert.equal((await manage(node, 'POST /apis', { name: 'T', trace: 'enable' })).status, 200);
  await bodiesOf(url, 24);
  const [traces = {}] = await askEach(node, 'GET /millrace/traces');
  const numbers = listIn(traces).map(({ number }) => Number(number));
  assert.equal(new Set(numbers).size, 24);
  const opened = await Promise.all(numbers.map((number) => manage(node, `GET /millrace/traces/${number}`)));
  assert.deepEqual(
    opened.map(({ json }) => json['number']),
    numbers,
  );
  assert.ok(opened.every(({ json }) => (json['steps'] as unknown[]).length > 0));
  assert.equal((await manage(node, 'DELETE /millrace/traces')).status, 200);
  for (const json of await askEach(node, 'GET /millrace/traces')) assert.equal(json['count'], 0);
  assert.equal((await manage(node, 'POST /apis', { name: 'T', trace: 'disable' })).status, 200);

  // A capture is one, wherever its messages arrive.
  const capture = await manage(node, 'POST /millrace/captures', { artifact: 'api:T', next: 4, seconds: 60 });
  assert.equal(capture.status, 201);
  for (const json of await askEach(node, 'GET /millrace/captures')) assert.equal(json['count'], 1);
  for (let turn = 0; turn < 20; turn++) await bodyOf(url);
  await until('it ended', async () =>
    (await askEach(node, 'GET /millrace/captures')).every(({ count }) => count === 0),
  );
  const [captured = {}] = await askEach(node, 'GET /millrace/traces');
  assert.equal(captured['count'], 4);
  const forever = await manage(node, 'POST /millrace/captures', { artifact: 'api:T', next: 900, seconds: 60 });
  assert.equal((await manage(node, `DELETE /millrace/captures/${String(forever.json['id'])}`)).status, 200);
  for (const json of await askEach(node, 'GET /millrace/captures')) assert.equal(json['count'], 0);

  // Levels, the correlation log and the state of artifacts.
  assert.equal((await manage(node, 'PATCH /logging', { loggerName: 'api', loggingLevel: 'ERROR' })).status, 200);
  for (const json of await askEach(node, 'GET /logging?loggerName=api')) assert.equal(json['level'], 'ERROR');
  assert.equal((await manage(node, 'DELETE /logging?loggerName=api')).status, 200);
  for (const json of await askEach(node, 'GET /logging?loggerName=api')) assert.equal(json['level'], 'DEBUG');
  const on = { configName: 'correlation', configs: { enabled: true } };
  assert.equal((await manage(node, 'PUT /configs', on)).status, 200);
  for (const json of await askEach(node, 'GET /configs?configName=correlation')) assert.deepEqual(json, on);
  assert.equal((await manage(node, 'POST /proxy-services', { name: 'P', status: 'inactive' })).status, 200);
  for (const json of await askEach(node, 'GET /proxy-services?proxyServiceName=P'))
    assert.equal(json['isRunning'], false);

  // A worker that takes the place of another one is as the others are, and what was counted stays.
  process.kill(node.pids()[1] ?? 0, 'SIGKILL');
  await until('a worker took its place', () => node.pids().length === 3);
  for (const json of await askEach(node, 'GET /apis?apiName=T')) assert.equal(json['stats'], 'enabled');
  for (const json of await askEach(node, 'GET /proxy-services?proxyServiceName=P'))
    assert.equal(json['isRunning'], false);
  for (const json of await askEach(node, 'GET /configs?configName=correlation')) assert.deepEqual(json, on);
  for (const json of await askEach(node, 'GET /millrace/counters')) assert.ok(Number(respond(json)) >= 40);

  assert.equal((await manage(node, 'GET /logout')).status, 200);
  const ended = await Promise.all(Array.from({ length: 8 }, () => manage(node, 'GET /server')));
  assert.ok(ended.every(({ status }) => status === 401));
});
