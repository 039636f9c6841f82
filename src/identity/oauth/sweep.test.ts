import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, startTestIdentity } from '../test-identity.ts';
import { sweepTokens } from './sweep.ts';

const hour = 3_600_000;

/** A server with tokens of scopes `s0` … that last an hour. */
async function withTokens(count: number) {
  const server = await startTestIdentity();
  await server.client('app');
  for (let index = 0; index < count; index++) {
    const form = { grant_type: 'client_credentials', scope: `s${index}` };
    assert.equal((await server.call('/oauth2/token', { headers: basic('app'), form })).status, 200);
    server.clock.advance(1);
  }
  const rows = (table: string) => server.database.get(`SELECT COUNT(*) AS n FROM ${table}`);
  const countOf = async (table: string): Promise<number> => Number((await rows(table))?.['n']);
  return { server, countOf, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('what has ended goes in several transactions, what lives stays', async () => {
  await using ground = await withTokens(450);
  const { server, countOf } = ground;
  const { database, clock } = server;
  clock.advance(hour / 2);
  await server.call('/oauth2/token', { headers: basic('app'), form: { grant_type: 'client_credentials' } });
  clock.advance(hour / 2 + 61_000);
  let transactions = 0;
  const counting = {
    ...database,
    get: database.get.bind(database),
    transaction: (work: Parameters<typeof database.transaction>[0]) => {
      transactions++;
      return database.transaction(work);
    },
  } as typeof database;
  assert.equal(await sweepTokens(counting, clock, { retainsForAudit: false }), 450);
  assert.ok(transactions >= 6, `${transactions} transactions for 450 rows in batches of 200 and four tables`);
  assert.equal(await countOf('mr_token'), 1);
  assert.equal(await countOf('mr_token_audit'), 0);
});

test('where tokens are kept for audits, each is there once, as expired', async () => {
  await using ground = await withTokens(250);
  const { server, countOf } = ground;
  server.clock.advance(hour + 61_000);
  assert.equal(await sweepTokens(server.database, server.clock, { retainsForAudit: true }), 250);
  assert.equal(await sweepTokens(server.database, server.clock, { retainsForAudit: true }), 0);
  assert.equal(await countOf('mr_token'), 0);
  assert.equal(await countOf('mr_token_audit'), 250);
  const states = await server.database.all('SELECT DISTINCT state, invalidated FROM mr_token_audit');
  assert.deepEqual(
    states.map(({ state, invalidated }) => [state, invalidated]),
    [['EXPIRED', server.clock.now()]],
  );
});
