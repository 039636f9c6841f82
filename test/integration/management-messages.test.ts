import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask } from '../effects/effect-server.ts';
import { host, startManagedServer, synapse, type ManagedServer } from '../helpers/managed-server.ts';

let managed: ManagedServer;

before(async () => {
  managed = await startManagedServer({
    'artifacts/message-stores/held.xml': `<messageStore ${synapse} name="Held"/>`,
    'artifacts/proxy-services/hold.xml': `<proxy ${synapse} name="Hold"><target><inSequence><property name="FORCE_SC_ACCEPTED" value="true" scope="axis2"/><store messageStore="Held"/></inSequence></target></proxy>`,
  });
});

after(() => managed[Symbol.asyncDispose]());

interface Stored {
  readonly size: number;
  readonly next?: string;
  readonly list: readonly { readonly number: number; readonly contentType: string; readonly excerpt: string }[];
}

const path = '/millrace/stored-messages/Held';
const list = async (query = ''): Promise<Stored> => (await managed.read(`GET ${path}${query}`)) as Stored;
const excerpts = async (): Promise<string[]> => (await list()).list.map(({ excerpt }) => excerpt);

test('messages of a store are listed by page, looked at, put behind the others, and removed', async () => {
  const url = `${managed.server.url('API HTTP')}/services/Hold`;
  for (const number of [1, 2, 3]) {
    const body = JSON.stringify({ number, password: 'x1' });
    await ask(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  }
  assert.equal((await list()).size, 3);
  const page = await list('?limit=1');
  const [first] = page.list;
  assert.deepEqual(
    (await list(`?limit=1&cursor=${page.next}`)).list.map(({ excerpt }) => excerpt),
    ['{"number":2,"password":"*****[secret-names]"}'],
  );
  assert.ok(first);
  assert.equal((await list('?limit=3')).next, undefined);
  const refused = await managed.as('root', `GET ${path}?cursor=none`);
  assert.equal(refused.status, 400);
  assert.match(refused.body, /no cursor of this message store; expected \\"next\\" of the page before/);
  assert.equal(first.contentType, 'application/json');
  const shown = (await managed.read(`GET ${path}/${first.number}`)) as { parts: Record<string, string> };
  assert.equal(shown.parts['payload'], '{"number":1,"password":"*****[secret-names]"}');

  assert.equal((await managed.as('root', `POST ${path}/${first.number}/requeue`)).status, 200);
  assert.deepEqual(
    (await excerpts()).map((text) => (JSON.parse(text) as { number: number }).number),
    [2, 3, 1],
  );
  const second = (await list()).list[0]?.number ?? 0;
  assert.equal((await managed.as('root', `DELETE ${path}/${second}`)).status, 200);
  assert.equal((await managed.as('root', `DELETE ${path}/${second}`)).status, 404);
  assert.equal((await managed.as('root', `GET ${path}/${second}`)).status, 404);
  assert.equal((await managed.as('root', `DELETE ${path}`)).status, 200);
  assert.equal((await list()).size, 0);
});

test('messages of stores and replays are for administrators, of stores that are there', async () => {
  assert.equal((await managed.as('guest', `GET ${path}`)).status, 403);
  assert.equal((await managed.as('guest', `DELETE ${path}`)).status, 403);
  assert.equal((await managed.as('guest', 'POST /millrace/replays', { method: 'GET', path: '/' })).status, 403);
  assert.equal((await managed.as('root', 'GET /millrace/stored-messages/None')).status, 404);
});

test('a request is replayed, and its answer told', async () => {
  const answer = await managed.as('root', 'POST /millrace/replays', {
    method: 'POST',
    path: '/services/Echo?a=1',
    headers: { 'Content-Type': 'application/json', 'Content-Length': '900', ...host },
    body: '{"a":1}',
  });
  assert.equal(answer.status, 200, answer.body);
  const told = JSON.parse(answer.body) as { status: number; body: string; size: number };
  assert.deepEqual([told.status, told.body, told.size], [200, '{"a":1}', 7]);
  const refused = await managed.as('root', 'POST /millrace/replays', { method: 'GET', path: 'http://other.example/' });
  assert.equal(refused.status, 400);
});

test('an endpoint tells its state, its retries and the states of its members', async () => {
  const back = (await managed.read('GET /millrace/endpoint-states/Back')) as Record<string, unknown>;
  assert.deepEqual([back['state'], back['retriesLeft'], back['sent'], back['retryIn']], ['active', 0, 0, undefined]);
  const pool = (await managed.read('GET /millrace/endpoint-states/Pool')) as { members: { name: string }[] };
  assert.deepEqual(
    pool.members.map(({ name }) => name),
    ['one'],
  );
  assert.equal((await managed.as('root', 'GET /millrace/endpoint-states/None')).status, 404);
});
