import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { loadConfig } from '#config';
import { createTestClock } from '#core';
import { createRevocationNotices } from './revocation-notices.ts';

const revocation = { tenantId: 1, key: 'a/b', form: 'opaque', clientId: 'app', expires: null } as const;

function open(toml: string, put: (url: string) => Promise<number>) {
  const clock = createTestClock();
  const published: unknown[] = [];
  const notices = createRevocationNotices({
    config: loadConfig({ text: toml }).config,
    clock,
    modules: { directory: '/nonexistent', classMap: {} },
    publish: (notice) => published.push(notice),
    put,
  });
  return { clock, published, notices };
}

const withStore = '[apim.token.revocation]\n"persistent_notifier.hostname" = "https://store.example/v2/keys/jti"\n';

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

test('a store that fails is asked three times more, and no more than that', async () => {
  const asked: string[] = [];
  const { clock, notices } = open(withStore, async (url) => {
    asked.push(url);
    if (asked.length === 1) throw new Error('no answer');
    return 503;
  });
  await using _ = notices;
  notices.tell(revocation);
  await settle();
  assert.deepEqual(asked, ['https://store.example/v2/keys/jti/a%2Fb']);
  for (const [wait, count] of [
    [1000, 2],
    [5000, 3],
    [30_000, 4],
    [600_000, 4],
  ] as const) {
    clock.advance(wait);
    await settle();
    assert.equal(asked.length, count);
  }
});

test('nothing is asked again after the end', async () => {
  let asked = 0;
  const { clock, notices } = open(withStore, async () => {
    asked++;
    return 500;
  });
  notices.tell(revocation);
  await notices[Symbol.asyncDispose]();
  clock.advance(60_000);
  await settle();
  assert.equal(asked, 1);
});

test('without an address nothing is put anywhere, and what has ended needs no key', async () => {
  let asked = 0;
  const count = async (): Promise<number> => {
    asked++;
    return 200;
  };
  const without = open('', count);
  without.notices.tell(revocation);
  assert.deepEqual(without.published, [{ ...revocation, ttl: 5000 }]);
  const { clock, notices } = open(withStore, count);
  notices.tell({ ...revocation, expires: clock.now() });
  await settle();
  assert.equal(asked, 0);
});
