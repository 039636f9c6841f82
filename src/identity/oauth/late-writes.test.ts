import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { SqlRow, SqlValue } from '#db';
import { basic, startTestIdentity, type TestIdentity } from '../test-identity.ts';
import { LateWrites } from './late-writes.ts';

/** Lets writers wait until what it gives is called; `first` is written before them. */
async function closedGate({ database }: TestIdentity, first: SqlRow = {}) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const names = Object.keys(first);
  const insert = `INSERT INTO mr_token (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  const held = database.transaction(async (transaction) => {
    if (names.length > 0) await transaction.run(insert, Object.values(first) as SqlValue[]);
    await promise;
  });
  await setImmediate();
  return async () => {
    resolve();
    await held;
  };
}

const poolOf = (size: number): string => `[session_data.persistence]\npersistence_pool_size = ${size}\n`;

async function ask(server: TestIdentity, scope: string): Promise<string> {
  const form = { grant_type: 'client_credentials', scope };
  return String((await server.call('/oauth2/token', { headers: basic('app'), form })).json()['access_token']);
}

async function introspect(server: TestIdentity, token: string): Promise<unknown> {
  return (await server.call('/oauth2/introspect', { headers: basic('app'), form: { token } })).json()['active'];
}

test('so many rows are written at a time, and each is waited for by its keys', async () => {
  const late = new LateWrites(2);
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const begun: number[] = [];
  for (const [index, { promise }] of gates.entries()) {
    late.add([`row ${index}`, `hash ${index}`], () => {
      begun.push(index);
      return promise;
    });
  }
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.resolve();
  await late.settled('hash 1');
  assert.deepEqual(begun, [0, 1, 2]);
  assert.equal(late.settled('row 1'), undefined);
  assert.ok(late.settled('row 2'));
  gates[0]?.resolve();
  gates[2]?.resolve();
  await late.flush();
  assert.equal(late.settled('row 2'), undefined);
});

test('what is beyond the limit has no room, nor has anything without a pool', () => {
  assert.equal(new LateWrites(0).hasRoom(), false);
  const late = new LateWrites(1, 1);
  const never = new Promise<void>(() => {});
  late.add(['a'], () => never);
  assert.equal(late.hasRoom(), true, 'one is being written, none waits');
  late.add(['b'], () => never);
  assert.equal(late.hasRoom(), false);
});

test('a token is given before it is stored, and whoever looks for it waits', async () => {
  await using server = await startTestIdentity({ toml: poolOf(2) });
  await server.client('app');
  const open = await closedGate(server);
  const token = await ask(server, 'a');
  const found = introspect(server, token);
  assert.deepEqual(await server.database.all('SELECT id FROM mr_token'), []);
  await open();
  assert.equal(await found, true);
  assert.equal(await ask(server, 'a'), token, 'the live token again');
});

test('what waits is stored before the end', async () => {
  await using server = await startTestIdentity({ toml: poolOf(1) });
  await server.client('app');
  const open = await closedGate(server);
  const tokens = await Promise.all(['a', 'b', 'c'].map((scope) => ask(server, scope)));
  await open();
  await server.identity.tokens.flush();
  assert.equal((await server.database.all('SELECT id FROM mr_token')).length, tokens.length);
});

test('a client that is revoked loses what waits, too', async () => {
  await using server = await startTestIdentity({ toml: poolOf(1) });
  await server.client('app');
  await server.client('other');
  const open = await closedGate(server);
  const token = await ask(server, 'a');
  const ended = server.identity.tokens.revokeOfClient('app');
  await open();
  assert.equal(await ended, 1);
  assert.equal(await introspect(server, token), false);
});

test('where another node was faster both tokens are good', async () => {
  await using there = await startTestIdentity();
  await there.client('app');
  const theirs = await ask(there, 'a');
  const row = await there.database.get('SELECT * FROM mr_token');
  await using here = await startTestIdentity({ toml: poolOf(1) });
  await here.client('app');
  const open = await closedGate(here, row);
  const ours = await ask(here, 'a');
  await open();
  await here.identity.tokens.flush();
  assert.deepEqual([await introspect(here, ours), await introspect(here, theirs)], [true, true]);
  assert.equal(await ask(here, 'a'), theirs, 'one of them is given again');
});
