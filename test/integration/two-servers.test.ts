import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { createHome, systemClock } from '#core';
import { coreSchema, migrate, openForeignDatabase, type Database } from '#db';
import { createProtection, oauthSchema, sessionsSchema, usersSchema } from '#identity';
import { notifySchema } from '#notify';
import { TokenStore } from '../../src/identity/oauth/token-store.ts';
import {
  adminName,
  adminPassword,
  newServerKey,
  startIdentityServer,
  type IdentityServer,
} from '../helpers/identity-server.ts';
import { killWhileIssuing } from '../helpers/killed-issuer.ts';
import { createScriptedBrowser } from '../helpers/scripted-browser.ts';
import { until } from '../helpers/until.ts';
import type { DatabasePeer } from '../peers/database-peer.ts';
import { postgresqlMissing, startPostgresql } from '../peers/postgresql.ts';

const callback = 'https://rp.example/cb';

interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

describe('two servers on one PostgreSQL', { skip: postgresqlMissing }, () => {
  let peer: DatabasePeer;
  let database: Database;
  let here: IdentityServer;
  let there: IdentityServer;

  before(async () => {
    peer = await startPostgresql();
    database = await openForeignDatabase({ home: createHome(tmpdir()), ...peer });
    await migrate(database, [coreSchema, oauthSchema, sessionsSchema, usersSchema, notifySchema]);
    const { url, username, password } = peer;
    const toml =
      `[database.apim_db]\ntype = "postgre"\nurl = "${url}"\nusername = "${username}"\npassword = "${password}"\n` +
      // What nodes say of themselves is the address at which the outside reaches them.
      '[oauth.oidc.id_token]\nissuer = "https://sso.example/oauth2/token"\n';
    const key = newServerKey();
    here = await startIdentityServer(toml, key);
    there = await startIdentityServer(toml, key);
  });
  after(async () => {
    await there?.[Symbol.asyncDispose]();
    await here?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
    await peer?.[Symbol.asyncDispose]();
  });

  const post = async (
    server: IdentityServer,
    path: string,
    { client_id: id, client_secret: secret, form }: Credentials & { readonly form: Readonly<Record<string, string>> },
  ) => {
    const answer = await server.fetch(`${server.origin}${path}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams(form),
    });
    const text = await answer.text();
    const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: answer.status, json };
  };

  /** A client that the first server registered, with grants that need a browser and without. */
  const register = (server: IdentityServer): Promise<Credentials> =>
    server.register({
      client_name: `two servers ${Math.random()}`,
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
      redirect_uris: [callback],
    });

  const askFor = ({ client_id: id }: Credentials, more: Readonly<Record<string, string>> = {}): string =>
    `${here.origin}/oauth2/authorize?${new URLSearchParams({
      client_id: id,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid',
      state: 'x',
      ...more,
    }).toString()}`;

  /** Sends what is meant for the first server to the two in turn, as a balancer before them does. */
  const balanced = (): typeof fetch => {
    let count = 0;
    return async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      const node = count++ % 2 === 0 ? here : there;
      return node.fetch(url.replace(here.origin, node.origin), init);
    };
  };

  test('a code that one gave is redeemed at the other, once', async () => {
    const client = await register(here);
    const browser = createScriptedBrowser(here.origin, here.fetch);
    await browser.open(askFor(client));
    const code = (await browser.agree(adminName, adminPassword)).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const tries = await Promise.all(
      [there, here, there].map((server) => post(server, '/oauth2/token', { ...client, form })),
    );
    const good = tries.filter(({ status }) => status === 200);
    assert.equal(good.length, 1, 'a code is good once');
    for (const { status, json } of tries) if (status !== 200) assert.equal(json['error'], 'invalid_grant');
    const again = await post(here, '/oauth2/token', { ...client, form });
    assert.equal(again.json['error'], 'invalid_grant');
  });

  test('a browser signs in, agrees and comes back while every request meets the other server', async () => {
    const client = await register(here);
    const browser = createScriptedBrowser(here.origin, balanced());
    await browser.open(askFor(client));
    const code = (await browser.agree(adminName, adminPassword)).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const { status, json } = await post(there, '/oauth2/token', { ...client, form });
    assert.equal(status, 200, JSON.stringify(json));
    await browser.open(askFor(client, { prompt: 'none' }));
    assert.equal(browser.away?.searchParams.get('error'), 'consent_required', 'the sign-in is known to both');
    await browser.open(askFor(client));
    await browser.submit({ consent: 'approveAlways' });
    for (let round = 0; round < 2; round++) {
      await browser.open(askFor(client, { prompt: 'none' }));
      assert.ok(browser.away?.searchParams.get('code'), browser.away?.href);
    }
  });

  test('what one revokes is not good at the other, at once', async () => {
    const client = await register(here);
    const form = { grant_type: 'password', username: adminName, password: adminPassword, scope: 'openid' };
    const { json } = await post(here, '/oauth2/token', { ...client, form });
    const token = String(json['access_token']);
    const active = async (): Promise<unknown> =>
      (await post(there, '/oauth2/introspect', { ...client, form: { token } })).json['active'];
    assert.equal(await active(), true);
    assert.equal((await post(here, '/oauth2/revoke', { ...client, form: { token } })).status, 200);
    assert.equal(await active(), false);
    const refresh = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) };
    assert.equal((await post(there, '/oauth2/token', { ...client, form: refresh })).json['error'], 'invalid_grant');
  });

  test('a refresh token that both are brought at the same time gives one pair', async () => {
    const client = await register(here);
    const form = { grant_type: 'password', username: adminName, password: adminPassword };
    const first = (await post(here, '/oauth2/token', { ...client, form })).json;
    const refresh = { grant_type: 'refresh_token', refresh_token: String(first['refresh_token']) };
    const tries = await Promise.all(
      [here, there, here, there].map((server) => post(server, '/oauth2/token', { ...client, form: refresh })),
    );
    assert.equal(tries.filter(({ status }) => status === 200).length, 1);
  });

  test('a client that one deletes is unknown to the other as soon as it has read the change log', async () => {
    const client = await register(here);
    const form = { grant_type: 'client_credentials' };
    assert.equal((await post(there, '/oauth2/token', { ...client, form })).status, 200);
    const url = `${here.origin}/api/identity/oauth2/dcr/v1.1/register/${client.client_id}`;
    const headers = { Authorization: `Basic ${Buffer.from(`${adminName}:${adminPassword}`).toString('base64')}` };
    assert.equal((await here.fetch(url, { method: 'DELETE', headers })).status, 204);
    await until('the other server forgets the client', async () => {
      return (await post(there, '/oauth2/token', { ...client, form })).status === 401;
    });
  });

  test('processes that are killed while they issue the same tokens leave none half stored', async () => {
    const answered: string[] = [];
    for (let round = 0; round < 25; round++) {
      // Both want tokens of the same user and scopes, so that they meet at the same rows.
      const issuers = [0, 1].map(() => killWhileIssuing(peer.url, `user-${round % 5}`, peer.username));
      answered.push(...(await Promise.all(issuers)).flat());
    }
    assert.ok(answered.length > 50, `only ${answered.length} tokens were issued`);
    const half = await database.get(
      'SELECT COUNT(*) AS n FROM mr_token_audit a LEFT JOIN mr_refresh_former f ON f.hash = a.refresh_hash ' +
        "LEFT JOIN mr_token t ON t.family = a.family WHERE a.client_id = 'app' AND a.state = 'INACTIVE' AND f.hash IS NULL",
    );
    assert.equal(Number(half?.['n']), 0, 'what was renewed is known as renewed');
    const twice = await database.all(
      "SELECT tuple_hash FROM mr_token WHERE state = 'ACTIVE' GROUP BY tuple_hash HAVING COUNT(*) > 1",
    );
    assert.deepEqual(twice, [], 'one row of a tuple is active');
    const protection = createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined });
    const settings = { skew: 0, renewsAccessToken: false, cleansUp: true, retainsForAudit: true, retries: 5 };
    const tokens = new TokenStore({ database, protection, clock: systemClock, settings });
    for (const token of answered) {
      const isKnown = (await tokens.findPair(token)) !== undefined || (await isAudited(database, token));
      assert.ok(isKnown, 'what was answered is stored');
    }
  });
});

/** Whether an access token that was answered is among those that ended. */
async function isAudited(database: Database, token: string): Promise<boolean> {
  const row = await database.get('SELECT id FROM mr_token_audit WHERE access_value = ?', [token]);
  return row !== undefined;
}
