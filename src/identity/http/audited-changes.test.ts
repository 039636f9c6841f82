import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestGround, type TestGround } from '../test-ground.ts';

const server = '/api/server/v1';
const password = 'never-to-be-told';
const json = { schemas: [] };

type Row = readonly [
  call: string,
  body: unknown,
  action: string,
  target: string,
  info: Readonly<Record<string, unknown>>,
];

/** Calls, and what the audit says that they changed. `ID` stands for what the call before has made. */
const tables: Readonly<Record<string, readonly Row[]>> = {
  tenants: [
    [
      `POST ${server}/tenants`,
      { domain: 'acme.com', owners: [{ username: 'boss@acme.com', password, email: 'b@acme.com' }] },
      'created',
      'tenant:acme.com',
      { domain: 'acme.com', owners: ['boss@acme.com'] },
    ],
    [`PUT ${server}/tenants/ID/lifecycle-status`, { activated: false }, 'disabled', 'tenant:ID', { id: 'ID' }],
    [`PUT ${server}/tenants/ID/lifecycle-status`, { activated: true }, 'enabled', 'tenant:ID', { id: 'ID' }],
    [`DELETE ${server}/tenants/ID`, undefined, 'deleted', 'tenant:ID', { id: 'ID' }],
  ],
  clients: [
    [
      `POST ${server}/clients`,
      { client_name: 'Shop', grant_types: ['client_credentials'] },
      'created',
      'oauth_client:Shop',
      { client_name: 'Shop', grant_types: ['client_credentials'] },
    ],
    [`POST ${server}/clients/ID/deactivate`, undefined, 'disabled', 'oauth_client:ID', { id: 'ID' }],
    [`POST ${server}/clients/ID/activate`, undefined, 'enabled', 'oauth_client:ID', { id: 'ID' }],
    [`POST ${server}/clients/ID/secret`, undefined, 'updated', 'oauth_client:ID', { id: 'ID', changed: 'secret' }],
    [
      `PUT ${server}/clients/ID`,
      { client_name: 'Store', grant_types: ['client_credentials'] },
      'updated',
      'oauth_client:ID',
      { id: 'ID', client_name: 'Store', grant_types: ['client_credentials'] },
    ],
    [`DELETE ${server}/clients/ID`, undefined, 'deleted', 'oauth_client:ID', { id: 'ID' }],
  ],
  users: [
    ['POST /scim2/Users', { ...json, userName: 'ada', password }, 'created', 'user:ada', { userName: 'ada' }],
    [
      'PUT /scim2/Users/ID',
      { ...json, userName: 'ada', password, active: true },
      'updated',
      'user:ID',
      { id: 'ID', userName: 'ada', active: true },
    ],
    [
      'PATCH /scim2/Users/ID',
      { ...json, Operations: [{ op: 'replace', path: 'password', value: password }] },
      'updated',
      'user:ID',
      { id: 'ID', changed: ['replace password'] },
    ],
    ['DELETE /scim2/Users/ID', undefined, 'deleted', 'user:ID', { id: 'ID' }],
    [
      'PATCH /scim2/Me',
      { ...json, Operations: [{ op: 'add', path: 'nickName', value: 'A' }] },
      'updated',
      'me',
      { changed: ['add nickName'] },
    ],
    [
      'POST /scim2/Bulk',
      { ...json, Operations: [{ method: 'DELETE', path: '/Users/none', bulkId: 'b' }] },
      'updated',
      'bulk',
      { operations: ['DELETE /Users/none'] },
    ],
  ],
  groups: [
    ['POST /scim2/Groups', { ...json, displayName: 'clerks' }, 'created', 'group:clerks', { displayName: 'clerks' }],
    ['DELETE /scim2/Groups/ID', undefined, 'deleted', 'group:ID', { id: 'ID' }],
  ],
  keys: [
    [`POST ${server}/signing-keys`, {}, 'created', 'signing_key', { immediately: false, algorithm: 'RS256' }],
    [`DELETE ${server}/signing-keys/none`, undefined, 'deleted', 'signing_key:none', { kid: 'none' }],
  ],
  tokens: [
    [`DELETE ${server}/tokens/none`, undefined, 'deleted', 'token:none', { id: 'none' }],
    [`POST ${server}/tokens/revoke`, { token: password }, 'deleted', 'token', {}],
  ],
};

/** Does the calls of a table one after the other. */
async function perform(ground: TestGround, rows: readonly Row[]): Promise<void> {
  let made = '';
  const filled = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('"ID"', JSON.stringify(made))) as T;
  for (const [call, body, action, target, info] of rows) {
    const reply = await ground.call(call.replace('ID', made), body);
    const record = ground.audited.at(-1) ?? assert.fail(`no record of ${call}`);
    assert.deepEqual(
      [record.actor, record.action, record.target, record.info],
      ['admin', action, target.replace('ID', made), filled(info)],
      `${call}: ${reply.status} ${reply.text}`,
    );
    const { id, client_id: client } = reply.status === 201 ? reply.json : {};
    if (typeof id === 'string' || typeof id === 'number') made = String(id);
    else if (typeof client === 'string') made = client;
  }
  assert.equal(JSON.stringify(ground.audited).includes(password), false, 'no secret is told');
}

describe('the audit says what was changed', () => {
  for (const [name, rows] of Object.entries(tables)) {
    it(name, async () => {
      await using ground = await startTestGround();
      await perform(ground, rows);
    });
  }
});
