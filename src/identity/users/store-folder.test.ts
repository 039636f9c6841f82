import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { configureLog, createTestClock } from '#core';
import { createStoreFolder } from './store-folder.ts';
import type { UserStore } from './user-store.ts';

before(() => configureLog({ level: 'silent', format: 'json' }));
after(() => configureLog({ level: 'info', format: 'json' }));

test('a store whose database is away is tried again, and nobody waits for it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-stores-'));
  const clock = createTestClock();
  const store = { [Symbol.asyncDispose]: () => Promise.resolve() } as unknown as UserStore;
  let outcome: (() => Promise<UserStore>) | undefined;
  let attempts = 0;
  const open = (): Promise<UserStore> => {
    attempts++;
    return outcome ? outcome() : Promise.reject(new Error('the database is away'));
  };
  try {
    await using stores = createStoreFolder({ folder, clock, decrypt: (text) => Promise.resolve(text), open });
    const text = '<UserStoreManager class="x"><Property name="DomainName">A</Property></UserStoreManager>';
    writeFileSync(join(folder, 'A.xml'), text);
    writeFileSync(join(folder, 'B.xml'), '<UserStoreManager/>');
    assert.deepEqual(await stores.faulty(), ['A.xml', 'B.xml']);
    assert.equal(attempts, 1);
    clock.advance(5_000);
    assert.deepEqual(await stores.stores(), []);
    assert.equal(attempts, 1, 'not at every look');

    // An attempt that takes its time holds nobody up, and no second one begins beside it.
    let reached: (found: UserStore) => void = () => undefined;
    outcome = () => new Promise((resolve) => (reached = resolve));
    clock.advance(10_000);
    assert.deepEqual(await stores.stores(), []);
    clock.advance(10_000);
    assert.deepEqual(await stores.stores(), []);
    assert.equal(attempts, 2);
    reached(store);
    await turn();
    assert.deepEqual(await stores.stores(), [store]);
    assert.deepEqual(await stores.faulty(), ['B.xml'], 'a file that is wrong is not tried again');
    assert.equal(attempts, 2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
