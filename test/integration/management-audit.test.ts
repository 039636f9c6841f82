import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startManagedServer, type ManagedServer } from '../helpers/managed-server.ts';

let managed: ManagedServer;
before(async () => {
  managed = await startManagedServer();
});
after(() => managed[Symbol.asyncDispose]());

interface Audited {
  readonly performedBy: string;
  readonly action: string;
  readonly type: string;
  readonly info: string;
  readonly target: string;
  readonly outcome: string;
}

async function latest(): Promise<Audited> {
  const { list } = (await managed.read('GET /millrace/audit?limit=1')) as { list: Audited[] };
  return list[0] ?? assert.fail('no record');
}

type Row = readonly [call: string, body: unknown, expected: string, info: Readonly<Record<string, unknown>>];

const secret = 'never-to-be-told';

/** Calls, and what the audit says of them: outcome, action and type, and what was changed. */
const rows: readonly Row[] = [
  ['POST /apis', { name: 'Orders:v1.0', trace: 'enable' }, 'success enabled api_trace', { apiName: 'Orders:v1.0' }],
  ['POST /apis', { name: 'Orders:v1.0', trace: 'disable' }, 'success disabled api_trace', { apiName: 'Orders:v1.0' }],
  [
    'POST /apis',
    { name: 'Orders:v1.0', statistics: 'enable' },
    'success enabled api_statistics',
    { apiName: 'Orders:v1.0' },
  ],
  ['POST /apis', { name: 'None', trace: 'enable' }, 'failure enabled api_trace', { apiName: 'None' }],
  ['POST /apis', { name: 'Orders:v1.0', trace: 'maybe' }, 'failure updated api_trace', { apiName: 'Orders:v1.0' }],
  [
    'POST /proxy-services',
    { name: 'Echo', statistics: 'enable' },
    'success enabled proxy_service_statistics',
    { proxyServiceName: 'Echo' },
  ],
  [
    'POST /proxy-services',
    { name: 'Echo', status: 'inactive' },
    'success disabled proxy_service',
    { proxyServiceName: 'Echo', status: 'inactive' },
  ],
  ['POST /endpoints', { name: 'Back', trace: 'enable' }, 'success enabled endpoint_trace', { endpointName: 'Back' }],
  [
    'POST /endpoints',
    { name: 'Back', status: 'INACTIVE' },
    'success disabled endpoint',
    { endpointName: 'Back', status: 'INACTIVE' },
  ],
  [
    'POST /inbound-endpoints',
    { name: 'None', status: 'active' },
    'failure enabled inbound_endpoint',
    { inboundEndpointName: 'None', status: 'active' },
  ],
  [
    'POST /sequences',
    { name: 'Audit', statistics: 'disable' },
    'success disabled sequence_statistics',
    { sequenceName: 'Audit' },
  ],
  [
    'POST /templates',
    { name: 'Say', type: 'sequence', trace: 'enable' },
    'success enabled sequence_template_trace',
    { name: 'Say' },
  ],
  [
    'POST /tasks',
    { name: 'Nightly', status: 'trigger' },
    'success triggered task',
    { taskName: 'Nightly', status: 'trigger' },
  ],
  [
    'POST /tasks',
    { name: 'Nightly', status: 'inactive' },
    'success disabled task',
    { taskName: 'Nightly', status: 'inactive' },
  ],
  [
    'POST /message-processors',
    { name: 'Mover', status: 'inactive' },
    'success disabled message_processor',
    { name: 'Mover', status: 'inactive' },
  ],
  [
    'POST /connectors',
    { name: 'hello', package: 'org.example', status: 'enabled' },
    'success enabled connector',
    { name: 'hello', package: 'org.example', status: 'enabled' },
  ],
  ['POST /applications', undefined, 'failure created carbon_application', {}],
  ['DELETE /applications/Shop', undefined, 'failure deleted carbon_application', { name: 'Shop' }],
  [
    'PATCH /logging',
    { loggerName: 'mine', loggerClass: 'mediation', loggingLevel: 'DEBUG' },
    'success created log_level',
    { loggerName: 'mine', loggerClass: 'mediation', loggingLevel: 'DEBUG' },
  ],
  [
    'PATCH /logging',
    { loggerName: 'mine', loggingLevel: 'WARN' },
    'success updated log_level',
    { loggerName: 'mine', loggingLevel: 'WARN' },
  ],
  ['DELETE /logging?loggerName=mine', undefined, 'success deleted log_level', { loggerName: 'mine' }],
  [
    'PATCH /logging',
    { loggerName: 'rootLogger', loggingLevel: 'OFF' },
    'success updated root_log_level',
    { loggerName: 'rootLogger', loggingLevel: 'OFF' },
  ],
  [
    'PUT /configs',
    { configName: 'correlation', configs: { enabled: true } },
    'success enabled config',
    { configName: 'correlation' },
  ],
  [
    'POST /external-vaults/hashicorp',
    { secretId: secret },
    'failure updated external_vault',
    { vault: 'hashicorp', changed: 'secretId' },
  ],
  [
    'POST /users',
    { userId: 'ada', password: secret, isAdmin: true },
    'failure created user',
    { userId: 'ada', isAdmin: true },
  ],
  [
    'PATCH /users/ada?domain=EU',
    { newPassword: secret, confirmPassword: secret },
    'failure updated user',
    { userId: 'ada', domain: 'EU', changed: 'password' },
  ],
  ['DELETE /users/ada', undefined, 'failure deleted user', { userId: 'ada' }],
  ['POST /roles', { role: 'clerk' }, 'failure created role', { role: 'clerk' }],
  [
    'PUT /roles',
    { userId: 'ada', addedRoles: ['clerk'], removedRoles: [] },
    'failure updated user_roles',
    { userId: 'ada', addedRoles: ['clerk'], removedRoles: [] },
  ],
  ['DELETE /roles/clerk', undefined, 'failure deleted role', { role: 'clerk' }],
  [
    'POST /registry-resources/content?path=registry/config/b.txt&mediaType=text/plain',
    secret,
    'success created registry_resource',
    { path: 'registry/config/b.txt', mediaType: 'text/plain' },
  ],
  [
    'PUT /registry-resources/content?path=registry/config/b.txt',
    secret,
    'success updated registry_resource',
    { path: 'registry/config/b.txt' },
  ],
  [
    'POST /registry-resources/properties?path=registry/config/b.txt',
    [{ name: 'key', value: secret }],
    'success updated registry_resource_properties',
    { path: 'registry/config/b.txt', names: ['key'] },
  ],
  [
    'DELETE /registry-resources/properties?path=registry/config/b.txt&name=key',
    undefined,
    'success deleted registry_resource_properties',
    { path: 'registry/config/b.txt', name: 'key' },
  ],
  [
    'DELETE /registry-resources/content?path=registry/config/b.txt',
    undefined,
    'success deleted registry_resource',
    { path: 'registry/config/b.txt' },
  ],
  [
    'POST /millrace/captures',
    { artifact: 'api:Orders:v1.0', header: { name: 'Authorization', value: secret }, next: 3 },
    'success enabled capture',
    { artifact: 'api:Orders:v1.0', next: 3, seconds: 300, payloads: false, header: 'Authorization' },
  ],
  ['DELETE /millrace/captures/none', undefined, 'failure disabled capture', { id: 'none' }],
  ['GET /millrace/traces/77', undefined, 'failure viewed trace', { number: '77' }],
  ['DELETE /millrace/traces', undefined, 'success deleted traces', {}],
  [
    'POST /millrace/stored-messages/Inbox/1/requeue',
    undefined,
    'failure updated stored_message',
    { store: 'Inbox', number: '1' },
  ],
  [
    'DELETE /millrace/stored-messages/Inbox/1',
    undefined,
    'failure deleted stored_message',
    { store: 'Inbox', number: '1' },
  ],
  ['DELETE /millrace/stored-messages/Inbox', undefined, 'success deleted stored_messages', { store: 'Inbox' }],
  [
    'POST /millrace/replays',
    { method: 'GET', path: `/nothing?key=${secret}`, headers: { Authorization: secret } },
    'success triggered replay',
    { path: '/nothing', method: 'GET' },
  ],
  ['PATCH /server', { status: 'dance' }, 'failure triggered server', { status: 'dance' }],
];

for (const [call, body, expected, info] of rows) {
  test(`the audit of ${call.replace(/\?.*/, '')}: ${expected}`, async () => {
    await managed.as('root', call, body);
    const found = await latest();
    assert.equal(`${found.outcome} ${found.action} ${found.type}`, expected);
    assert.deepEqual(JSON.parse(found.info), info);
    assert.equal(found.performedBy, 'root');
    const [name] = Object.values(info) as (string | undefined)[];
    assert.equal(found.target, name === undefined ? found.type : `${found.type}:${name}`);
  });
}

test('the table has every call that changes something', async () => {
  const { paths } = (await managed.read('GET /openapi.json')) as { paths: Record<string, Record<string, unknown>> };
  const changes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => `${method.toUpperCase()} ${path.replace(/^\/management/, '')}`),
  );
  const covered = (change: string): boolean => {
    const pattern = new RegExp(`^${change.replaceAll(/\{\w+\+?\}/g, '[^/]+')}$`);
    return rows.some(([call]) => pattern.test(call.replace(/\?.*/, '')));
  };
  assert.ok(changes.length >= 25, String(changes.length));
  assert.deepEqual(
    changes.filter((change) => !covered(change)),
    [],
  );
});

test('nobody learns a secret from the audit, and strangers are recorded as nobody', async () => {
  const all = JSON.stringify(await managed.read('GET /millrace/audit?limit=500'));
  assert.equal(all.includes(secret), false);
  await managed.call('POST /apis', { body: '{}', headers: { 'Content-Type': 'application/json' } });
  const { performedBy, outcome } = await latest();
  assert.deepEqual([performedBy, outcome], ['anonymous', 'failure']);
});
