import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startManagedServer, synapse, type ManagedServer } from '../helpers/managed-server.ts';
import { basic } from '../helpers/management-calls.ts';

/**
 * What the command line client of the original asks for, and the members that it unmarshals into fixed fields: a member
 * of another type makes it fail, one that is missing shows as an empty cell (management 1.8).
 */
type Shape = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'list' | 'texts' | 'object'>>;

interface Recorded {
  readonly command: string;
  readonly request: string;
  /** Of the answer itself, or of each item of its `list`. */
  readonly shape: Shape;
  readonly inList?: boolean;
}

const inbound = `<inboundEndpoint ${synapse} name="In" sequence="Audit" onError="fault" protocol="http" suspend="false"><parameters><parameter name="inbound.http.port">0</parameter></parameters></inboundEndpoint>`;

const reads: readonly Recorded[] = [
  { command: 'get apis', request: 'GET /apis', shape: { name: 'string', url: 'string' }, inList: true },
  {
    command: 'get apis NAME',
    request: 'GET /apis?apiName=Orders%3Av1.0',
    shape: { name: 'string', url: 'string', version: 'string', stats: 'string', tracing: 'string', resources: 'list' },
  },
  {
    command: 'get proxy-services',
    request: 'GET /proxy-services',
    shape: { name: 'string', wsdl1_1: 'string', wsdl2_0: 'string' },
    inList: true,
  },
  {
    command: 'get proxy-services NAME',
    request: 'GET /proxy-services?proxyServiceName=Echo',
    shape: { name: 'string', wsdl1_1: 'string', wsdl2_0: 'string', stats: 'string', tracing: 'string', eprs: 'texts' },
  },
  {
    command: 'get endpoints',
    request: 'GET /endpoints',
    shape: { name: 'string', type: 'string', isActive: 'boolean' },
    inList: true,
  },
  {
    command: 'get endpoints NAME',
    request: 'GET /endpoints?endpointName=Back',
    shape: { name: 'string', type: 'string', isActive: 'boolean', method: 'string', uriTemplate: 'string' },
  },
  {
    command: 'get inbound-endpoints',
    request: 'GET /inbound-endpoints',
    shape: { name: 'string', protocol: 'string' },
    inList: true,
  },
  {
    command: 'get inbound-endpoints NAME',
    request: 'GET /inbound-endpoints?inboundEndpointName=In',
    shape: {
      name: 'string',
      protocol: 'string',
      sequence: 'string',
      error: 'string',
      stats: 'string',
      tracing: 'string',
      parameters: 'list',
    },
  },
  {
    command: 'get sequences',
    request: 'GET /sequences',
    shape: { name: 'string', container: 'string', stats: 'string', tracing: 'string' },
    inList: true,
  },
  {
    command: 'get sequences NAME',
    request: 'GET /sequences?sequenceName=Audit',
    shape: { name: 'string', container: 'string', stats: 'string', tracing: 'string', mediators: 'texts' },
  },
  { command: 'get tasks', request: 'GET /tasks', shape: { name: 'string' }, inList: true },
  {
    command: 'get tasks NAME',
    request: 'GET /tasks?taskName=Nightly',
    shape: {
      name: 'string',
      taskGroup: 'string',
      implementation: 'string',
      triggerType: 'string',
      triggerCount: 'string',
      triggerInterval: 'string',
      properties: 'object',
    },
  },
  { command: 'get templates', request: 'GET /templates', shape: { name: 'string', type: 'string' }, inList: true },
  { command: 'get templates TYPE', request: 'GET /templates?type=sequence', shape: { name: 'string' }, inList: true },
  {
    command: 'get templates TYPE NAME',
    request: 'GET /templates?type=sequence&name=Say',
    shape: { name: 'string', Parameters: 'texts' },
  },
  {
    command: 'get message-stores',
    request: 'GET /message-stores',
    shape: { name: 'string', type: 'string', size: 'number' },
    inList: true,
  },
  {
    command: 'get message-stores NAME',
    request: 'GET /message-stores?name=Inbox',
    shape: { name: 'string', container: 'string', file: 'string', properties: 'object', size: 'number' },
  },
  {
    command: 'get message-processors',
    request: 'GET /message-processors',
    shape: { name: 'string', type: 'string', status: 'string' },
    inList: true,
  },
  {
    command: 'get message-processors NAME',
    request: 'GET /message-processors?name=Mover',
    shape: {
      name: 'string',
      type: 'string',
      status: 'string',
      artifactContainer: 'string',
      fileName: 'string',
      messageStore: 'string',
      parameters: 'object',
    },
  },
  {
    command: 'get local-entries',
    request: 'GET /local-entries',
    shape: { name: 'string', type: 'string' },
    inList: true,
  },
  {
    command: 'get local-entries NAME',
    request: 'GET /local-entries?name=text',
    shape: { name: 'string', type: 'string', value: 'string' },
  },
  {
    command: 'get connectors',
    request: 'GET /connectors',
    shape: { name: 'string', package: 'string', description: 'string', status: 'string' },
    inList: true,
  },
  { command: 'get data-services', request: 'GET /data-services', shape: { name: 'string' }, inList: true },
  {
    command: 'get composite-apps',
    request: 'GET /applications',
    shape: {
      totalCount: 'number',
      activeCount: 'number',
      activeList: 'list',
      faultyCount: 'number',
      faultyList: 'list',
    },
  },
  {
    command: 'get log-levels',
    request: 'GET /logging',
    shape: { loggerName: 'string', componentName: 'string', level: 'string' },
    inList: true,
  },
  {
    command: 'get log-levels NAME',
    request: 'GET /logging?loggerName=rootLogger',
    shape: { loggerName: 'string', componentName: 'string', level: 'string' },
  },
  { command: 'get logs', request: 'GET /logs', shape: { FileName: 'string', Size: 'string' }, inList: true },
];

/** What changes something: the client reads every answer as a map of texts, also that of a failure. */
const changes: readonly (readonly [command: string, request: string, body: unknown, status: number])[] = [
  ['deactivate endpoint NAME', 'POST /endpoints', { name: 'Back', status: 'inactive' }, 200],
  ['activate endpoint NAME', 'POST /endpoints', { name: 'Back', status: 'active' }, 200],
  ['deactivate proxy-service NAME', 'POST /proxy-services', { name: 'Echo', status: 'inactive' }, 200],
  ['activate proxy-service NAME', 'POST /proxy-services', { name: 'Echo', status: 'active' }, 200],
  ['deactivate message-processor NAME', 'POST /message-processors', { name: 'Mover', status: 'inactive' }, 200],
  ['activate message-processor NAME', 'POST /message-processors', { name: 'Mover', status: 'active' }, 200],
  ['deactivate inbound-endpoint NAME', 'POST /inbound-endpoints', { name: 'In', status: 'inactive' }, 200],
  ['activate inbound-endpoint NAME', 'POST /inbound-endpoints', { name: 'In', status: 'active' }, 200],
  ['deactivate task NAME', 'POST /tasks', { name: 'Nightly', status: 'inactive' }, 200],
  ['activate task NAME', 'POST /tasks', { name: 'Nightly', status: 'active' }, 200],
  ['activate endpoint OTHER', 'POST /endpoints', { name: 'Other', status: 'active' }, 404],
  ['add log-level', 'PATCH /logging', { loggerName: 'mine', loggerClass: 'api', loggingLevel: 'DEBUG' }, 200],
  ['update log-level', 'PATCH /logging', { loggerName: 'mine', loggingLevel: 'ERROR' }, 200],
  ['update log-level OTHER', 'PATCH /logging', { loggerName: 'other', loggingLevel: 'ERROR' }, 400],
  ['update hashicorp-secret ID', 'POST /external-vaults/hashicorp', { secretId: 'x' }, 400],
  ['add user', 'POST /users', { userId: 'ann', password: 'x', isAdmin: 'false', domain: '' }, 403],
  ['delete user', 'DELETE /users/ann', undefined, 403],
  ['add role', 'POST /roles', { role: 'buyer', domain: '' }, 403],
];

let server: ManagedServer;
before(async () => {
  server = await startManagedServer({ 'artifacts/inbound-endpoints/in.xml': inbound });
});
after(() => server[Symbol.asyncDispose]());

const typeOf = (value: unknown): string => {
  if (!Array.isArray(value)) return typeof value;
  return value.every((item) => typeof item === 'string') ? 'texts' : 'list';
};

describe('what the client of the original reads', () => {
  for (const { command, request, shape, inList } of reads) {
    test(`mi ${command}`, async () => {
      const answer = (await server.read(request)) as Record<string, unknown>;
      const items = inList ? (answer['list'] as Record<string, unknown>[]) : [answer];
      if (inList) assert.equal(answer['count'], items.length);
      // A home without data services has an empty list.
      if (command !== 'get data-services') assert.ok(items.length > 0, 'there is something to look at');
      for (const item of items) {
        for (const [member, type] of Object.entries(shape)) {
          const found = typeOf(item[member]);
          // An empty list is one of texts and of anything else.
          const fits = found === type || (found === 'texts' && type === 'list');
          assert.ok(fits, `${member} of ${JSON.stringify(item).slice(0, 200)} is ${found}, not ${type}`);
        }
      }
    });
  }
});

describe('what the client of the original changes', () => {
  for (const [command, request, body, status] of changes) {
    test(`mi ${command}`, async () => {
      const answer = await server.as('root', request, body);
      assert.equal(answer.status, status, answer.body);
      const said = JSON.parse(answer.body) as Record<string, unknown>;
      assert.ok(Object.values(said).every((value) => typeof value === 'string'));
      assert.ok(Object.keys(said).length > 0);
    });
  }

  test('mi login, a token that has ended, and logout', async () => {
    const login = await server.call('GET /login', { headers: basic('root', 'a:b') });
    const { AccessToken: token, ...rest } = JSON.parse(login.body) as Record<string, unknown>;
    assert.deepEqual([typeof token, rest], ['string', {}]);
    const headers = { Authorization: `Bearer ${String(token)}` };
    assert.equal((await server.call('GET /apis', { headers })).status, 200);
    assert.equal((await server.call('GET /logout', { headers })).status, 200);
    // It signs in again by itself, with what it keeps, when it is answered 401.
    assert.equal((await server.call('GET /apis', { headers })).status, 401);
    assert.equal((await server.call('GET /login', { headers: basic('root', 'wrong') })).status, 401);
  });

  test('mi get logs NAME, which is a file', async () => {
    const answer = await server.as('root', 'GET /logs?file=server.log');
    assert.equal(answer.status, 200);
    assert.equal(answer.body, 'x'.repeat(1300));
  });
});
