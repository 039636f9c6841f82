import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { ask } from '../effects/effect-server.ts';
import type { Answer } from '../effects/effect-server.ts';
import { host, startManagedServer, synapse, type ManagedServer } from '../helpers/managed-server.ts';
import { car, zip } from '../helpers/temporary-files.ts';
import type { TemporaryServer } from '../helpers/temporary-server.ts';

let managed: ManagedServer;
let server: TemporaryServer;
let tokens: Map<string, string>;
const call: ManagedServer['call'] = (request, options) => managed.call(request, options);
const as: ManagedServer['as'] = (user, request, json) => managed.as(user, request, json);
const read: ManagedServer['read'] = (request) => managed.read(request);

before(async () => {
  managed = await startManagedServer();
  ({ server, tokens } = managed);
});

after(() => managed[Symbol.asyncDispose]());

test('an endpoint that was switched off is inactive until it is switched on', async () => {
  await as('root', 'POST /endpoints', { name: 'Back', status: 'inactive' });
  assert.equal(((await read('GET /endpoints?endpointName=Back')) as { isActive: boolean }).isActive, false);
  await as('root', 'POST /endpoints', { name: 'Back', status: 'active' });
  assert.equal(((await read('GET /endpoints?endpointName=Back')) as { isActive: boolean }).isActive, true);
});

test('a proxy service that was stopped refuses messages until it is started', async () => {
  const url = `${server.url('API HTTP')}/services/Echo`;
  const status = async (): Promise<unknown> => {
    const answer = await ask(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    return typeof answer === 'string' ? answer : answer.status;
  };
  assert.equal(await status(), 200);
  await as('root', 'POST /proxy-services', { name: 'Echo', status: 'inactive' });
  assert.equal(((await read('GET /proxy-services?proxyServiceName=Echo')) as { isRunning: boolean }).isRunning, false);
  assert.equal(await status(), 500);
  await as('root', 'POST /proxy-services', { name: 'Echo', status: 'active' });
  assert.equal(await status(), 200);
});

test('a changed level of a logger is kept in a file', async () => {
  await as('root', 'PATCH /logging', { loggerName: 'deployment', loggingLevel: 'WARN' });
  const kept = JSON.parse(readFileSync(join(server.home, 'conf/log-levels.json'), 'utf8')) as {
    loggers: Record<string, unknown>;
  };
  assert.deepEqual(kept.loggers['deployment'], { area: 'deployment', level: 'WARN' });
});

test('resources of the registry are added, changed and removed by administrators alone', async () => {
  const at = '/registry-resources/content?path=registry/config/notes/b.txt';
  const write = (user: string, method: string, body: string): Promise<Answer> =>
    call(`${method} ${at}`, {
      headers: { Authorization: `Bearer ${tokens.get(user) ?? ''}`, 'Content-Type': 'text/plain' },
      body,
    });
  assert.equal((await write('guest', 'POST', 'one')).status, 403);
  assert.equal((await write('root', 'PUT', 'one')).status, 400);
  assert.equal((await write('root', 'POST', 'one')).status, 200);
  assert.equal((await write('root', 'POST', 'one')).status, 400);
  assert.equal((await write('root', 'PUT', 'two')).status, 200);
  assert.equal((await as('guest', `GET ${at}`)).body, 'two');
  assert.equal((await as('root', `DELETE ${at}`)).status, 200);
  assert.equal(existsSync(join(server.home, 'registry/config/notes/b.txt')), false);
});

/** Sends an archive under a file name. */
async function upload(name: string, content: Uint8Array): Promise<Answer> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(content)]), name);
  const encoded = new Response(form);
  return call('POST /applications', {
    headers: {
      Authorization: `Bearer ${tokens.get('root') ?? ''}`,
      'Content-Type': encoded.headers.get('Content-Type') ?? '',
    },
    body: new Uint8Array(await encoded.arrayBuffer()),
  });
}

test('an archive is deployed when it is answered for, downloaded as it was sent, and removed', async () => {
  const packed = `<api ${synapse} name="Packed" context="/packed"><resource><inSequence><respond/></inSequence></resource></api>`;
  const archive = await zip(
    car({ name: 'App', parts: [{ name: 'Packed', type: 'synapse/api', files: { 'Packed.xml': packed } }] }),
  );
  assert.deepEqual(await upload('App.zip', archive).then(({ status }) => status), 400);
  const answer = await upload('App.car', archive);
  assert.equal(answer.status, 200, answer.body);
  const served = await ask(`${server.url('API HTTP')}/packed`);
  assert.equal(typeof served === 'string' ? served : served.status, 200);
  const { activeList } = (await read('GET /applications')) as { activeList: unknown[] };
  assert.deepEqual(activeList, [{ name: 'App', version: '1.0.0', artifacts: [{ name: 'Packed', type: 'api' }] }]);
  const bytes = await fetchArchive('App');
  assert.equal(Buffer.compare(bytes, Buffer.from(archive)), 0);
  assert.equal((await as('root', 'DELETE /applications/App')).status, 200);
  assert.equal((await as('root', 'DELETE /applications/App')).status, 404);
  // One whose file has another name is removed by the name that lists show.
  assert.equal((await upload('other-file.car', archive)).status, 200);
  assert.equal((await as('root', 'DELETE /applications/App')).status, 200);
  const gone = await ask(`${server.url('API HTTP')}/packed`);
  assert.notEqual(typeof gone === 'string' ? gone : gone.status, 200);
});

/** The bytes of an archive; `ask` reads text. */
async function fetchArchive(name: string): Promise<Buffer> {
  const { hostname, port: managementPort } = new URL(server.url('Management'));
  const chunks: Buffer[] = [];
  const sent = request({
    hostname,
    port: managementPort,
    path: `/management/applications?carbonAppName=${name}`,
    rejectUnauthorized: false,
    headers: { Authorization: `Bearer ${tokens.get('root') ?? ''}`, Accept: 'application/octet-stream' },
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('a connector is enabled in its file', async () => {
  const change = async (body: unknown): Promise<string> => (await as('root', 'POST /connectors', body)).body;
  assert.match(await change({ name: 'hello', package: 'org.example', status: 'enabled' }), /is enabled/);
  assert.match(readFileSync(join(server.home, 'artifacts/imports/hello.xml'), 'utf8'), /status="enabled"/);
  const found = (await read('GET /connectors?connectorName=hello')) as { status: string };
  assert.equal(found.status, 'enabled');
});

test('an archive that is wrong is refused with its reasons, and nothing changes', async () => {
  const answer = await upload('broken.car', Buffer.from('no archive'));
  assert.equal(answer.status, 400);
  assert.match(answer.body, /broken\.car/);
  assert.equal(existsSync(join(server.home, 'carbonapps/broken.car')), false);
  assert.deepEqual(await read('GET /applications'), {
    totalCount: 0,
    activeCount: 0,
    activeList: [],
    faultyCount: 0,
    faultyList: [],
  });
});

test('what administrators do is kept from others: 403 without a body', async () => {
  for (const request of ['GET /users', 'GET /roles', 'GET /configs', 'GET /millrace/traces']) {
    const answer = await as('guest', request);
    assert.deepEqual([request, answer.status, answer.body], [request, 403, '']);
  }
  assert.equal((await as('guest', 'POST /endpoints', { name: 'Back', status: 'active' })).status, 200);
});

test('everything at once has a tag, and is not sent again while nothing changes', async () => {
  const first = await as('root', 'GET /artifacts?fields=hash,state');
  const headers = {
    Authorization: `Bearer ${tokens.get('root') ?? ''}`,
    'If-None-Match': String(first.headers['etag']),
  };
  assert.equal((await call('GET /artifacts?fields=hash,state', { headers })).status, 304);
  const { list } = JSON.parse(first.body) as { list: Record<string, unknown>[] };
  assert.deepEqual(Object.keys(list.find(({ key }) => key === 'endpoint:Back') ?? {}), ['key', 'state', 'hash']);
  await as('root', 'POST /endpoints', { name: 'Back', status: 'inactive' });
  assert.equal((await call('GET /artifacts?fields=hash,state', { headers })).status, 200);
  await as('root', 'POST /endpoints', { name: 'Back', status: 'active' });
});

test('mediators of an artifact with statistics are counted by their identity', async () => {
  await as('root', 'POST /apis', { name: 'Orders:v1.0', statistics: 'enable' });
  await ask(`${server.url('API HTTP')}/orders/1.0/item/7`, { headers: host });
  const counters = (await read('GET /millrace/counters?artifact=api:Orders:v1.0')) as {
    cursor: number;
    list: Record<string, unknown>[];
  };
  assert.deepEqual(
    counters.list.map(({ id, element, count, errors }) => [id, element, count, errors]),
    [
      ['api:Orders:v1.0/resource:0/in/0', 'property', 1, 0],
      ['api:Orders:v1.0/resource:0/in/1', 'payloadFactory', 1, 0],
      ['api:Orders:v1.0/resource:0/in/2', 'respond', 1, 0],
    ],
  );
  const later = (await read(`GET /millrace/counters?since=${counters.cursor}`)) as { list: unknown[] };
  assert.deepEqual(later.list, []);
});

test('a capture traces the next message with a header, step by step and masked, and ends by itself', async () => {
  const started = await as('root', 'POST /millrace/captures', {
    artifact: 'api:Orders:v1.0',
    header: { name: 'X-Look' },
    predicate: "${headers['X-Look'] == 'yes'}",
    payloads: true,
  });
  assert.equal(started.status, 201, started.body);
  const url = `${server.url('API HTTP')}/orders/1.0/item/7`;
  await ask(url, { headers: host });
  await ask(url, { headers: { ...host, 'X-Look': 'no' } });
  await ask(url, { headers: { ...host, 'X-Look': 'yes', Authorization: 'Bearer abc', 'X-Correlation-ID': 'c-1' } });
  await ask(url, { headers: { ...host, 'X-Look': 'yes' } });
  const { list } = (await read('GET /millrace/traces?correlation=c-1')) as { list: { number: number }[] };
  assert.equal(list.length, 1);
  assert.deepEqual(((await read('GET /millrace/traces')) as { count: number }).count, 1);
  assert.deepEqual(await read('GET /millrace/captures'), { count: 0, list: [] });
  const trace = (await read(`GET /millrace/traces/${list[0]?.number}`)) as {
    failed: boolean;
    steps: { mediator: string; before?: Record<string, string>; after?: Record<string, string> }[];
  };
  const [first, second] = trace.steps;
  assert.equal(first?.before?.['header:Authorization'], '*****[secret-names]');
  assert.deepEqual(first?.after, { 'default:kind': 'book' });
  assert.equal(second?.before, undefined);
  assert.deepEqual(JSON.parse(second?.after?.['payload'] ?? ''), { password: '*****[secret-names]', a: 1 });
  assert.equal(trace.failed, false);
});

test('a message that failed has its narrative', async () => {
  await ask(`${server.url('API HTTP')}/orders/1.0`, { method: 'DELETE', headers: host });
  const { list } = (await read('GET /millrace/narratives')) as { list: { request: string; incidents: unknown[] }[] };
  assert.equal(list.at(-1)?.request, 'DELETE /orders/1.0');
  assert.ok((list.at(-1)?.incidents.length ?? 0) > 0);
});

test('the definition of the API names every operation', async () => {
  const answer = await ask(`${server.url('Management')}/management/openapi.json`);
  assert.ok(typeof answer !== 'string');
  const { paths } = JSON.parse(answer.body) as { paths: Record<string, unknown> };
  for (const path of ['/login', '/apis', '/applications', '/millrace/counters', '/registry-resources/content']) {
    assert.ok(Object.hasOwn(paths, `/management${path}`), path);
  }
});
