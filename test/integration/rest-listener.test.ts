import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createHealth, createMetrics, metricsText } from '#core';
import {
  createRestApi,
  createSite,
  createStaticFiles,
  defineOperation,
  type FetchHandler,
  probeOperations,
  serveRest,
} from '#rest';
import { type HttpListener, startHttpListener } from '#transport';

const directory = mkdtempSync(join(tmpdir(), 'millrace-rest-'));
const large = Buffer.alloc(3_000_000, 'abcdefgh');
const health = createHealth();
const cancelled = Promise.withResolvers<void>();
let listener: HttpListener;
let origin: string;

const echo = defineOperation({
  id: 'echo',
  method: 'POST',
  path: '/echo',
  summary: 'What was sent',
  body: (z) => z.object({ name: z.string() }),
  responses: { 200: { description: 'The same' } },
  public: true,
  handle: ({ body, connection }) => ({ ...body, from: connection?.peer.address }),
});
const events = defineOperation({
  id: 'events',
  method: 'GET',
  path: '/events',
  summary: 'Events without an end',
  responses: { 200: { description: 'Events', type: 'text/event-stream' } },
  public: true,
  handle: () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('data: 1\n\n')),
        cancel: () => cancelled.resolve(),
      }),
      { headers: { 'Content-Type': 'text/event-stream' } },
    ),
});

before(async () => {
  writeFileSync(join(directory, 'large.txt'), large);
  const files = createStaticFiles(directory, { prefix: '/files' });
  const serveFiles: FetchHandler = async (request) => (await files(request)) ?? new Response(null, { status: 404 });
  const api = createRestApi({ title: 'Test', version: '1', basePath: '/api', operations: [echo, events] });
  const probes = createRestApi({
    title: 'Probes',
    version: '1',
    basePath: '',
    operations: probeOperations(health, () => metricsText(createMetrics())),
  });
  const site = createSite([
    { path: '/api', fetch: api.fetch },
    { path: '/files', fetch: serveFiles },
    { path: '', fetch: probes.fetch },
  ]);
  listener = await startHttpListener({ host: '127.0.0.1', port: 0 }, serveRest(site));
  origin = `http://127.0.0.1:${listener.port}`;
});
after(async () => {
  await listener[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe('REST APIs on a listener', () => {
  it('answer probes as the phase says', async () => {
    assert.equal((await fetch(`${origin}/readyz`)).status, 503);
    health.setPhase('ready');
    const ready = await fetch(`${origin}/readyz`);
    assert.deepEqual([ready.status, await ready.json()], [200, { healthy: true, phase: 'ready' }]);
    assert.equal((await fetch(`${origin}/metric-service/metrics`)).status, 200);
  });

  it('take and give JSON', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${origin}/api/echo`, { method: 'POST', headers, body: '{"name":"Zoë"}' });
    assert.deepEqual(await response.json(), { name: 'Zoë', from: '127.0.0.1' });
    const wrong = await fetch(`${origin}/api/echo`, { method: 'POST', headers, body: '{"name":7}' });
    assert.equal(wrong.status, 400);
  });

  it('refuse a body that is too large before it has all come', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${origin}/api/echo`, { method: 'POST', headers, body: `"${'x'.repeat(3_000_000)}"` });
    assert.equal(response.status, 413);
  });

  it('stream files and answer HEAD with their length', async () => {
    const response = await fetch(`${origin}/files/large.txt`);
    assert.equal(response.headers.get('Content-Length'), String(large.length));
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(large));
    const head = await fetch(`${origin}/files/large.txt`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal((await fetch(`${origin}/files/%2e%2e%2fetc/passwd`)).status, 400);
  });

  it('end a stream when its reader goes away', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${origin}/api/events`, { signal: leaving.signal });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    assert.equal(Buffer.from(first?.value ?? []).toString(), 'data: 1\n\n');
    leaving.abort();
    await cancelled.promise;
  });
});
