import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { loadConfig } from '#config';
import { createTestClock, systemClock } from '#core';
import { createRevocationNotices } from '#identity';
import { createHttpSender } from '#transport';
import { formPutter } from '../../src/server/post-form.ts';
import { startIdentityServer } from '../helpers/identity-server.ts';
import { etcdMissing, startEtcd, type EtcdNode, type EtcdPeer } from '../peers/etcd.ts';

describe('revocations in etcd', { skip: etcdMissing }, () => {
  let peer: EtcdPeer | undefined;
  before(async () => {
    peer = await startEtcd();
  });
  after(() => peer?.[Symbol.asyncDispose]());

  /** `[apim.token.revocation]` with the address of the store. */
  function settings(changes: Readonly<Record<string, string>> = {}): string {
    if (!peer) throw new Error('etcd was not started');
    const entries = {
      'persistent_notifier.hostname': `${peer.origin}/v2/keys/jti/`,
      'persistent_notifier.username': peer.username,
      'persistent_notifier.password': peer.password,
      'persistent_notifier.ttl': '1h',
      ...changes,
    };
    const lines = Object.entries(entries).map(([name, value]) => `"${name}" = ${JSON.stringify(value)}`);
    return `[apim.token.revocation]\n${lines.join('\n')}\n`;
  }

  /** Tells of revocations, waits until each is written or has failed once, and gives the statuses. */
  async function write(keys: readonly string[], toml = settings()): Promise<readonly number[]> {
    await using sender = createHttpSender();
    const put = formPutter(sender);
    const statuses: number[] = [];
    const notices = createRevocationNotices({
      config: loadConfig({ text: toml }).config,
      clock: createTestClock(),
      modules: { directory: '/nonexistent', classMap: {} },
      publish: () => undefined,
      async put(url, form, authorization) {
        const status = await put(url, form, authorization);
        statuses.push(status);
        return status;
      },
    });
    for (const key of keys) notices.tell({ tenantId: -1234, key, form: 'opaque', clientId: 'app', expires: null });
    await notices[Symbol.asyncDispose]();
    return statuses;
  }

  it('are keys with a value and an end', async () => {
    assert.deepEqual(await write(['3c9a4f']), [201]);
    const { ttl = 0, ...node } = (await peer?.read('jti/3c9a4f')) ?? ({} as EtcdNode);
    assert.equal(node.value, 'true');
    assert.ok(ttl > 3000 && ttl <= 3600, `ttl ${ttl}`);
    // Every node of a cluster writes the same key.
    assert.deepEqual(await write(['3c9a4f']), [200]);
  });

  it('have any key that a token can have', async () => {
    const keys = ['_leading', 'with.dots', '-', 'a~b', 'Zm9v+YmFy=', 'a/b', 'x'.repeat(2000)];
    assert.deepEqual(
      await write(keys),
      keys.map(() => 201),
    );
    for (const key of keys) assert.equal((await peer?.read(`jti/${encodeURIComponent(key)}`))?.value, 'true', key);
  });

  it('are gone when their life is over', async () => {
    assert.deepEqual(await write(['short'], settings({ 'persistent_notifier.ttl': '1s' })), [201]);
    const end = systemClock.monotonic() + 20_000;
    while ((await peer?.read('jti/short')) && systemClock.monotonic() < end) await setTimeout(100);
    assert.equal(await peer?.read('jti/short'), undefined);
  });

  it('are refused with a wrong password', async () => {
    assert.deepEqual(await write(['nobody'], settings({ 'persistent_notifier.password': 'wrong' })), [401]);
    assert.equal(await peer?.read('jti/nobody'), undefined);
  });

  it('come there from a server that revokes a token', async () => {
    await using server = await startIdentityServer(settings());
    const grants = { grant_types: ['client_credentials'], ext_token_type: 'JWT' };
    const client = await server.register({ client_name: 'revoked', ...grants });
    const account = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
    const ask = (path: string, form: Record<string, string>): Promise<Response> =>
      server.fetch(`${server.origin}/oauth2/${path}`, {
        method: 'POST',
        headers: { Authorization: `Basic ${account}` },
        body: new URLSearchParams(form),
      });
    const { access_token: token } = (await (await ask('token', { grant_type: 'client_credentials' })).json()) as {
      access_token: string;
    };
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
    assert.equal((await ask('revoke', { token })).status, 200);
    const end = systemClock.monotonic() + 30_000;
    let node = await peer?.read(`jti/${jti}`);
    while (!node && systemClock.monotonic() < end) {
      await setTimeout(100);
      node = await peer?.read(`jti/${jti}`);
    }
    assert.equal(node?.value, 'true');
  });
});
