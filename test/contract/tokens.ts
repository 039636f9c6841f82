import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock, type TestClock } from '#core';
import { readChanges, type Database } from '#db';
import { createProtection, superTenant } from '#identity';
import { newOpaqueValue } from '../../src/identity/oauth/token-values.ts';
import { TokenStore } from '../../src/identity/oauth/token-store.ts';
import type { TokenStoreSettings, TokenValues } from '../../src/identity/oauth/token-store-parts.ts';
import type { TokenOrder } from '../../src/identity/oauth/tokens.ts';

const values: TokenValues = {
  access(issuedAt) {
    const value = newOpaqueValue(issuedAt);
    return { value, alias: value };
  },
  refresh: newOpaqueValue,
};

const usual: TokenStoreSettings = {
  skew: 0,
  renewsAccessToken: false,
  cleansUp: true,
  retainsForAudit: true,
  retries: 5,
};

/** What every database must let the store of tokens do. `open` gives two views of one database with its tables. */
export function tokensContract(name: string, open: () => Promise<readonly [Database, Database]>): void {
  describe(`tokens: ${name}`, () => {
    let number = 0;
    const stores = async (more: Partial<TokenStoreSettings> = {}) => {
      const clock: TestClock = createTestClock();
      const databases = await open();
      const protection = createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined });
      const settings = { ...usual, ...more };
      const [here, there] = databases.map((database) => new TokenStore({ database, protection, clock, settings }));
      if (!here || !there) throw new Error('two views are needed');
      return { here, there, clock, database: databases[0], order: orderOf(`client-${name}-${++number}`) };
    };

    it('gives a live token again, from every node', async () => {
      const { here, there, order } = await stores();
      const first = await here.issue(order, values);
      const again = await there.issue(order, values);
      assert.equal(again.accessToken, first.accessToken);
      assert.equal(again.refreshToken, first.refreshToken);
      assert.deepEqual([first.isReused, again.isReused], [false, true]);
      const found = await there.findAccess(first.accessToken);
      assert.deepEqual(found, { ...first.record, subject: { ...first.record.subject } });
    });

    it('keeps one active row per tuple, however many ask at the same time', async () => {
      const { here, there, order } = await stores();
      const issued = await Promise.all(
        Array.from({ length: 12 }, (_, i) => (i % 2 ? here : there).issue(order, values)),
      );
      assert.equal(new Set(issued.map(({ accessToken }) => accessToken)).size, 1);
    });

    it('keeps tenants, scopes, subjects and bindings apart', async () => {
      const { here, order } = await stores();
      const others: readonly Partial<TokenOrder>[] = [
        {},
        { scopes: ['a'] },
        { scopes: ['a', 'b'] },
        { binding: 'session' },
        { subject: { ...order.subject, identityProvider: 'partner', type: 'federated' } },
        { subject: { ...order.subject, tenant: { id: 7, domain: 'seven.example', isActive: true } } },
        { clientId: `${order.clientId}-other` },
      ];
      const tokens = await Promise.all(others.map((other) => here.issue({ ...order, ...other }, values)));
      assert.equal(new Set(tokens.map(({ accessToken }) => accessToken)).size, others.length);
    });

    it('renews once: of several who bring a refresh token at the same time one gets another', async () => {
      const { here, there, order, database } = await stores();
      const { refreshToken = '' } = await here.issue(order, values);
      const former = await here.findRefresh(refreshToken);
      assert.ok(former);
      const results = await Promise.allSettled(
        [here, there, here, there].map((store) => store.renew({ former, order, values, refreshToken: undefined })),
      );
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const result of results) {
        if (result.status === 'rejected') assert.equal((result.reason as { code?: unknown }).code, 'invalid_grant');
      }
      assert.equal((await there.findFormer(refreshToken))?.family, former.record.family);
      const rows = await database.all('SELECT state FROM mr_token_audit WHERE id = ?', [former.record.id]);
      assert.deepEqual(
        rows.map(({ state }) => state),
        ['INACTIVE'],
      );
    });

    it('revokes a pair, a family, a subject and a client, and tells of it', async () => {
      const { here, there, order, database } = await stores();
      const scopes = ['a', 'b', 'c', 'd'];
      const issued = await Promise.all(scopes.map((scope) => here.issue({ ...order, scopes: [scope] }, values)));
      const goodOnes = async (): Promise<number> => {
        const found = await Promise.all(issued.map(({ accessToken }) => there.findAccess(accessToken)));
        return found.filter((record) => record !== undefined).length;
      };
      const pair = await there.findPair(issued[0]?.accessToken ?? '');
      assert.ok(pair);
      assert.deepEqual([await there.revoke(pair), await there.revoke(pair)], [true, false]);
      assert.equal(await goodOnes(), 3);
      assert.equal(await there.revokeFamily(issued[1]?.record.family ?? ''), 1);
      assert.equal(await goodOnes(), 2);
      assert.equal(await there.revokeOfClient(`${order.clientId}x`), 0);
      assert.equal(await there.revokeOfClient(order.clientId), 2);
      assert.equal(await goodOnes(), 0);
      const last = await here.issue(order, values);
      assert.equal(await there.revokeOfSubject(order.subject.id), 1);
      assert.equal(await there.findAccess(last.accessToken), undefined);
      const changes = await readChanges(database, 0, 10_000);
      const own = changes.filter(({ payload }) => payload?.includes(`"${order.clientId}"`) === true);
      assert.equal(own.length, 5);
    });

    it('an application’s own token has neither family nor subject of its own', async () => {
      const { here, there, order } = await stores();
      const subject = { ...order.subject, id: order.clientId, name: order.clientId, type: 'application' } as const;
      const { accessToken, record } = await here.issue({ ...order, subject, refreshLifetime: undefined }, values);
      assert.deepEqual((await there.findAccess(accessToken))?.subject, subject);
      assert.equal(record.family, '');
      assert.equal(await here.revokeOfSubject(''), 0);
      assert.equal(await here.revokeFamily(''), 0);
    });

    it('finds every row by an index', async () => {
      const { database } = await stores();
      const { tokenSql } = await import('../../src/identity/oauth/token-rows.ts');
      const statements: readonly (readonly [sql: string, count: number])[] = [
        [tokenSql.byAccess, 1],
        [tokenSql.byRefresh, 1],
        [tokenSql.active, 1],
        [tokenSql.setState, 3],
        [tokenSql.delete, 1],
        [tokenSql.findFormer, 1],
        [tokenSql.ofFamily, 1],
        [tokenSql.ofClient, 3],
        [tokenSql.ofSubject, 1],
        ['DELETE FROM mr_token WHERE gone_at < 5', 0],
        ['DELETE FROM mr_assertion_used WHERE expires < 5', 0],
        ['SELECT * FROM mr_client WHERE id = ?', 1],
        ['SELECT * FROM mr_client_secret WHERE client_id = ?', 1],
      ];
      for (const [sql, count] of statements) {
        const plan = await planOf(
          database,
          sql,
          Array.from({ length: count }, () => 'x'),
        );
        assert.doesNotMatch(plan, /\bSCAN (?:TABLE )?mr_|Seq Scan/, `${sql}\n${plan}`);
      }
    });
  });
}

/** How the database would run a statement; empty for one whose plans depend on how few rows there are. */
async function planOf(database: Database, sql: string, given: readonly string[]): Promise<string> {
  if (database.dialect === 'sqlite') {
    const rows = await database.all(`EXPLAIN QUERY PLAN ${sql}`, given);
    return rows.map(({ detail }) => String(detail)).join('\n');
  }
  if (database.dialect !== 'postgresql') return '';
  // With few rows a scan is cheaper than any index; what counts is that there is one.
  return database.transaction(async (transaction) => {
    await transaction.run('SET LOCAL enable_seqscan = off');
    let index = 0;
    const text = sql.replaceAll('?', () => `'${given[index++] ?? ''}'`);
    const rows = await transaction.all(`EXPLAIN ${text}`);
    return rows.map((row) => String(Object.values(row)[0])).join('\n');
  });
}

function orderOf(clientId: string): TokenOrder {
  return {
    tenant: superTenant,
    clientId,
    subject: {
      id: `id-of-ada-${clientId}`,
      name: 'ada',
      storeDomain: 'PRIMARY',
      tenant: superTenant,
      type: 'user',
      identityProvider: 'LOCAL',
    },
    grantType: 'password',
    scopes: [],
    accessLifetime: 3_600_000,
    refreshLifetime: 86_400_000,
    binding: '',
    form: 'opaque',
    authenticatedAt: undefined,
  };
}
