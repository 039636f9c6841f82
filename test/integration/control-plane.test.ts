import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { configureLog, getLogger } from '#core';
import { pair, trust, trustStore } from '../effects/effect-server.ts';
import { synapse } from '../helpers/managed-server.ts';
import { startTemporaryServer } from '../helpers/temporary-server.ts';

interface Report {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** A control plane that remembers which hashes it knows, and hands out what is in `commands` once. */
interface Plane extends AsyncDisposable {
  readonly port: number;
  readonly reports: Report[];
  readonly commands: object[];
  readonly known: Set<string>;
}

async function startPlane(port = 0): Promise<Plane> {
  const reports: Report[] = [];
  const commands: object[] = [];
  const known = new Set<string>();
  const server: Server = createServer({ key: pair.privateKeyPem, cert: pair.certificatePem }, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>;
      const path = (request.url ?? '').replace('/icp/', '');
      reports.push({ path, body });
      if (path === 'commandResult') {
        response.writeHead(202).end();
        return;
      }
      const hash = String(body['runtimeHash']);
      if (path === 'heartbeat') known.add(hash);
      const answer = { acknowledged: known.has(hash), fullHeartbeatRequired: !known.has(hash) };
      response.end(JSON.stringify({ ...answer, commands: commands.splice(0), supportedHeartbeatFields: ['later'] }));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    reports,
    commands,
    known,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Waits until a report is there that `fits`. */
async function reportOf({ reports }: Plane, fits: (report: Report) => boolean): Promise<Report> {
  for (;;) {
    const found = reports.find(fits);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const files = {
  ...trustStore,
  'artifacts/api/orders.xml': `<api ${synapse} name="Orders" context="/orders"><resource methods="GET POST" uri-template="/{id}"><inSequence><respond/></inSequence></resource></api>`,
  'artifacts/proxy-services/echo.xml': `<proxy ${synapse} name="Echo"><target><inSequence><respond/></inSequence></target></proxy>`,
  'artifacts/endpoints/back.xml': `<endpoint ${synapse} name="Back"><http method="get" uri-template="http://back.example/"/></endpoint>`,
  'artifacts/message-stores/inbox.xml': `<messageStore ${synapse} name="Inbox"/>`,
  'registry/governance/rates/today.json': '{"eur":1}',
  'artifacts/sequences/audit.xml': `<sequence ${synapse} name="Audit"><drop/></sequence>`,
};

const configuration = (port: number): string => `${trust}
[icp_config]
enabled = true
icp_url = "https://localhost:${port}"
heartbeat_interval = 1
project = "shop"
secret = "key-1.0123456789abcdef0123456789abcdef"
`;

test('a control plane learns what runs, hears of changes, and manages the runtime', { timeout: 240_000 }, async () => {
  await using plane = await startPlane();
  await using server = await startTemporaryServer(files, configuration(plane.port));
  const { body } = await reportOf(plane, ({ path }) => path === 'heartbeat');
  const id = readFileSync(join(server.home, '.icp_runtime_id'), 'utf8').trim();
  const lines: string[] = [];
  configureLog({ level: 'info', format: 'json', destination: { write: (line) => void lines.push(line) } });
  getLogger('test').info({}, 'a line');
  configureLog({ level: 'info', format: 'json' });
  assert.ok(lines.some((line) => line.includes(`"icp.runtimeId":"${id}"`)));
  assert.deepEqual(
    [body['runtimeId'], body['runtimeType'], body['status'], body['project'], body['component']],
    [id, 'MI', 'RUNNING', 'shop', 'default'],
  );
  assert.equal(String(body['runtimePort']), new URL(server.url('Management')).port);
  const artifacts = body['artifacts'] as Record<string, Record<string, unknown>[]>;
  const own = (list: string, name: string): Record<string, unknown> | undefined =>
    artifacts[list]?.find((each) => each['name'] === name);
  assert.deepEqual(artifacts['registryResources'], [
    { name: 'registry/governance/rates/today.json', type: 'application/json' },
  ]);
  const { url, urls, ...orders } = own('apis', 'Orders') ?? {};
  assert.match(String(url), /\/orders$/);
  assert.ok(Array.isArray(urls));
  assert.deepEqual(orders, {
    name: 'Orders',
    context: '/orders',
    version: 'N/A',
    type: 'API',
    tracing: 'disabled',
    statistics: 'disabled',
    resources: [{ path: '/{id}', methods: 'GET,POST' }],
  });
  assert.equal(own('proxyServices', 'Echo')?.['state'], 'enabled');
  assert.deepEqual(
    [own('endpoints', 'Back')?.['type'], own('endpoints', 'Back')?.['state']],
    ['HTTP Endpoint', 'enabled'],
  );
  assert.deepEqual(own('messageStores', 'Inbox'), { name: 'Inbox', type: 'in-memory-message-store', size: 0 });
  assert.ok(own('sequences', 'Audit'));
  for (const list of [
    'inboundEndpoints',
    'tasks',
    'templates',
    'messageProcessors',
    'localEntries',
    'dataServices',
    'carbonApps',
    'dataSources',
    'connectors',
    'registryResources',
  ]) {
    assert.ok(Array.isArray(artifacts[list]), list);
  }

  // It acts through the reports, which then say what has changed.
  const seen = plane.reports.length;
  const stop = { method: 'POST', path: '/management/proxy-services', body: { name: 'Echo', status: 'inactive' } };
  plane.commands.push({ commandId: 'c-1', action: 'MI_MGMT', params: stop });
  const result = await reportOf(plane, ({ path }) => path === 'commandResult');
  assert.deepEqual(
    [result.body['commandId'], result.body['status'], result.body['httpStatus']],
    ['c-1', 'COMPLETED', 200],
  );
  const changed = await reportOf(plane, (each) => each.path === 'heartbeat' && plane.reports.indexOf(each) >= seen);
  const { proxyServices = [] } = changed.body['artifacts'] as Record<string, Record<string, unknown>[]>;
  assert.equal(proxyServices.find(({ name }) => name === 'Echo')?.['state'], 'disabled');
});

test('reports survive the loss of the control plane', { timeout: 240_000 }, async () => {
  const first = await startPlane();
  const { port } = first;
  await using _server = await startTemporaryServer(files, configuration(port));
  const { body } = await reportOf(first, ({ path }) => path === 'heartbeat');
  await first[Symbol.asyncDispose]();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await using second = await startPlane(port);
  const again = await reportOf(second, ({ path }) => path === 'heartbeat');
  assert.equal(again.body['runtimeId'], body['runtimeId']);
  await reportOf(
    second,
    (each) => each.path === 'deltaHeartbeat' && second.reports.indexOf(each) > second.reports.indexOf(again),
  );
});
