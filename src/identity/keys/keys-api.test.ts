import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGround } from '../test-ground.ts';

const path = '/api/server/v1/signing-keys';

interface Key {
  readonly kid: string;
  readonly state: string;
  readonly algorithm: string;
}

test('administrators list, rotate and revoke the keys of their tenant, and of no other', async () => {
  await using ground = await startTestGround();
  const facts = { domain: 'acme.com', adminName: 'boss', adminPassword: 'boss-password', email: 'b@acme.com' };
  await ground.administration.tenants.create(facts);
  const boss = 'boss@acme.com:boss-password';
  const keysOf = async (line: string, as?: string): Promise<readonly Key[]> => {
    const answer = await ground.call(line, undefined, as);
    assert.equal(answer.status, 200, answer.text);
    return answer.json['keys'] as readonly Key[];
  };
  const [ours] = await keysOf(`GET ${path}`);
  const [theirs] = await keysOf(`GET /t/acme.com${path}`, boss);
  assert.ok(ours && theirs && ours.kid !== theirs.kid);
  assert.doesNotMatch(JSON.stringify(ours), /PRIVATE|"d"/);
  const made = await ground.call(`POST /t/acme.com${path}`, { algorithm: 'RS256' }, boss);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.json['state'], 'next');
  assert.equal((await keysOf(`GET ${path}`)).length, 1);
  assert.equal((await ground.call(`DELETE /t/acme.com${path}/${theirs.kid}`, undefined, boss)).status, 204);
  const left = await keysOf(`GET /t/acme.com${path}`, boss);
  assert.ok(!left.some(({ kid }) => kid === theirs.kid));
  assert.ok(left.some(({ state }) => state === 'current'));
  assert.equal((await ground.call(`DELETE ${path}/${String(made.json['kid'])}`)).status, 404);
  assert.equal(
    (await ground.call(`GET /t/acme.com${path}`, undefined, 'admin@carbon.super:admin-password')).status,
    403,
  );
  assert.equal((await ground.call(`POST ${path}`, { algorithm: 'HS256' })).status, 400);
  assert.equal((await ground.call(`GET ${path}`, undefined, '')).status, 401);
});

test('the API describes itself', async () => {
  await using ground = await startTestGround();
  const document = (await ground.call(`GET ${path}/openapi.json`, undefined, '')).json;
  assert.deepEqual(Object.keys(document['paths'] as object).toSorted(), [path, `${path}/{kid}`]);
});
