import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditEvent } from '#core';
import { MillraceError } from '#errors';
import { createRestApi, type RestApiOptions } from './api.ts';
import { pick } from './audited.ts';
import { defineOperation } from './operation.ts';
import { pageOfAll, pagingFields } from './paging.ts';

const responses = { 200: { description: 'Done' } };
const orders = ['a', 'b', 'c', 'd', 'e'];

const operations = [
  defineOperation({
    id: 'listOrders',
    method: 'GET',
    path: '/orders',
    summary: 'All orders',
    parameters: { query: (z) => z.object(pagingFields(z, 100)) },
    responses,
    scope: 'orders:read',
    handle: ({ query, url }) => pageOfAll(orders, query, url),
  }),
  defineOperation({
    id: 'createOrder',
    method: 'POST',
    path: '/orders',
    summary: 'A new order',
    body: (z) => z.object({ item: z.string().min(2), lines: z.array(z.object({ count: z.int() })).default([]) }),
    responses: { 201: { description: 'Created', schema: (z) => z.object({ item: z.string() }) } },
    scope: 'orders:write',
    handle: ({ body, tenant }) => ({ item: body.item, lines: body.lines.length, tenant }),
  }),
  defineOperation({
    id: 'getOrder',
    method: 'GET',
    path: '/orders/{id}',
    summary: 'One order',
    responses,
    public: true,
    handle({ path }) {
      if (path['id'] === 'broken') throw new Error('secret detail');
      if (path['id'] === 'none') throw new MillraceError({ code: 'X-1', status: 404, message: 'No such order' });
      return { id: path['id'] };
    },
  }),
  defineOperation({
    id: 'importOrders',
    method: 'GET',
    path: '/orders/import',
    summary: 'Fixed path beside a parameter',
    responses,
    public: true,
    handle: () => 'import',
  }),
  defineOperation({
    id: 'readFile',
    method: 'GET',
    path: '/files/{path+}',
    summary: 'Rest of the path',
    responses,
    public: true,
    handle: ({ path }) => path['path'],
  }),
  defineOperation({
    id: 'dropTenant',
    method: 'DELETE',
    path: '/tenants/{id}',
    summary: 'Super tenant only',
    responses,
    scope: 'orders:write',
    tenant: 'super',
    handle: () => undefined,
  }),
];

function createApi(
  options: Partial<RestApiOptions> = {},
): (method: string, path: string, init?: RequestInit) => Promise<Response> {
  const api = createRestApi({
    title: 'Orders',
    version: '1.0.0',
    basePath: '/api/v1',
    operations,
    authenticate(request) {
      const [name, tenant, ...scopes] = (request.headers.get('Authorization') ?? '').split(' ');
      return name && tenant ? { name, tenant, hasScope: (scope) => scopes.includes(scope) } : undefined;
    },
    ...options,
  });
  return (method, path, init = {}) => api.fetch(new Request(`http://localhost/api/v1${path}`, { method, ...init }));
}

const asAnn = { Authorization: 'ann acme orders:read orders:write' };
const asJson = { ...asAnn, 'Content-Type': 'application/json' };

describe('rest api', () => {
  it('answers data as JSON and pages a list with links', async () => {
    const call = createApi();
    const response = await call('GET', '/orders?limit=2&offset=2&q=x', { headers: asAnn });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), {
      count: 2,
      list: ['c', 'd'],
      pagination: {
        offset: 2,
        limit: 2,
        total: 5,
        next: '/api/v1/orders?limit=2&offset=4&q=x',
        previous: '/api/v1/orders?limit=2&offset=0&q=x',
      },
    });
  });

  it('denies without credentials, without the scope, and to other tenants', async () => {
    const call = createApi();
    const anonymous = await call('GET', '/orders');
    assert.equal(anonymous.status, 401);
    assert.equal(anonymous.headers.get('WWW-Authenticate'), 'Bearer');
    const weak = await call('GET', '/orders', { headers: { Authorization: 'bob acme' } });
    assert.deepEqual(
      [weak.status, await weak.json()],
      [403, { code: 'MR_REST_FORBIDDEN', message: 'This needs the scope orders:read' }],
    );
    assert.equal((await call('DELETE', '/tenants/1', { headers: asAnn })).status, 403);
    const asRoot = { Authorization: 'root carbon.super orders:write' };
    assert.equal((await call('DELETE', '/tenants/1', { headers: asRoot })).status, 204);
  });

  it('refuses operations that say nothing about who may call them', () => {
    const open = defineOperation({ id: 'x', method: 'GET', path: '/x', summary: '', responses, handle: () => 1 });
    const both = defineOperation({ ...open, scope: 's', public: true });
    const api = { title: '', version: '', basePath: '' };
    for (const operation of [open, both, defineOperation({ ...open, scope: 's' })]) {
      assert.throws(() => createRestApi({ ...api, operations: [operation] }), { code: 'MR_REST_SCOPE' });
    }
    const fine = defineOperation({ ...open, public: true });
    assert.throws(() => createRestApi({ ...api, operations: [fine, fine] }), { code: 'MR_REST_DUPLICATE' });
  });

  it('names every wrong field, its rule and what was found', async () => {
    const call = createApi();
    const body = JSON.stringify({ item: 'x', lines: [{ count: 1.5 }] });
    const response = await call('POST', '/orders', { headers: asJson, body });
    assert.equal(response.status, 400);
    const error = (await response.json()) as { code: string; fields: { field: string; found: string }[] };
    assert.equal(error.code, 'MR_REST_INVALID');
    assert.deepEqual(
      error.fields.map(({ field, found }) => [field, found]),
      [
        ['body.item', '"x"'],
        ['body.lines.0.count', '1.5'],
      ],
    );
    const query = await call('GET', '/orders?limit=1000', { headers: asAnn });
    assert.match(await query.text(), /"field":"query.limit","rule":"Too big.*"found":"\\"1000\\""/);
  });

  it('answers the first declared success status', async () => {
    const response = await createApi()('POST', '/orders', { headers: asJson, body: '{"item":"tea"}' });
    assert.deepEqual([response.status, await response.json()], [201, { item: 'tea', lines: 0, tenant: 'acme' }]);
  });

  it('refuses bodies that are too large, too deep, of another type, malformed or with __proto__', async () => {
    const call = createApi({ limits: { size: 200, depth: 5 } });
    const rows: [string, string, number][] = [
      ['application/json', `{"item":"${'x'.repeat(200)}"}`, 413],
      ['application/json', '[[[[[[1]]]]]]', 400],
      ['text/plain', '{"item":"tea"}', 415],
      ['application/json', '{"item":', 400],
      ['application/json', '{"item":"tea","__proto__":{"admin":true}}', 400],
      ['application/json', '{"item":"tea","\\u005f_proto__":{"admin":true}}', 400],
      ['application/json', '{"item":"__proto__ \\u00e9 [[[[[[["}', 201],
      ['application/vnd.orders+json', '{"item":"tea"}', 201],
      ['application/json', '', 400],
    ];
    for (const [type, body, status] of rows) {
      const response = await call('POST', '/orders', { headers: { ...asAnn, 'Content-Type': type }, body });
      assert.equal(response.status, status, body.slice(0, 60));
    }
  });

  it('answers 404 for unknown paths and 405 with Allow for wrong methods', async () => {
    const call = createApi();
    const missing = await call('GET', '/nothing');
    assert.deepEqual(
      [missing.status, await missing.json()],
      [404, { code: 'MR_REST_NOT_FOUND', message: 'Nothing is at /api/v1/nothing' }],
    );
    const wrong = await call('PUT', '/orders');
    assert.deepEqual([wrong.status, wrong.headers.get('Allow')], [405, 'GET, POST, HEAD, OPTIONS']);
  });

  it('prefers fixed segments and decodes parameters', async () => {
    const call = createApi();
    assert.equal(await (await call('GET', '/orders/import')).json(), 'import');
    assert.deepEqual(await (await call('GET', '/orders/a%2Fb%20c')).json(), { id: 'a/b c' });
    assert.equal(await (await call('GET', '/files/a/b/c.txt')).json(), 'a/b/c.txt');
    assert.equal((await call('GET', '/orders/%ff')).status, 400);
  });

  it('tells the client what was meant for it and nothing of an unexpected failure', async () => {
    const call = createApi();
    assert.deepEqual(await (await call('GET', '/orders/none')).json(), { code: 'X-1', message: 'No such order' });
    const broken = await call('GET', '/orders/broken');
    assert.deepEqual(
      [broken.status, await broken.json()],
      [500, { code: 'MR_REST_INTERNAL', message: 'The server failed to answer' }],
    );
    const original = createApi({ errorBody: (error) => (error.status === 404 ? undefined : { Error: error.message }) });
    assert.equal(await (await original('GET', '/orders/none')).text(), '');
  });

  it('answers HEAD like GET without a body', async () => {
    const call = createApi();
    const head = await call('HEAD', '/orders/7');
    assert.deepEqual([head.status, await head.text(), head.headers.get('Content-Length')], [200, '', '10']);
    assert.deepEqual(
      [(await call('HEAD', '/nothing')).status, await (await call('HEAD', '/nothing')).text()],
      [404, ''],
    );
  });

  it('answers OPTIONS and CORS as configured, without credentials', async () => {
    const plain = await createApi()('OPTIONS', '/orders');
    assert.deepEqual([plain.status, plain.headers.get('Allow')], [204, 'GET, POST, HEAD, OPTIONS']);
    const cors = { origins: ['https://console.example'], headers: ['Authorization'], credentials: true, maxAge: 60 };
    const call = createApi({ cors });
    const preflight = await call('OPTIONS', '/orders', { headers: { Origin: 'https://console.example' } });
    assert.equal(preflight.status, 200);
    assert.equal(preflight.headers.get('Access-Control-Allow-Origin'), 'https://console.example');
    assert.equal(preflight.headers.get('Access-Control-Allow-Methods'), 'GET, POST, HEAD, OPTIONS');
    assert.equal(preflight.headers.get('Access-Control-Max-Age'), '60');
    const other = await call('GET', '/orders', { headers: { Origin: 'https://evil.example' } });
    assert.deepEqual([other.headers.get('Access-Control-Allow-Origin'), other.headers.get('Vary')], [null, 'Origin']);
    const open = createApi({ cors: { origins: '*', headers: [] } });
    const any = await open('GET', '/orders/1', { headers: { Origin: 'https://any.example' } });
    assert.equal(any.headers.get('Access-Control-Allow-Origin'), '*');
  });

  it('audits writes, also the refused ones, and no reads', async () => {
    const events: AuditEvent[] = [];
    const call = createApi({ audit: { record: (event) => void events.push(event) } });
    await call('GET', '/orders', { headers: asAnn });
    await call('POST', '/orders', { headers: asJson, body: '{"item":"tea"}' });
    await call('POST', '/orders', { body: '{}' });
    assert.deepEqual(
      events.map(({ actor, tenant, action, target, outcome, detail }) => [
        actor,
        tenant,
        action,
        target,
        outcome,
        detail,
      ]),
      [
        ['ann', 'acme', 'createOrder', '/api/v1/orders', 'success', { status: 201, call: 'POST /api/v1/orders' }],
        [
          'anonymous',
          'carbon.super',
          'createOrder',
          '/api/v1/orders',
          'failure',
          { status: 401, call: 'POST /api/v1/orders' },
        ],
      ],
    );
  });

  it('lets an operation say what it changed, also where it was refused', async () => {
    const events: AuditEvent[] = [];
    const api = createRestApi({
      title: 'Orders',
      version: '1.0.0',
      basePath: '/api/v1',
      audit: { record: (event) => void events.push(event) },
      operations: [
        defineOperation({
          id: 'changeOrder',
          method: 'PUT',
          path: '/orders/{id}',
          summary: 'Changes an order',
          public: true,
          body: (z) => z.object({ item: z.string(), card: z.string() }),
          responses: { 204: { description: 'Done' } },
          audited: ({ path, body }) => ({
            action: 'updated',
            type: 'order',
            info: { ...pick(path, 'id'), ...pick(body, 'item', 'missing') },
          }),
          handle: () => undefined,
        }),
      ],
    });
    const change = (body: string): Promise<Response> =>
      api.fetch(new Request('http://a.example/api/v1/orders/7', { method: 'PUT', body, headers: asJson }));
    await change('{"item":"tea","card":"4711"}');
    await change('{"item":5}');
    assert.deepEqual(
      events.map(({ action, type, target, outcome, info }) => [action, type, target, outcome, info]),
      [
        ['updated', 'order', 'order:7', 'success', { id: '7', item: 'tea' }],
        ['updated', 'order', 'order:7', 'failure', { id: '7' }],
      ],
    );
    assert.equal(JSON.stringify(events).includes('4711'), false);
  });

  it('describes itself as OpenAPI', async () => {
    const api = createRestApi({
      title: 'Orders',
      version: '1.0.0',
      basePath: '/api/v1',
      operations,
      authenticate: () => undefined,
    });
    const document = (await api.openapi()) as {
      openapi: string;
      paths: Record<
        string,
        Record<string, { parameters?: { name: string }[]; operationId: string; security?: unknown }>
      >;
    };
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(Object.keys(document.paths), [
      '/api/v1/orders',
      '/api/v1/orders/{id}',
      '/api/v1/orders/import',
      '/api/v1/files/{path}',
      '/api/v1/tenants/{id}',
    ]);
    const list = document.paths['/api/v1/orders']?.['get'];
    assert.deepEqual(
      list?.parameters?.map(({ name }) => name),
      ['limit', 'offset'],
    );
    assert.deepEqual(list?.security, [{ credentials: ['orders:read'] }]);
    assert.equal(document.paths['/api/v1/orders/{id}']?.['get']?.security, undefined);
  });
});
