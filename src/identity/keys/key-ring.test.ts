import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { createSelfSigned } from '#keystore';
import { createTestClock } from '#core';
import { coreSchema, migrate, openSqlite } from '#db';
import { oauthSchema } from '../oauth/schema.ts';
import { createProtection } from '../oauth/token-protection.ts';
import { acme, basic, startTestIdentity } from '../test-identity.ts';
import { superTenant } from '../tenants/tenant.ts';
import { keyLead, KeyRing } from './key-ring.ts';
import { signingKeyOf } from './key-store-keys.ts';
import type { SigningKey } from './signing-keys.ts';

const hour = 3_600_000;
const sealing = createProtection({ mode: 'encrypted', algorithm: 'sha256', key: Buffer.alloc(32, 7) });

/** Two nodes over one database; `store` is what the key store of both holds. */
async function twoNodes(store: SigningKey[] = []) {
  const clock = createTestClock();
  const database = openSqlite({ path: ':memory:', clock });
  await migrate(database, [coreSchema, oauthSchema], clock);
  const node = (lifetime = hour): KeyRing =>
    new KeyRing({
      database,
      clock,
      protection: sealing,
      ofKeyStore: () => store,
      longestLifetime: async () => lifetime,
    });
  return { clock, database, node, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

const ids = (keys: readonly SigningKey[]): readonly string[] => keys.map(({ id }) => id);

for (const algorithm of ['RS256', 'ES256'] as const) {
  test(`${algorithm}: a new key is published before it signs, the old one until its last token has ended`, async () => {
    await using nodes = await twoNodes();
    const { clock } = nodes;
    const [one, two] = [nodes.node(), nodes.node()];
    const old = await one.current(acme, algorithm);
    assert.equal((await two.current(acme, algorithm)).id, old.id, 'both nodes sign with one key');
    const next = await one.rotate(acme, algorithm);
    assert.notEqual(next.id, old.id);
    assert.equal((await one.current(acme, algorithm)).id, old.id);
    // The other node sees the new key before it may meet a token that it signed.
    clock.advance(keyLead - 1);
    assert.ok(ids(await two.published(acme)).includes(next.id));
    assert.equal((await two.current(acme, algorithm)).id, old.id);
    clock.advance(1);
    assert.equal((await one.current(acme, algorithm)).id, next.id);
    assert.equal((await two.current(acme, algorithm)).id, next.id);
    clock.advance(hour - 1);
    assert.ok(ids(await two.published(acme)).includes(old.id), 'a token of the last moment is still good');
    clock.advance(5001);
    assert.ok(!ids(await two.published(acme)).includes(old.id));
  });
}

test('tenants have keys of their own, and the rotation of one changes nothing for another', async () => {
  await using nodes = await twoNodes();
  const ring = nodes.node();
  const [theirs, ours] = [await ring.current(acme), await ring.current(superTenant)];
  assert.notEqual(theirs.id, ours.id);
  await ring.rotate(acme, 'RS256', { immediately: true });
  assert.notEqual((await ring.current(acme)).id, theirs.id);
  assert.equal((await ring.current(superTenant)).id, ours.id);
  assert.deepEqual(ids(await ring.published(superTenant)), [ours.id]);
});

test('another key in the key store follows the former as in a rotation', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(async () => {
      const { privateKeyPem, certificatePem } = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
      return signingKeyOf(privateKeyPem, certificatePem);
    }),
  );
  assert.ok(first && second);
  const store = [first];
  await using nodes = await twoNodes(store);
  const ring = nodes.node();
  assert.equal((await ring.current(superTenant)).id, first.id);
  store[0] = second;
  nodes.clock.advance(5001);
  assert.equal((await ring.current(superTenant)).id, first.id, 'the former signs on, though the file has lost it');
  assert.deepEqual(ids(await ring.published(superTenant)), [first.id, second.id]);
  nodes.clock.advance(keyLead);
  assert.equal((await ring.current(superTenant)).id, second.id);
  assert.deepEqual(ids(await ring.published(superTenant)), [second.id, first.id]);
  assert.equal((await nodes.node().published(superTenant))[0]?.certificate?.raw.length, second.certificate?.raw.length);
});

test('tokens that never end keep their key published for ever', async () => {
  await using nodes = await twoNodes();
  const ring = nodes.node(-1);
  const old = await ring.current(acme);
  await ring.rotate(acme, 'RS256');
  nodes.clock.advance(10 * 365 * 24 * hour);
  assert.ok(ids(await ring.published(acme)).includes(old.id));
  assert.equal((await ring.list(acme)).find(({ key }) => key.id === old.id)?.publishedUntil, undefined);
});

test('a key that is revoked is gone at once, and what signs is replaced', async () => {
  await using nodes = await twoNodes();
  const ring = nodes.node();
  const stolen = await ring.current(acme);
  await ring.revoke(acme, stolen.id);
  assert.notEqual((await ring.current(acme)).id, stolen.id);
  assert.ok(!ids(await ring.published(acme)).includes(stolen.id));
  await assert.rejects(ring.revoke(acme, 'nothing'), { code: 'MR_KEY_UNKNOWN' });
});

test('tokens before and after a rotation are good, and say by which key they are signed', async () => {
  await using server = await startTestIdentity();
  await server.client('app', { grantTypes: ['client_credentials'], tokenType: 'JWT' });
  const issue = async (scope: string): Promise<string> => {
    const form = { grant_type: 'client_credentials', scope };
    const answer = await server.call('/oauth2/token', { headers: basic('app'), form });
    return String(answer.json()['access_token']);
  };
  const isGood = async (token: string): Promise<unknown> =>
    (await server.call('/oauth2/introspect', { headers: basic('app'), form: { token } })).json()['active'];
  const before = await issue('a');
  const next = await server.identity.keys.rotate(superTenant, 'RS256');
  const set = (await server.call('/oauth2/jwks')).json()['keys'] as readonly { kid: string }[];
  assert.deepEqual(set.map(({ kid }) => kid).at(-1), next.id);
  assert.equal(decodeProtectedHeader(await issue('b')).kid, decodeProtectedHeader(before).kid);
  server.clock.advance(keyLead);
  const after = await issue('c');
  assert.equal(decodeProtectedHeader(after).kid, next.id);
  assert.deepEqual([await isGood(before), await isGood(after)], [true, true]);
});
