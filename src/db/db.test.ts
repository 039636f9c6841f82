import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Clock, createHome, createTestClock } from '#core';
import { parseJdbcUrl } from '#core/java';
import { leasesContract } from '../../test/contract/leases.ts';
import { appendChange, lastChange, pruneChanges, readChanges } from './change-log.ts';
import { coreSchema } from './core-schema.ts';
import type { Database } from './database.ts';
import { driverMissing } from './dialects/dialect.ts';
import { dialects } from './dialects/index.ts';
import { createDatabaseLeases } from './leases.ts';
import { migrate, type Schema, schemaStatus } from './migrations.ts';
import { embeddedPath, openDatabase } from './open.ts';
import { openSqlite } from './sqlite/database.ts';

const root = mkdtempSync(join(tmpdir(), 'millrace-db-'));
const opened: Database[] = [];
let files = 0;
after(async () => {
  for (const database of opened) await database[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

function open(path = join(root, `${files++}.sqlite`), clock?: Clock): ReturnType<typeof openSqlite> {
  const database = openSqlite({ path, ...(clock && { clock }) });
  opened.push(database);
  return database;
}

async function openWithItems(): Promise<ReturnType<typeof openSqlite>> {
  const database = open();
  await database.run('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)');
  return database;
}

describe('embedded database', () => {
  it('reads at once what was committed', async () => {
    const database = await openWithItems();
    assert.deepEqual(await database.run('INSERT INTO item (name) VALUES (?)', ['tea']), { changes: 1, insertId: 1 });
    assert.deepEqual({ ...database.get('SELECT * FROM item WHERE id = ?', [1]) }, { id: 1, name: 'tea' });
    assert.equal(database.get('SELECT * FROM item WHERE id = ?', [2]), undefined);
    assert.equal(database.get('PRAGMA journal_mode')?.['journal_mode'], 'wal');
  });

  it('undoes a transaction that fails, and nothing that others wrote meanwhile', async () => {
    const database = await openWithItems();
    const failing = database.transaction(async (transaction) => {
      await transaction.run('INSERT INTO item (name) VALUES (?)', ['lost']);
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('changed my mind');
    });
    const other = database.run('INSERT INTO item (name) VALUES (?)', ['kept']);
    assert.deepEqual(database.all('SELECT name FROM item'), []);
    await assert.rejects(failing, /changed my mind/);
    await other;
    assert.deepEqual(
      database.all('SELECT name FROM item').map((row) => row['name']),
      ['kept'],
    );
  });

  it('gives writers their turn in order and gives up after a time', async () => {
    const clock = createTestClock();
    const database = open(undefined, clock);
    await database.run('CREATE TABLE item (name TEXT)');
    const gate = Promise.withResolvers<void>();
    const holding = database.transaction(() => gate.promise);
    const waiting = database.run('INSERT INTO item VALUES (1)');
    const refused = assert.rejects(waiting, { code: 'MR_DB_BUSY', status: 503 });
    clock.advance(30_000);
    await refused;
    const later = database.run('INSERT INTO item VALUES (2)');
    gate.resolve();
    await Promise.all([holding, later]);
    assert.deepEqual(
      database.all('SELECT name FROM item').map((row) => row['name']),
      ['2'],
    );
  });

  it('names violated constraints and wrong statements, without values', async () => {
    const database = await openWithItems();
    await database.run('INSERT INTO item (name) VALUES (?)', ['secret']);
    await assert.rejects(
      database.run('INSERT INTO item (name) VALUES (?)', ['secret']),
      (error: Error & { code: string; detail: string }) => {
        assert.equal(error.code, 'MR_DB_CONSTRAINT');
        assert.ok(!error.detail.includes('secret'));
        return true;
      },
    );
    assert.throws(() => database.all('SELECT nothing'), { code: 'MR_DB_STATEMENT', status: 500 });
    assert.throws(() => open(join(root, 'no/such/directory/x.sqlite')), { code: 'MR_DB_OPEN' });
  });

  it('offers a query builder that shares its turns', async () => {
    const database = await openWithItems();
    const queries = await database.queries<{ item: { id?: number; name: string } }>();
    const inserted = await queries.insertInto('item').values({ name: 'tea' }).executeTakeFirstOrThrow();
    assert.equal(inserted.insertId, 1n);
    await assert.rejects(
      queries.transaction().execute(async (transaction) => {
        await transaction.insertInto('item').values({ name: 'lost' }).execute();
        throw new Error('back');
      }),
      /back/,
    );
    const returned = await queries.insertInto('item').values({ name: 'milk' }).returning('id').executeTakeFirst();
    assert.equal(returned?.id, 2);
    assert.deepEqual(
      await queries.selectFrom('item').select('name').orderBy('name').execute(),
      [{ name: 'milk' }, { name: 'tea' }].map((row) => Object.assign(Object.create(null), row)),
    );
  });
});

describe('migrations', () => {
  const shop = (...names: string[]): Schema => ({
    area: 'shop',
    migrations: names.map((name) => ({ name, statements: (types) => [`CREATE TABLE mr_${name} (id ${types.key})`] })),
  });

  it('apply what is missing, once and in order', async () => {
    const database = open();
    await migrate(database, [shop('a', 'b')]);
    await migrate(database, [shop('a', 'b', 'c')]);
    assert.deepEqual(await schemaStatus(database, [shop('a', 'b', 'c', 'd')]), [
      { area: 'shop', version: 3, pending: ['d'] },
    ]);
    assert.deepEqual(database.all('SELECT * FROM mr_c'), []);
  });

  it('refuse a newer schema and one that was changed', async () => {
    const database = open();
    await migrate(database, [shop('a', 'b')]);
    await assert.rejects(migrate(database, [shop('a')]), { code: 'MR_DB_SCHEMA_NEWER' });
    await assert.rejects(migrate(database, [shop('x', 'b')]), { code: 'MR_DB_SCHEMA_CHANGED' });
  });

  it('leave nothing behind when a step fails', async () => {
    const database = open();
    const broken: Schema = {
      area: 'shop',
      migrations: [...shop('a').migrations, { name: 'bad', statements: () => ['NONSENSE'] }],
    };
    await assert.rejects(migrate(database, [broken]), { code: 'MR_DB_STATEMENT' });
    assert.throws(() => database.all('SELECT * FROM mr_a'), { code: 'MR_DB_STATEMENT' });
  });
});

describe('change log', () => {
  it('has a change exactly when its transaction succeeded, in order', async () => {
    const clock = createTestClock();
    const database = open();
    await migrate(database, [coreSchema], clock);
    const change = { tenant: 'carbon.super', topic: 'token.revoked', key: 'k1', payload: '{"a":1}' };
    assert.equal(await lastChange(database), 0);
    assert.equal(await database.transaction((transaction) => appendChange(transaction, change, clock)), 1);
    await assert.rejects(
      database.transaction(async (transaction) => {
        await appendChange(transaction, { ...change, key: 'lost' }, clock);
        throw new Error('no');
      }),
    );
    const first = clock.now();
    clock.advance(1000);
    for (const key of ['k2', 'k3', 'k4']) {
      await database.transaction((transaction) => appendChange(transaction, { ...change, key, payload: null }, clock));
    }
    const changes = await readChanges(database, 0, 2);
    assert.deepEqual(changes[0], { ...change, sequence: 1, at: first });
    assert.deepEqual(
      (await readChanges(database, changes[1]?.sequence ?? 0, 9)).map(({ key }) => key),
      ['k3', 'k4'],
    );
    assert.equal(await pruneChanges(database, clock.now()), 1);
    assert.equal((await readChanges(database, 0, 9)).length, 3);
  });
});

leasesContract('in the database', async (clock) => {
  const path = join(root, `${files++}.sqlite`);
  const first = open(path);
  await migrate(first, [coreSchema], clock);
  return [createDatabaseLeases(first, clock), createDatabaseLeases(open(path), clock)];
});

describe('opening by configuration', () => {
  const home = createHome(join(root, 'home'));

  it('puts the embedded database into the home and migrates it', async () => {
    await using database = await openDatabase({ home });
    assert.equal(database.dialect, 'sqlite');
    assert.ok(existsSync(join(home.data, 'millrace.sqlite')));
    assert.equal(await lastChange(database), 0);
  });

  it('puts a file beside that of H2, which it does not touch', async () => {
    const folder = join(home.data);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'WSO2_DB.mv.db'), 'H2');
    const url = 'jdbc:h2:./repository/database/WSO2_DB;DB_CLOSE_ON_EXIT=FALSE';
    await using database = await openDatabase({ home, url });
    assert.equal(await lastChange(database), 0);
    assert.ok(existsSync(join(folder, 'WSO2_DB.sqlite')));
    assert.equal(embeddedPath(parseJdbcUrl('jdbc:h2:mem:x'), home), ':memory:');
    assert.throws(() => embeddedPath(parseJdbcUrl('jdbc:h2:./none;IFEXISTS=TRUE'), home), { code: 'MR_DB_MISSING' });
  });

  it('names the package that a database needs', async () => {
    assert.equal(
      driverMissing(dialects.postgresql, undefined).message,
      'Databases of type postgresql need the package "pg"; install it with: npm install pg',
    );
    await assert.rejects(openDatabase({ home, url: 'jdbc:oracle:thin:@db:1521/x' }), {
      code: 'MR_DB_DRIVER',
      message: /type oracle cannot be used yet: nothing here speaks to the package "oracledb"/,
    });
    await assert.rejects(openDatabase({ home, url: 'jdbc:h2:tcp://db/x' }), { code: 'MR_DB_DRIVER' });
  });
});
