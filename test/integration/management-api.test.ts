import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startManagedServer, type ManagedServer } from '../helpers/managed-server.ts';
import { basic } from '../helpers/management-calls.ts';
import type { TemporaryServer } from '../helpers/temporary-server.ts';

let managed: ManagedServer;
let server: TemporaryServer;
const call: ManagedServer['call'] = (request, options) => managed.call(request, options);
const as: ManagedServer['as'] = (user, request, json) => managed.as(user, request, json);
const read: ManagedServer['read'] = (request) => managed.read(request);

before(async () => {
  managed = await startManagedServer();
  ({ server } = managed);
});

after(() => managed[Symbol.asyncDispose]());

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

test('the configuration is shown with origins, secrets masked, to administrators alone', async () => {
  interface Value {
    readonly path: string;
    readonly value: unknown;
    readonly source: string;
    readonly kind: string;
    readonly status: string;
  }
  const answer = await as('root', 'GET /millrace/configuration');
  const { file, coverage, values } = JSON.parse(answer.body) as {
    file: string;
    coverage: Record<string, number>;
    values: Value[];
  };
  assert.match(file, /conf\/deployment\.toml$/);
  const { total = 0, honoured = 0, inert = 0, pending = 0 } = coverage;
  assert.equal(honoured + inert + pending, total);
  assert.ok(honoured > 0);
  const of = (path: string): Value | undefined => values.find((each) => each.path === path);
  const port = of('transport.passthru_http.listener.parameters.port');
  assert.deepEqual([port?.value, port?.kind, port?.status], [0, 'file', 'honoured']);
  assert.match(port?.source ?? '', /deployment\.toml:\d+:\d+/);
  assert.deepEqual([of('server.offset')?.kind, of('server.offset')?.source], ['default', 'default']);
  assert.equal(of('internal_apis.users[0].user.password')?.value, '********');
  assert.equal(answer.body.includes('a:b'), false);
  const written = await as('root', 'GET /millrace/configuration?written=true&searchKey=USERS');
  const some = (JSON.parse(written.body) as { values: Value[] }).values;
  assert.ok(some.length > 0 && some.every(({ kind, path }) => kind === 'file' && path.includes('users')));
  assert.equal((await as('guest', 'GET /millrace/configuration')).status, 403);
});
