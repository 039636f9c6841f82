import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock, type TestClock } from '#core';
import { MillraceError, PendingValue } from '#errors';
import { createVault, type Vault, type VaultAddress, type VaultOptions, type VaultRequest } from './hashicorp-vault.ts';

interface TestVault {
  readonly vault: Vault;
  readonly requests: VaultRequest[];
  readonly clock: TestClock;
  /** Reads as a step does: again after what had to be fetched. */
  readonly read: (path: string, field: string, namespace?: string) => Promise<string>;
}

type Answer = (request: VaultRequest) => { status: number; body: unknown } | Error;

const secret: Answer = ({ url }) =>
  url.includes('/auth/')
    ? { status: 200, body: { auth: { client_token: 't1', lease_duration: 100 } } }
    : { status: 200, body: { data: { data: { user: 'ada', port: 5432 }, user: 'of version 1' } } };

function start(options: Partial<VaultOptions> = {}, answer: Answer = secret): TestVault {
  const clock = createTestClock();
  const requests: VaultRequest[] = [];
  const vault = createVault(
    { address: 'http://vault', rootToken: 'root', cacheTime: 1000, ...options },
    {
      clock,
      async transport(request) {
        requests.push(request);
        const given = answer(request);
        if (given instanceof Error) throw given;
        return { status: given.status, text: JSON.stringify(given.body) };
      },
    },
  );
  const read = async (address: VaultAddress): Promise<string> => {
    try {
      return vault.read(address);
    } catch (error) {
      if (!(error instanceof PendingValue)) throw error;
      await error.ready;
      return vault.read(address);
    }
  };
  return { vault, requests, clock, read: (path, field, namespace) => read({ path, field, namespace }) };
}

test('a field is fetched once and kept for a while', async () => {
  const { read, requests, clock } = start();
  assert.equal(await read('secret/db', 'user'), 'ada');
  assert.equal(await read('secret/db', 'port'), '5432');
  assert.deepEqual(
    requests.map(({ url, headers }) => [url, headers['X-Vault-Token'], headers['X-Vault-Namespace']]),
    [['http://vault/v1/secret/data/db', 'root', undefined]],
  );
  clock.advance(1001);
  await read('secret/db', 'user');
  assert.equal(requests.length, 2);
});

test('many who wait ask once', async () => {
  const { read, requests } = start({ cacheTime: 0 });
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => read('secret/db', 'user'))), ['ada', 'ada', 'ada']);
  assert.equal(requests.length, 1);
});

test('version 1, namespaces', async () => {
  const { read, requests } = start({ engineVersion: 1, namespace: 'team' });
  assert.equal(await read('kv/db', 'user'), 'of version 1');
  assert.equal(await read('kv/db', 'user', 'other'), 'of version 1');
  assert.deepEqual(
    requests.map(({ url, headers }) => [url, headers['X-Vault-Namespace']]),
    [
      ['http://vault/v1/kv/db', 'team'],
      ['http://vault/v1/kv/db', 'other'],
    ],
  );
});

test('an AppRole signs in, and again before its token ends', async () => {
  const { read, requests, clock, vault } = start({ rootToken: undefined, roleId: 'r', secretId: 's' });
  await read('secret/a', 'user');
  await read('secret/b', 'user');
  clock.advance(90_001);
  await read('secret/c', 'user');
  vault.setSecretId('s2');
  await read('secret/d', 'user');
  const logins = requests.filter(({ method }) => method === 'POST');
  assert.deepEqual(
    logins.map(({ url, body }) => [url, body]),
    ['s', 's', 's2'].map((id) => ['http://vault/v1/auth/approle/login', `{"role_id":"r","secret_id":"${id}"}`]),
  );
});

test('a token that the vault refuses is replaced once', async () => {
  let refusals = 1;
  const { read } = start({ rootToken: undefined, ldapUsername: 'u', ldapPassword: 'p' }, (request) =>
    request.method === 'GET' && refusals-- > 0 ? { status: 403, body: {} } : secret(request),
  );
  assert.equal(await read('secret/a', 'user'), 'ada');
});

test('what cannot be read says why, and is not asked again at once', async () => {
  const failing = start({}, () => ({ status: 500, body: {} }));
  const isVaultError = (pattern: RegExp) => (error: unknown) =>
    error instanceof MillraceError && error.code === 'MR_VAULT' && pattern.test(error.message);
  await assert.rejects(failing.read('secret/a', 'user'), isVaultError(/answered with 500/));
  await assert.rejects(failing.read('secret/a', 'user'), isVaultError(/answered with 500/));
  assert.equal(failing.requests.length, 1);
  await assert.rejects(start({}, () => new Error('refused')).read('secret/a', 'user'), isVaultError(/did not answer/));
  await assert.rejects(start().read('secret/a', 'none'), isVaultError(/no field "none"/));
  await assert.rejects(start({ rootToken: undefined }).read('secret/a', 'user'), isVaultError(/needs rootToken/));
});
