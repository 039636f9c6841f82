import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { configureLog } from '#core';
import { ask, type Ask } from '../effects/effect-server.ts';
import { car, zip } from '../helpers/temporary-files.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';

const files = {
  'artifacts/api/orders.xml': `<api ${synapse} name="Orders" context="/orders" version="1.0" version-type="url" hostname="shop.example">
  <resource methods="GET POST" uri-template="/item/{id}">
    <inSequence><property name="kind" value="book"/><payloadFactory media-type="json"><format>{"password":"x1","a":1}</format></payloadFactory><respond/></inSequence>
  </resource>
  <resource methods="DELETE"><inSequence><sequence key="Missing"/></inSequence></resource>
</api>`,
  'artifacts/proxy-services/echo.xml': `<proxy ${synapse} name="Echo"><target><inSequence><respond/></inSequence></target></proxy>`,
  'artifacts/sequences/audit.xml': `<sequence ${synapse} name="Audit" statistics="enable"><log/><drop/></sequence>`,
  'artifacts/endpoints/back.xml': `<endpoint ${synapse} name="Back"><http method="get" uri-template="http://back.example/{uri.var.id}"><timeout><duration>100</duration></timeout></http></endpoint>`,
  'artifacts/endpoints/pool.xml': `<endpoint ${synapse} name="Pool"><loadbalance algorithm="org.apache.synapse.endpoints.algorithms.RoundRobin"><endpoint name="one"><address uri="http://one.example"/></endpoint></loadbalance></endpoint>`,
  'artifacts/templates/say.xml': `<template ${synapse} name="Say"><parameter name="text"/><sequence><log/></sequence></template>`,
  'artifacts/local-entries/note.xml': `<localEntry ${synapse} key="note"><n><password>secret</password></n></localEntry>`,
  'artifacts/local-entries/text.xml': `<localEntry ${synapse} key="text">hello<description>a text</description></localEntry>`,
  'artifacts/message-stores/inbox.xml': `<messageStore ${synapse} name="Inbox"/>`,
  'artifacts/message-processors/mover.xml': `<messageProcessor ${synapse} name="Mover" class="org.apache.synapse.message.processor.impl.sampler.SamplingProcessor" messageStore="Inbox"><parameter name="sequence">Audit</parameter><parameter name="interval">60000</parameter><parameter name="is.active">true</parameter></messageProcessor>`,
  'artifacts/tasks/nightly.xml': `<task ${synapse} name="Nightly" class="org.apache.synapse.startup.tasks.MessageInjector" group="synapse.simple.quartz"><trigger interval="3600" count="-1"/><property ${synapse} name="injectTo" value="sequence"/><property ${synapse} name="sequenceName" value="Audit"/><property ${synapse} name="message" value="hi"/></task>`,
  'artifacts/imports/hello.xml': `<import ${synapse} name="hello" package="org.example" status="disabled"/>`,
  'registry/config/notes/a.txt': 'first',
  'logs/server.log': 'x'.repeat(1300),
};

/** The host name for which the API is there. */
const host = { Host: 'shop.example' };

const users = `${freePorts}
[[internal_apis.users]]
user.name = "root"
user.password = "a:b"
user.is_admin = true
[[internal_apis.users]]
user.name = "guest"
user.password = "guest"
`;

let server: TemporaryServer;
const tokens = new Map<string, string>();

before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  server = await startTemporaryServer(files, users);
  for (const [name, password] of [
    ['root', 'a:b'],
    ['guest', 'guest'],
  ] as const) {
    const answer = await call('GET /login', { headers: basic(name, password) });
    tokens.set(name, (JSON.parse(answer.body) as { AccessToken: string }).AccessToken);
  }
});

after(() => server[Symbol.asyncDispose]());

function basic(name: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

interface Called {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

async function call(request: string, options: Ask = {}): Promise<Called> {
  const [method = 'GET', path = ''] = request.split(' ');
  const answer = await ask(`${server.url('Management')}/management${path}`, { method, ...options });
  assert.ok(typeof answer !== 'string', `${request}: no answer`);
  return answer;
}

/** Calls as a user who signed in; `json` is the body. */
function as(user: string, request: string, json?: unknown): Promise<Called> {
  return call(request, {
    headers: {
      Authorization: `Bearer ${tokens.get(user) ?? ''}`,
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

async function read(request: string): Promise<unknown> {
  const answer = await as('root', request);
  assert.equal(answer.status, 200, `${request}: ${answer.body}`);
  return JSON.parse(answer.body);
}

const port = (name: 'API HTTP' | 'API HTTPS'): string => new URL(server.url(name)).port;

test('a token is a JWT with the facts of the user, and is good for nothing after the sign-out', async () => {
  const answer = await call('GET /login', { headers: basic('guest', 'guest') });
  const { AccessToken: token } = JSON.parse(answer.body) as { AccessToken: string };
  const [, claims = ''] = token.split('.');
  const { sub, scope, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  assert.deepEqual([sub, scope, Number(exp) - Number(iat)], ['guest', 'default', 3600]);
  const headers = { Authorization: `Bearer ${token}` };
  assert.equal((await call('GET /apis', { headers })).status, 200);
  assert.deepEqual(
    [(await call('GET /logout', { headers })).status, (await call('GET /apis', { headers })).status],
    [200, 401],
  );
});

const refusals: readonly (readonly [request: string, headers: Record<string, string>, status: number])[] = [
  ['GET /apis', {}, 401],
  ['GET /nothing', {}, 401],
  ['GET /login', basic('root', 'wrong'), 401],
  ['GET /login', {}, 401],
  ['GET /apis', basic('root', 'a:b'), 401],
  ['GET /apis', { Authorization: 'Bearer x' }, 401],
];
for (const [request, headers, status] of refusals) {
  test(`${request} with ${JSON.stringify(headers)} is answered ${status} without a body`, async () => {
    const answer = await call(request, { headers });
    assert.deepEqual([answer.status, answer.body], [status, '']);
    assert.match(String(answer.headers['www-authenticate']), /^Basic realm=/);
    assert.match(String(answer.headers['www_authenticate']), /^Basic realm=/);
  });
}

test('the root answers anybody, a preflight too; unknown paths and methods are 404 without a body', async () => {
  const root = await call('GET ');
  assert.equal((JSON.parse(root.body) as Record<string, unknown>)['ManagementApi'], 'Active');
  const preflight = await call('OPTIONS /apis', { headers: { Origin: 'https://console.example' } });
  assert.equal(preflight.status, 200);
  assert.match(String(preflight.headers['access-control-allow-methods']), /PATCH/);
  for (const request of ['GET /nothing', 'DELETE /apis']) {
    const answer = await as('root', request);
    assert.deepEqual([answer.status, answer.body], [404, '']);
  }
});

const lists: readonly (readonly [request: string, list: () => unknown])[] = [
  [
    '/apis',
    () => {
      const urlList = [
        `http://localhost:${port('API HTTP')}/orders/1.0`,
        `https://localhost:${port('API HTTPS')}/orders/1.0`,
      ];
      return [{ name: 'Orders:v1.0', url: urlList[0], urlList, tracing: 'disabled' }];
    },
  ],
  [
    '/proxy-services',
    () => {
      const address = `http://localhost:${port('API HTTP')}/services/Echo`;
      return [{ name: 'Echo', wsdl1_1: `${address}?wsdl`, wsdl2_0: `${address}?wsdl2` }];
    },
  ],
  [
    '/endpoints',
    () => [
      { name: 'Back', type: 'http', isActive: true },
      { name: 'Pool', type: 'loadbalance', isActive: true },
    ],
  ],
  ['/sequences?searchKey=AUD', () => [{ name: 'Audit', container: '', stats: 'disabled', tracing: 'disabled' }]],
  ['/templates?type=sequence', () => [{ name: 'Say' }]],
  ['/tasks', () => [{ name: 'Nightly' }]],
  ['/message-stores', () => [{ name: 'Inbox', type: 'in-memory-message-store', size: 0 }]],
  ['/message-processors', () => [{ name: 'Mover', type: 'Sampling-processor', status: 'active' }]],
  [
    '/local-entries',
    () => [
      { name: 'note', type: 'Inline XML' },
      { name: 'text', type: 'Inline Text' },
    ],
  ],
  ['/inbound-endpoints', () => []],
  ['/connectors', () => [{ name: 'hello', package: 'org.example', description: '', status: 'disabled' }]],
  ['/data-services', () => []],
  ['/data-sources', () => []],
  ['/logs', () => [{ FileName: 'server.log', Size: '1.3 KB' }]],
  ['/registry-resources?path=registry/config', () => [{ name: 'notes', mediaType: 'directory', properties: [] }]],
];
for (const [request, list] of lists) {
  test(`the list ${request}`, async () => {
    const wanted = list() as unknown[];
    assert.deepEqual(await read(`GET ${request}`), { count: wanted.length, list: wanted });
  });
}

const details: readonly (readonly [request: string, wanted: Readonly<Record<string, unknown>>])[] = [
  [
    '/apis?apiName=Orders:v1.0',
    {
      version: '1.0',
      context: '/orders',
      host: 'shop.example',
      port: -1,
      stats: 'disabled',
      resources: [
        { methods: ['GET', 'POST'], url: '/item/{id}' },
        { methods: ['DELETE'], url: 'N/A' },
      ],
    },
  ],
  ['/proxy-services?proxyServiceName=Echo', { isRunning: true, tracing: 'disabled' }],
  [
    '/endpoints?endpointName=Back',
    {
      type: 'HTTP Endpoint',
      method: 'GET',
      uriTemplate: 'http://back.example/{uri.var.id}',
      advanced: { timeoutState: { duration: '100' } },
      isActive: true,
    },
  ],
  ['/endpoints?endpointName=Pool', { type: 'Load Balance Endpoint', isFailover: true, buildMessage: false }],
  ['/sequences?sequenceName=Audit', { mediators: ['log', 'drop'] }],
  ['/templates?type=sequence&name=Say', { name: 'Say', Parameters: ['text'], type: 'sequence' }],
  [
    '/tasks?taskName=Nightly',
    { triggerType: 'simple', triggerInterval: '3600', triggerCount: '-1', taskGroup: 'synapse.simple.quartz' },
  ],
  ['/message-stores?name=Inbox', { size: 0, properties: {} }],
  ['/message-processors?name=Mover', { messageStore: 'Inbox', status: 'active' }],
  ['/local-entries?name=text', { value: 'hello', type: 'Inline Text', description: 'a text' }],
  ['/local-entries?name=note', { value: '<n xmlns="http://ws.apache.org/ns/synapse"><password>*****</password></n>' }],
  ['/logging?loggerName=rootLogger', { loggerName: 'rootLogger', componentName: 'root' }],
  ['/server', { productName: 'Millrace' }],
  ['/configs?configName=correlation', { configName: 'correlation', configs: { enabled: false } }],
  ['/registry-resources/metadata?path=registry/config/notes/a.txt', { name: 'a.txt', mediaType: 'text/plain' }],
];
for (const [request, wanted] of details) {
  test(`the details ${request}`, async () => {
    const found = (await read(`GET ${request}`)) as Record<string, unknown>;
    const chosen = Object.fromEntries(Object.keys(wanted).map((name) => [name, found[name]]));
    assert.deepEqual(chosen, wanted);
  });
}

/** What is answered for a name that does not exist: the status, and whether there is a text (management 1.4). */
const unknown: readonly (readonly [request: string, status: number, body?: unknown])[] = [
  ['GET /apis?apiName=x', 404],
  ['GET /proxy-services?proxyServiceName=x', 404],
  ['GET /endpoints?endpointName=x', 404],
  ['GET /inbound-endpoints?inboundEndpointName=x', 404],
  ['GET /sequences?sequenceName=x', 404],
  ['GET /data-services?dataServiceName=x', 404],
  ['GET /templates?type=sequence&name=x', 404],
  ['GET /applications?carbonAppName=x', 404],
  ['GET /connectors?connectorName=x', 200],
  ['GET /logs?file=../conf/deployment.toml', 500],
  ['GET /tasks?taskName=x', 404, 'Error'],
  ['GET /message-stores?name=x', 404, 'Error'],
  ['GET /message-processors?name=x', 404, 'Error'],
  ['GET /local-entries?name=x', 404, 'Error'],
  ['GET /data-sources?name=x', 404, 'Error'],
  ['GET /logging?loggerName=x', 400, 'Error'],
  ['GET /registry-resources?path=/etc', 400, 'Error'],
  ['GET /registry-resources/content?path=registry/../conf/deployment.toml', 400, 'Error'],
  ['DELETE /applications/x', 404, 'Error'],
  ['GET /users', 403, 'Error'],
  ['GET /roles', 403, 'Error'],
];
for (const [request, status, body] of unknown) {
  test(`${request} is answered ${status} ${body === undefined ? 'without a body' : 'with a text'}`, async () => {
    const answer = await as('root', request);
    assert.equal(answer.status, status);
    assert.deepEqual(answer.body === '' ? undefined : Object.keys(JSON.parse(answer.body) as object)[0], body);
  });
}

/** Changes: the answer is a flat map of texts, as the original's command line reads it (management 1.8). */
const changes: readonly (readonly [request: string, body: unknown, status: number, key: string])[] = [
  ['POST /endpoints', { name: 'Back', status: 'inactive' }, 200, 'Message'],
  ['POST /endpoints', { name: 'Back', status: 'ACTIVE' }, 200, 'Message'],
  ['POST /endpoints', { name: 'x', status: 'active' }, 404, 'Error'],
  ['POST /endpoints', { name: 'Back', status: 'odd' }, 400, 'Error'],
  ['POST /endpoints', { name: 'Back', trace: 'enable' }, 200, 'message'],
  ['POST /endpoints', { name: 'x', trace: 'enable' }, 400, 'Error'],
  ['POST /proxy-services', { name: 'x', status: 'active' }, 404, 'Error'],
  ['POST /message-processors', { name: 'x', status: 'active' }, 404, 'Error'],
  ['POST /inbound-endpoints', { name: 'x', status: 'active' }, 400, 'Error'],
  ['POST /tasks', { name: 'x', status: 'active' }, 400, 'Error'],
  ['POST /tasks', { name: 'Nightly', status: 'trigger' }, 200, 'Message'],
  ['POST /tasks', { name: 'Nightly', status: 'inactive' }, 200, 'Message'],
  ['POST /tasks', { name: 'Nightly', status: 'trigger' }, 500, 'Error'],
  ['POST /tasks', { name: 'Nightly', status: 'active' }, 200, 'Message'],
  ['POST /message-processors', { name: 'Mover', status: 'inactive' }, 200, 'Message'],
  ['POST /message-processors', { name: 'Mover', status: 'active' }, 200, 'Message'],
  ['POST /apis', { name: 'Orders:v1.0', statistics: 'enable' }, 200, 'message'],
  ['POST /apis', { name: 'Orders:v1.0', statistics: 'on' }, 400, 'Error'],
  ['POST /apis', { name: 'Orders:v1.0' }, 400, 'Error'],
  ['POST /apis', undefined, 400, 'Error'],
  ['POST /templates', { name: 'Say', type: 'sequence', trace: 'enable' }, 200, 'message'],
  ['POST /sequences', { name: 'Audit', trace: 'disable' }, 200, 'message'],
  ['POST /connectors', { name: 'x', package: 'p', status: 'enabled' }, 200, 'Message'],
  ['PATCH /logging', { loggerName: 'rootLogger', loggingLevel: 'LOUD' }, 400, 'Error'],
  ['PATCH /logging', { loggerName: 'deployment', loggingLevel: 'ERROR' }, 200, 'message'],
  ['PATCH /logging', { loggerName: 'mine', loggerClass: 'api', loggingLevel: 'DEBUG' }, 200, 'message'],
  ['PATCH /logging', { loggerName: 'mine', loggerClass: 'api', loggingLevel: 'DEBUG' }, 400, 'Error'],
  ['DELETE /logging?loggerName=mine', undefined, 200, 'message'],
  ['PATCH /server', { status: 'explode' }, 400, 'Error'],
  ['PUT /configs', { configName: 'correlation', configs: { enabled: true } }, 200, 'message'],
  ['PUT /configs', { configName: 'other', configs: {} }, 400, 'Error'],
  ['POST /external-vaults/other', { secretId: 'x' }, 400, 'Error'],
  ['POST /external-vaults/hashicorp', { secretId: 'x' }, 400, 'Error'],
  ['POST /users', { userId: 'a', password: 'b' }, 403, 'Error'],
  ['POST /registry-resources/properties?path=registry/config/notes/a.txt', [{ name: 'a', value: '1' }], 200, 'message'],
];
for (const [request, body, status, key] of changes) {
  test(`${request} ${JSON.stringify(body)} is answered ${status} with ${key}`, async () => {
    const answer = await as('root', request, body);
    const parsed = JSON.parse(answer.body) as Record<string, unknown>;
    assert.deepEqual([answer.status, Object.keys(parsed)], [status, [key]], answer.body);
    assert.ok(Object.values(parsed).every((value) => typeof value === 'string'));
  });
}

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
  const write = (user: string, method: string, body: string): Promise<Called> =>
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
async function upload(name: string, content: Uint8Array): Promise<Called> {
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
  assert.equal(first?.before?.['header:Authorization'], '*****');
  assert.deepEqual(first?.after, { 'default:kind': 'book' });
  assert.equal(second?.before, undefined);
  assert.deepEqual(JSON.parse(second?.after?.['payload'] ?? ''), { password: '*****', a: 1 });
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
