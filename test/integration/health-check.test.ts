import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { configureLog, createHome } from '#core';
import { openForeignDatabase, type Database } from '#db';
import { startSmallDirectory, type SmallDirectory } from '../helpers/small-directory.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { ask } from '../effects/effect-server.ts';
import type { DatabasePeer } from '../peers/database-peer.ts';
import { postgresqlMissing, startPostgresql } from '../peers/postgresql.ts';

/** Waits in the database until the test lets go of a lock. */
const api = `<api xmlns="http://ws.apache.org/ns/synapse" name="Wait" context="/wait"><resource methods="GET"><inSequence>
  <dblookup><connection><pool><dsName>jdbc/Orders</dsName></pool></connection><statement>
    <sql>select pg_advisory_xact_lock_shared(7)</sql></statement></dblookup>
  <respond/>
</inSequence></resource></api>`;

const storeFile = (
  url: string,
): string => `<UserStoreManager class="org.wso2.carbon.user.core.ldap.ReadOnlyLDAPUserStoreManager">
  <Property name="DomainName">PARTNERS</Property>
  <Property name="ConnectionURL">${url}</Property>
  <Property name="ConnectionName">cn=svc</Property>
  <Property name="ConnectionPassword">svc-s3cret</Property>
  <Property name="UserSearchBase">ou=Users,dc=wso2,dc=org</Property>
  <Property name="UserNameAttribute">uid</Property>
</UserStoreManager>`;

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Keys in order, or codes of errors with what they are about. */
  readonly said: readonly string[];
}

describe('the health check API of a server', { skip: postgresqlMissing }, () => {
  let peer: DatabasePeer;
  let locks: Database;
  let directory: SmallDirectory;
  let server: TemporaryServer;

  before(async () => {
    configureLog({ level: 'silent', format: 'json' });
    peer = await startPostgresql();
    locks = await openForeignDatabase({ home: createHome('/'), ...peer });
    directory = await startSmallDirectory();
    const files = {
      'artifacts/api/Wait.xml': api,
      'repository/deployment/server/userstores/PARTNERS.xml': storeFile(directory.url),
      'extensions/tide.mjs': `export default {
        init({ parameters }) { this.name = parameters.harbour; },
        checkHealth() { return { [this.name + '.tide']: 'high' }; },
      };`,
    };
    server = await startTemporaryServer(
      files,
      `${freePorts}[carbon_health_check]
enable = true

[[datasource]]
id = "Orders"
url = "${peer.url}"
username = "${peer.username}"
password = "${peer.password}"
pool_options.maxActive = 2

[[health_checker]]
name = "./tide.mjs"
order = "99"
[health_checker.properties]
harbour = "north"
`,
    );
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await directory?.[Symbol.asyncDispose]();
    await locks?.[Symbol.asyncDispose]();
    await peer?.[Symbol.asyncDispose]();
  });

  async function health(): Promise<Answer> {
    const answer = await ask(`${server.url('Server HTTPS')}/api/health-check/v1.0/health`);
    if (typeof answer === 'string') throw new Error(answer);
    const { health: found = [], errors = [] } = JSON.parse(answer.body) as {
      health?: { key: string; value: string }[];
      errors?: { code: string; message: string }[];
    };
    const said = [...found.map(({ key }) => key), ...errors.map(({ code, message }) => `${code} ${message}`)];
    return { status: answer.status, text: answer.body, said };
  }

  const waitFor = async (active: string): Promise<void> => {
    for (;;) {
      const sql = "SELECT count(*) AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      if (String((await locks.get(sql))?.['waiting']) === active) return;
    }
  };

  it('gives what all checkers found, to anybody', async () => {
    const { status, said } = await health();
    assert.equal(status, 200);
    assert.deepEqual(said, [
      'jdbc/SHARED_DB.connectivity.time.ms',
      'jdbc/WSO2AM_DB.connectivity.time.ms',
      'jdbc/Orders.connectivity.time.ms',
      'jdbc/Orders.active.connection.count',
      'PRIMARY.userstore.health',
      'PARTNERS.userstore.health',
      'north.tide',
    ]);
  });

  it('fails while the pool of a data source is used up, and recovers', async () => {
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = locks.transaction(async (transaction) => {
      await transaction.get('SELECT pg_advisory_xact_lock(7)');
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    const waiting = [0, 1].map(() => ask(`${server.url('API HTTP')}/wait`));
    await waitFor('2');
    const { status, said, text } = await health();
    held.resolve();
    await Promise.all([holding, ...waiting]);
    assert.equal(status, 503);
    assert.deepEqual(said, ['HC_00002 The pool of the data source jdbc/Orders is used beyond its limit']);
    assert.match(text, /2 of 2 connections are in use/);
    assert.equal((await health()).status, 200);
  });

  it('fails while a user store is away, without a word about its account', async () => {
    await directory[Symbol.asyncDispose]();
    const { status, said, text } = await health();
    assert.equal(status, 503);
    assert.deepEqual(said, ['HC_00003 The user store PARTNERS cannot be used']);
    assert.doesNotMatch(text, /s3cret|cn=svc|ldap:/);
  });

  it('fails while a database is away', async () => {
    await locks[Symbol.asyncDispose]();
    await peer[Symbol.asyncDispose]();
    const { status, said, text } = await health();
    assert.equal(status, 503);
    assert.deepEqual(said, [
      'HC_00001 The data source jdbc/Orders cannot be used',
      'HC_00003 The user store PARTNERS cannot be used',
    ]);
    assert.doesNotMatch(text, new RegExp(`${peer.password}|127\\.0\\.0\\.1`));
  });
});
