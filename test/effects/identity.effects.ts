import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Config } from '#config';
import { createHome } from '#core';
import { createProtection } from '#identity';
import { sealingKey } from '../../src/server/identity-files.ts';
import { basic, startTestIdentity, type TestAnswer, type TestIdentity } from '../../src/identity/test-identity.ts';
import type { EffectRow } from './effect-row.ts';

const everyGrant = ['client_credentials', 'password', 'authorization_code', 'refresh_token'];
const application = { grant_type: 'client_credentials' } as const;
const user = { grant_type: 'password', username: 'ada', password: 'right' } as const;

/** Runs `use` against an authorization server with the file, a client `app` and a user `ada`. */
async function withServer<T>(text: string, use: (server: TestIdentity) => Promise<T>): Promise<T> {
  await using server = await startTestIdentity({ toml: text });
  await server.client('app', { grantTypes: everyGrant });
  server.users.add({ name: 'ada', password: 'right' });
  return await use(server);
}

function ask(server: TestIdentity, form: Readonly<Record<string, string>>): Promise<TestAnswer> {
  return server.call('/oauth2/token', { headers: basic('app'), form });
}

/** Members of the answer to a token request. */
function answered(form: Readonly<Record<string, string>>, ...names: readonly string[]) {
  return (_: unknown, text: string): Promise<unknown> =>
    withServer(text, async (server) => {
      const answer = (await ask(server, form)).json();
      return names.map((name) => answer[name]);
    });
}

/** What comes while the database cannot be written to. */
function answeredBeforeStored(_: unknown, text: string): Promise<unknown> {
  return withServer(text, async (server) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = server.database.transaction(() => promise);
    await setImmediate();
    const answer = ask(server, application);
    const later = async (): Promise<string> => {
      for (let round = 0; round < 20; round++) await setImmediate();
      return 'nothing';
    };
    const before = await Promise.race([answer.then(() => 'an answer'), later()]);
    resolve();
    await Promise.all([held, answer]);
    await server.identity.tokens.flush();
    return before;
  });
}

/** Whether a refresh token is still good after each number of seconds, each token being renewed from the one before. */
function refreshedAfter(...seconds: readonly number[]) {
  return (_: unknown, text: string): Promise<unknown> =>
    withServer(text, async (server) => {
      let token = (await ask(server, user)).json()['refresh_token'];
      const found: unknown[] = [];
      for (const wait of seconds) {
        server.clock.advance(wait * 1000);
        const answer = (await ask(server, { grant_type: 'refresh_token', refresh_token: String(token) })).json();
        found.push([answer['error'], answer['refresh_token'] === token]);
        token = answer['refresh_token'] ?? token;
      }
      return found;
    });
}

/** Whether two requests in a row get the same token, and what the database holds of it. */
function kept(_: unknown, text: string): Promise<unknown> {
  return withServer(text, async (server) => {
    const first = String((await ask(server, application)).json()['access_token']);
    const second = String((await ask(server, application)).json()['access_token']);
    const row = await server.database.get('SELECT access_value, access_hash FROM mr_token');
    const value = row?.['access_value'];
    return [first === second, value === null ? 'nothing' : value === second, String(row?.['access_hash']).length];
  });
}

/** Whether what the server seals can be opened with the key of the file. */
async function sealedWithFileKey(config: Config): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-sealing-'));
  try {
    const seal = (key: Uint8Array): ReturnType<typeof createProtection> =>
      createProtection({ mode: 'encrypted', algorithm: 'sha256', key });
    const sealed = seal(sealingKey(createHome(directory), config)).store('value');
    try {
      return seal(Buffer.from('ab'.repeat(32), 'hex')).restore(sealed) === 'value';
    } catch {
      return false;
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** How many rows each of the token tables has after a token was revoked. */
function rowsAfterRevocation(_: unknown, text: string): Promise<unknown> {
  return withServer(text, async (server) => {
    const token = String((await ask(server, application)).json()['access_token']);
    await server.call('/oauth2/revoke', { headers: basic('app'), form: { token } });
    const count = async (table: string): Promise<unknown> =>
      (await server.database.get(`SELECT COUNT(*) AS n FROM ${table}`))?.['n'];
    return [await count('mr_token'), await count('mr_token_audit')];
  });
}

const isOn = (section: string, form: Readonly<Record<string, string>>): EffectRow => ({
  key: `oauth.grant_type.${section}.enable`,
  first: true,
  second: false,
  observe: answered(form, 'error'),
});

/** Whether a client that another program renamed in the database is seen with its new name two minutes later. */
function renamedBehind(_: unknown, text: string): Promise<unknown> {
  return withServer(text, async (server) => {
    const name = async (): Promise<string | undefined> => (await server.identity.clients.findAnywhere('app'))?.name;
    await name();
    await server.database.run("UPDATE mr_client SET name = 'other' WHERE id = 'app'", []);
    server.clock.advance(120_000);
    return await name();
  });
}

export const rows: readonly EffectRow[] = [
  { key: 'server.default_cache_timeout', first: '1m', second: '15m', observe: renamedBehind },
  {
    key: 'encryption.type',
    first: 'symmetric',
    second: 'asymmetric',
    given: `[encryption]\nkey = "${'ab'.repeat(32)}"\n`,
    observe: sealedWithFileKey,
  },
  {
    key: 'oauth.token_validation.app_access_token_validity',
    first: 100,
    second: 200,
    observe: answered(application, 'expires_in'),
  },
  {
    key: 'oauth.token_validation.user_access_token_validity',
    first: 100,
    second: 200,
    observe: answered(user, 'expires_in'),
  },
  { key: 'oauth.token_validation.refresh_token_validity', first: 100, second: 200, observe: refreshedAfter(150) },
  { key: 'oauth.token_renewal.renew_refresh_token', first: true, second: false, observe: refreshedAfter(1) },
  {
    key: 'oauth.token_renewal.extend_refresh_token_expiry_time_on_renewal',
    first: true,
    second: false,
    given: '[oauth.token_validation]\nrefresh_token_validity = 100',
    observe: refreshedAfter(60, 60),
  },
  { key: 'oauth.token_renewal.renew_access_token_per_request', first: true, second: false, observe: kept },
  { key: 'oauth.hash_tokens_and_secrets', first: true, second: false, observe: kept },
  { key: 'oauth.hash_token_algorithm', first: 'SHA-256', second: 'SHA-512', observe: kept },
  { key: 'apim.oauth_config.enable_token_hashing', first: true, second: false, observe: kept },
  {
    key: 'apim.oauth_config.enable_token_encryption',
    first: true,
    second: false,
    given: '[encryption]\nkey = "0123"',
    observe: kept,
  },
  {
    key: 'encryption.key',
    first: 'ab'.repeat(32),
    second: 'cd'.repeat(32),
    given: '[apim.oauth_config]\nenable_token_encryption = true',
    // A value that was sealed with one key cannot be read with another.
    observe: async (_, text) => {
      const { createProtection, readIdentitySettings } = await import('#identity');
      const { loadConfig } = await import('#config');
      const settings = (toml: string): Parameters<typeof createProtection>[0] =>
        readIdentitySettings(loadConfig({ text: toml }).config, '').protection;
      const sealed = createProtection(settings(text)).store('value');
      const first = settings(
        `[encryption]\nkey = "${'ab'.repeat(32)}"\n[apim.oauth_config]\nenable_token_encryption = true`,
      );
      try {
        return createProtection(first).restore(sealed);
      } catch {
        return 'unreadable';
      }
    },
  },
  {
    key: 'oauth.extensions.token_persistence_processor',
    first: 'org.wso2.carbon.identity.oauth.tokenprocessor.PlainTextPersistenceProcessor',
    second: 'org.wso2.carbon.identity.oauth.tokenprocessor.HashingPersistenceProcessor',
    observe: kept,
  },
  { key: 'oauth.token_cleanup.enable', first: true, second: false, observe: rowsAfterRevocation },
  {
    key: 'oauth.token_cleanup.retain_access_tokens_for_auditing',
    first: true,
    second: false,
    observe: rowsAfterRevocation,
  },
  { key: 'session_data.persistence.persistence_pool_size', first: 0, second: 2, observe: answeredBeforeStored },
  {
    key: 'oauth.timestamp_skew',
    first: 0,
    second: 60,
    given: '[oauth.token_validation]\nrefresh_token_validity = 100',
    observe: refreshedAfter(120),
  },
  {
    key: 'oauth.allowed_scopes',
    first: ['^free_.*'],
    second: ['^other$'],
    observe: (_, text) =>
      withServer(text, async (server) => {
        const scope = { name: 'free_a', displayName: '', description: '', roles: ['nobody'] };
        await server.identity.services.scopes.save({ id: -1234, domain: 'carbon.super', isActive: true }, scope);
        return (await ask(server, { ...user, scope: 'free_a' })).json()['error'];
      }),
  },
  {
    key: 'apim.oauth_config.allowed_scopes',
    first: ['^free_.*'],
    second: ['^other$'],
    observe: (_, text) =>
      withServer(text, async (server) => {
        const scope = { name: 'free_a', displayName: '', description: '', roles: ['nobody'] };
        await server.identity.services.scopes.save({ id: -1234, domain: 'carbon.super', isActive: true }, scope);
        return (await ask(server, { ...user, scope: 'free_a' })).json()['error'];
      }),
  },
  {
    key: 'oauth.default_requested_scopes',
    first: ['a'],
    second: ['b'],
    observe: answered(application, 'scope'),
  },
  {
    key: 'oauth.extensions.token_generator',
    first: 'org.wso2.carbon.identity.oauth2.token.JWTTokenIssuer',
    second: 'org.wso2.carbon.identity.oauth2.token.OauthTokenIssuerImpl',
    observe: (_, text) =>
      withServer(
        text,
        async (server) => String((await ask(server, application)).json()['access_token']).split('.').length,
      ),
  },
  {
    key: 'oauth.oidc.id_token.issuer',
    first: 'https://a.example',
    second: 'https://b.example',
    observe: (_, text) =>
      withServer(text, async (server) => {
        const metadata = (await server.call('/oauth2/token/.well-known/openid-configuration')).json();
        return metadata['issuer'];
      }),
  },
  {
    key: 'oauth.oidc.token_validation.id_token_validity',
    first: 100,
    second: 200,
    observe: (_, text) =>
      withServer(text, async (server) => {
        const { id_token: token } = (await ask(server, { ...user, scope: 'openid' })).json();
        const [, body = ''] = String(token).split('.');
        const { iat, exp } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { iat: number; exp: number };
        return exp - iat;
      }),
  },
  {
    key: 'oauth.oidc.user_info.response_type',
    first: 'json',
    second: 'jwt',
    observe: (_, text) =>
      withServer(text, async (server) => {
        const { access_token: token } = (await ask(server, { ...user, scope: 'openid' })).json();
        const answer = await server.call('/oauth2/userinfo', { headers: ['Authorization', `Bearer ${String(token)}`] });
        return answer.headers[1];
      }),
  },
  isOn('client_credentials', application),
  isOn('password', user),
  isOn('authorization_code', { grant_type: 'authorization_code', code: 'x' }),
  isOn('refresh_token', { grant_type: 'refresh_token', refresh_token: 'x' }),
];
