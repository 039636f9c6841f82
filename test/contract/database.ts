import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock } from '#core';
import {
  appendChange,
  coreSchema,
  dialects,
  lastChange,
  migrate,
  readChanges,
  schemaStatus,
  type Database,
  type Schema,
} from '#db';

/** What every implementation of `Database` must do. `open` gives another view of one and the same database. */
export function databaseContract(name: string, open: () => Promise<Database>): void {
  describe(`database: ${name}`, () => {
    it('says that it answers, and counts the connections that are lent where there is a pool', async () => {
      await using database = await open();
      await database.ping();
      const counted = await database.transaction(() => Promise.resolve(database.counters?.active));
      assert.equal(counted, database.dialect === 'sqlite' ? undefined : 1);
      assert.equal(database.counters?.active ?? 0, 0);
    });

    it('gives what was written, with its types', async () => {
      await using database = await open();
      await database.run('CREATE TABLE contract_types (id INTEGER PRIMARY KEY, label VARCHAR(40), amount BIGINT)');
      const sql = 'INSERT INTO contract_types (id, label, amount) VALUES (?, ?, ?)';
      assert.equal((await database.run(sql, [1, 'O\'Hara "?" ü€', 9_007_199_254_740_991])).changes, 1);
      await database.run(sql, [2, null, null]);
      assert.deepEqual(
        { ...(await database.get('SELECT * FROM contract_types WHERE id = ?', [1])) },
        { id: 1, label: 'O\'Hara "?" ü€', amount: 9_007_199_254_740_991 },
      );
      assert.deepEqual((await database.get('SELECT label FROM contract_types WHERE id = ?', [2]))?.['label'], null);
      assert.equal(await database.get('SELECT label FROM contract_types WHERE id = ?', [3]), undefined);
      assert.equal((await database.run("UPDATE contract_types SET label = '?' WHERE id > ?", [0])).changes, 2);
      assert.deepEqual(
        (await database.all('SELECT label FROM contract_types ORDER BY id')).map((row) => row['label']),
        ['?', '?'],
      );
    });

    it('takes values as values, whatever they hold', async () => {
      await using database = await open();
      await database.run('CREATE TABLE contract_values (label VARCHAR(80))');
      const hostile = ["'); DROP TABLE contract_values; --", '\\', '$1 ? ${x}', '/* */'];
      for (const text of hostile) await database.run('INSERT INTO contract_values (label) VALUES (?)', [text]);
      for (const text of hostile) {
        assert.equal((await database.all('SELECT label FROM contract_values WHERE label = ?', [text])).length, 1);
      }
    });

    it('keeps bytes as they are', async () => {
      await using database = await open();
      const { types } = dialects[database.dialect];
      await database.run(`CREATE TABLE contract_bytes (content ${types.bytes})`);
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      await database.run('INSERT INTO contract_bytes (content) VALUES (?)', [bytes]);
      const row = await database.get('SELECT content FROM contract_bytes');
      assert.deepEqual(Uint8Array.from(row?.['content'] as Uint8Array), bytes);
    });

    it('undoes a transaction that fails and keeps one that does not', async () => {
      await using database = await open();
      await using other = await open();
      await database.run('CREATE TABLE contract_undo (id INTEGER PRIMARY KEY)');
      await assert.rejects(
        database.transaction(async (transaction) => {
          await transaction.run('INSERT INTO contract_undo VALUES (?)', [1]);
          throw new Error('changed my mind');
        }),
        /changed my mind/,
      );
      assert.deepEqual(await other.all('SELECT * FROM contract_undo'), []);
      await database.transaction(async (transaction) => {
        await transaction.run('INSERT INTO contract_undo VALUES (?)', [2]);
        assert.equal((await transaction.get('SELECT id FROM contract_undo'))?.['id'], 2);
      });
      assert.equal((await other.all('SELECT * FROM contract_undo')).length, 1);
    });

    it('names violated constraints and wrong statements, without values', async () => {
      await using database = await open();
      await database.run('CREATE TABLE contract_unique (label VARCHAR(40) NOT NULL PRIMARY KEY)');
      await database.run('INSERT INTO contract_unique VALUES (?)', ['a']);
      const again = async (): Promise<unknown> => database.run('INSERT INTO contract_unique VALUES (?)', ['a']);
      await assert.rejects(again, { code: 'MR_DB_CONSTRAINT', status: 409 });
      await assert.rejects(async () => database.all('SELECT nothing FROM nowhere'), { code: 'MR_DB_STATEMENT' });
      assert.equal((await database.all('SELECT * FROM contract_unique')).length, 1);
    });

    it('migrates once, even when several nodes begin at the same moment', async () => {
      const shop: Schema = {
        area: 'contract',
        migrations: [{ name: 'a', statements: ({ key }) => [`CREATE TABLE mr_contract_a (id ${key})`] }],
      };
      await using first = await open();
      await using second = await open();
      await migrate(first, [coreSchema]);
      const begin = (): Promise<void>[] => [migrate(first, [shop]), migrate(second, [shop])];
      // Embedded, a connection waits for another one with its whole process, so that both cannot be in the same.
      if (first.dialect === 'sqlite') await migrate(second, [shop]);
      else await Promise.all(begin());
      assert.deepEqual(await schemaStatus(first, [shop]), [{ area: 'contract', version: 1, pending: [] }]);
    });

    it('numbers the changes of the change log', async () => {
      await using database = await open();
      const clock = createTestClock();
      await migrate(database, [coreSchema], clock);
      const change = { tenant: 'carbon.super', topic: 'token.revoked', key: 'k', payload: null };
      const before = await lastChange(database);
      const number = await database.transaction((transaction) => appendChange(transaction, change, clock));
      assert.ok(number > before);
      assert.deepEqual(await readChanges(database, before, 5), [{ ...change, sequence: number, at: clock.now() }]);
    });

    it('offers a query builder', async () => {
      await using database = await open();
      await database.run('CREATE TABLE contract_query (id INTEGER PRIMARY KEY, label VARCHAR(40))');
      const queries = await database.queries<{ contract_query: { id: number; label: string } }>();
      await queries.insertInto('contract_query').values({ id: 1, label: 'tea' }).execute();
      await assert.rejects(
        queries.transaction().execute(async (transaction) => {
          await transaction.insertInto('contract_query').values({ id: 2, label: 'lost' }).execute();
          throw new Error('back');
        }),
        /back/,
      );
      const rows = await queries.selectFrom('contract_query').select('label').execute();
      assert.deepEqual(
        rows.map(({ label }) => label),
        ['tea'],
      );
    });
  });
}
