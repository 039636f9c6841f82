import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { configureLog, createTestClock, type Clock } from '#core';
import { openSqlite, type ConnectionFacts, type Database } from '#db';
import { MillraceError } from '#errors';
import { superTenant, type UserStore } from '#identity';
import { lentPool, pooledDatabase } from '../../../test/helpers/lent-pool.ts';
import { createOpenDatabases } from '../open-databases.ts';
import type { HealthChecker } from './checker.ts';
import { createDataSourceChecker, type WatchedSource } from './data-source-checker.ts';
import { createMonitored } from './monitored.ts';
import { createUserStoreChecker } from './user-store-checker.ts';
import { createStartupChecker } from './startup-checker.ts';
import { watchedSources } from './watched-sources.ts';

const embedded = openSqlite({ path: ':memory:' });
after(() => embedded[Symbol.asyncDispose]());

const source = (name: string, ...databases: Database[]): WatchedSource => ({ name, databases: async () => databases });

function checkerOf(
  sources: readonly WatchedSource[],
  more: { monitored?: string[]; clock?: Clock } = {},
): HealthChecker {
  return createDataSourceChecker({
    order: 97,
    sources: () => sources,
    monitored: more.monitored,
    usageLimit: 80,
    clock: more.clock ?? createTestClock(),
  });
}

describe('the checker of data sources', () => {
  it('measures how long a source takes to answer, and counts the connections of pools', async () => {
    using pool = await lentPool(4, 5);
    const checker = checkerOf([source('jdbc/A', pooledDatabase(pool)), source('jdbc/B', embedded)]);
    assert.deepEqual(await checker.check(), {
      properties: {
        'jdbc/A.connectivity.time.ms': '0',
        'jdbc/A.active.connection.count': '4',
        'jdbc/B.connectivity.time.ms': '0',
      },
      errors: [],
    });
  });

  it('reports a pool above the limit without waiting for one of its connections', async () => {
    using pool = await lentPool(5, 5);
    const ping = (): Promise<void> => Promise.reject(new Error('it was asked'));
    using idle = await lentPool(0, 5);
    const two = source('jdbc/A', pooledDatabase(idle), pooledDatabase(pool, ping));
    const { errors } = await checkerOf([two]).check();
    assert.deepEqual(errors, [
      {
        code: 'HC_00002',
        message: 'The pool of the data source jdbc/A is used beyond its limit',
        description: '5 of 5 connections are in use, 0 requests wait for one; the limit is 80 %',
      },
    ]);
  });

  it('reports sources that fail or hang beside those that answer', async () => {
    const clock = createTestClock();
    const refused = new MillraceError({
      code: 'MR_DB_CONNECT',
      message: 'The database cannot be reached',
      detail: 'at x',
    });
    const failing = source(
      'jdbc/A',
      pooledDatabase(undefined, () => Promise.reject(refused)),
    );
    const hanging = source(
      'jdbc/B',
      pooledDatabase(undefined, () => new Promise(() => setImmediate(() => clock.advance(4000)))),
    );
    const { properties, errors } = await checkerOf([failing, hanging, source('jdbc/C', embedded)], { clock }).check();
    assert.deepEqual(
      errors.map(({ code, description }) => [code, description]),
      [
        ['HC_00001', 'The database cannot be reached'],
        ['HC_00001', 'no answer within 4000 ms'],
      ],
    );
    assert.deepEqual(properties, { 'jdbc/C.connectivity.time.ms': '0' });
  });

  it('looks only at the sources that are named, with or without the prefix', async () => {
    const sources = [source('jdbc/A', embedded), source('jdbc/B', embedded), source('jdbc/C', embedded)];
    const { properties } = await checkerOf(sources, { monitored: ['JDBC/a', ' B'] }).check();
    assert.deepEqual(Object.keys(properties), ['jdbc/A.connectivity.time.ms', 'jdbc/B.connectivity.time.ms']);
  });
});

describe('names that are to be watched', () => {
  it('are told in the log, once, when there is nothing of the name', () => {
    const log: string[] = [];
    configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void log.push(line) } });
    const monitored = createMonitored({ key: 'monitored.user.stores', names: ['primary', 'GONE '] });
    for (let run = 0; run < 2; run++) assert.deepEqual(monitored.among(['PRIMARY', 'OTHER'], String), ['PRIMARY']);
    configureLog({ level: 'silent', format: 'json' });
    assert.equal(log.length, 1);
    assert.match(log[0] ?? '', /"name":"gone"/);
  });
});

describe('the sources that are watched', () => {
  const opened: string[] = [];
  const facts = (url: string): ConnectionFacts => ({ url });
  const dataSources = {
    named: async (name: string) => {
      opened.push(name);
      return embedded;
    },
    opened: () => undefined,
  };
  const configured = new Map([
    ['apim_db', facts('jdbc:postgresql://db/apim')],
    ['carbon_db', facts('jdbc:h2:./carbon')],
    ['Orders', facts('jdbc:postgresql://db/orders')],
  ]);

  it('are the pools in use; another one is opened where there is none, unless it is a file', async () => {
    const openDatabases = createOpenDatabases();
    using own = openDatabases.add('apim_db', embedded);
    openDatabases.add('shared_db', embedded);
    const sources = watchedSources({ configured, dataSources, openDatabases });
    const counts = await Promise.all(sources.map(async (each) => [each.name, (await each.databases()).length]));
    assert.deepEqual(counts, [
      ['jdbc/WSO2AM_DB', 1],
      ['jdbc/SHARED_DB', 1],
      ['jdbc/WSO2CarbonDB', 0],
      ['jdbc/Orders', 1],
    ]);
    assert.deepEqual(opened, ['Orders']);
    own[Symbol.dispose]();
    assert.deepEqual(openDatabases.names, ['shared_db']);
  });
});

describe('the checker of user stores', () => {
  const asked: string[] = [];
  const store = (domain: string, find: () => Promise<undefined> = async () => undefined): UserStore =>
    ({
      domain,
      async find(_: unknown, name: string) {
        asked.push(name);
        return await find();
      },
    }) as UserStore;
  const away = store('AWAY', () =>
    Promise.reject(new MillraceError({ code: 'MR_STORE_UNAVAILABLE', message: 'The user store does not answer' })),
  );
  const check = (stores: readonly UserStore[], faulty: readonly string[] = [], monitored?: readonly string[]) =>
    createUserStoreChecker({
      order: 98,
      stores: { of: async () => stores, faulty: async () => faulty },
      tenant: superTenant,
      monitored,
      clock: createTestClock(),
    }).check();

  it('asks each store for somebody whom nobody can have asked for before', async () => {
    const { properties, errors } = await check([store('PRIMARY'), store('SECOND')]);
    assert.deepEqual(properties, { 'PRIMARY.userstore.health': 'healthy', 'SECOND.userstore.health': 'healthy' });
    assert.deepEqual(errors, []);
    await check([store('PRIMARY')]);
    assert.equal(new Set(asked).size, asked.length);
  });

  it('reports stores that do not answer and files that make no store', async () => {
    const { errors } = await check([store('PRIMARY'), away], ['broken_org.xml']);
    assert.deepEqual(
      errors.map(({ code, message, description }) => [code, message, description]),
      [
        ['HC_00003', 'The user store AWAY cannot be used', 'The user store does not answer'],
        ['HC_00005', 'The user store of the file broken_org.xml cannot be opened', 'The log says why'],
      ],
    );
  });

  it('leaves out stores and files that are not named', async () => {
    assert.deepEqual((await check([store('PRIMARY'), away], ['broken_org.xml'], ['primary'])).errors, []);
    const { errors } = await check([store('PRIMARY'), away], ['broken_org.xml'], ['broken.org', 'away']);
    assert.equal(errors.length, 2);
  });
});

describe('the checker of the start', () => {
  it('is content only while the server takes requests', async () => {
    const codes = async (phase: 'starting' | 'ready' | 'stopping'): Promise<string[]> =>
      (await createStartupChecker(0, { phase }).check()).errors.map(({ code }) => code);
    assert.deepEqual(await codes('ready'), []);
    assert.deepEqual(await codes('starting'), ['HC_00004']);
    assert.deepEqual(await codes('stopping'), ['HC_00004']);
  });
});
