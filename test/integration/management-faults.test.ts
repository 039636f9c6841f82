import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startManagedServer, synapse, type ManagedServer } from '../helpers/managed-server.ts';

const recipients = (content: string, name: string): string =>
  `<endpoint ${synapse} name="${name}"><recipientlist>${content}</recipientlist></endpoint>`;

let managed: ManagedServer;
before(async () => {
  managed = await startManagedServer({
    'artifacts/endpoints/guarded.xml': `<endpoint ${synapse} name="Guarded" onError="Audit"><http method="get" uri-template="http://a.example"/></endpoint>`,
    'artifacts/endpoints/all.xml': recipients('<endpoint key="Guarded"/>', 'All'),
    'artifacts/endpoints/few.xml': recipients('<endpoints value="{$ctx:to}" max-cache="5"/>', 'Few'),
    'artifacts/data-services/Broken.dbs':
      '<data name="Broken"><config id="c"><property name="password">hush</property></config',
  });
});
after(() => managed[Symbol.asyncDispose]());

const endpointRows = [
  ['Guarded', { errorHandler: 'Audit' }],
  ['Back', { errorHandler: '' }],
  ['All', { type: 'Recipient List Endpoint', poolSize: 20 }],
  ['Few', { type: 'Recipient List Endpoint', poolSize: 5 }],
] as const;
for (const [name, wanted] of endpointRows) {
  test(`the details of the endpoint ${name}`, async () => {
    const found = (await managed.read(`GET /endpoints?endpointName=${name}`)) as Record<string, unknown>;
    for (const [member, value] of Object.entries(wanted)) assert.equal(found[member], value, member);
  });
}

test('why a data service could not be deployed', async () => {
  const { faultStackTrace } = (await managed.read('GET /data-services/Broken/fault')) as { faultStackTrace: string };
  assert.match(faultStackTrace, /Broken\.dbs:1/);
  assert.doesNotMatch(faultStackTrace, /hush/);
  assert.equal((await managed.as('root', 'GET /data-services/None/fault')).status, 404);
});
