import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startManagedServer, type ManagedServer } from '../helpers/managed-server.ts';

let managed: ManagedServer;
before(async () => {
  managed = await startManagedServer();
});
after(() => managed[Symbol.asyncDispose]());

interface Part {
  readonly offset: number;
  readonly next: number;
  readonly size: number;
  readonly text: string;
}

const part = async (query: string): Promise<Part> =>
  (await managed.read(`GET /millrace/log-parts/own.log${query}`)) as Part;

test('a log file is read in whole lines, from its end and then as it grows', async () => {
  const file = join(managed.server.home, 'logs/own.log');
  writeFileSync(file, 'first\nsecond\nthird\nhal');
  assert.deepEqual(await part(''), { offset: 0, next: 19, size: 22, text: 'first\nsecond\nthird\n' });
  assert.deepEqual(await part('?limit=10'), { offset: 13, next: 19, size: 22, text: 'third\n' });
  assert.equal((await part('?offset=19')).text, '');
  appendFileSync(file, 'f ä\nnew\n');
  const grown = await part('?offset=19');
  assert.equal(grown.text, 'half ä\nnew\n');
  assert.deepEqual([grown.next, (await part(`?offset=${grown.next}`)).text], [grown.size, '']);
  // A line that is longer than what is asked for comes in parts rather than never.
  assert.deepEqual([(await part('?offset=0&limit=3')).text, (await part('?offset=3&limit=3')).text], ['fir', 'st\n']);
  writeFileSync(file, 'anew\n');
  assert.deepEqual(await part(`?offset=${grown.next}`), { offset: 0, next: 5, size: 5, text: 'anew\n' });
});

test('nothing but log files is read in parts', async () => {
  assert.equal((await managed.as('root', 'GET /millrace/log-parts/nothing.log')).status, 404);
  assert.equal((await managed.as('root', 'GET /millrace/log-parts/..%2Fconf%2Fdeployment.toml')).status, 400);
});

test('administrators see who did what', async () => {
  await managed.as('root', 'POST /millrace/captures', { next: 1 });
  const { list } = (await managed.read('GET /millrace/audit?q=capture%20enabled')) as {
    list: { actor: string; outcome: string; target: string }[];
  };
  assert.deepEqual(
    list.map(({ actor, outcome, target }) => [actor, outcome, target]),
    [['root', 'success', 'capture:1']],
  );
});

test('a sign-in that failed is noted with the name that was given', async () => {
  const Authorization = `Basic ${Buffer.from('mallory:guessed').toString('base64')}`;
  assert.equal((await managed.call('GET /login', { headers: { Authorization } })).status, 401);
  const { list } = (await managed.read('GET /millrace/audit?q=login%20failure')) as {
    list: { actor: string; target: string }[];
  };
  assert.deepEqual(
    list.map(({ actor, target }) => [actor, target]),
    [['mallory', '/management/login']],
  );
});
