import {
  basic,
  headerOf,
  startTestIdentity,
  type TestAnswer,
  type TestIdentity,
} from '../../src/identity/test-identity.ts';
import type { EffectRow } from './effect-row.ts';

const device = 'urn:ietf:params:oauth:grant-type:device_code';

/** Runs `use` against an authorization server with the file, clients `app` and `other`, and a user `ada`. */
function withServer(use: (server: TestIdentity) => Promise<unknown>): EffectRow['observe'] {
  return async (_, text) => {
    await using server = await startTestIdentity({ toml: text });
    const grantTypes = ['client_credentials', 'password', 'refresh_token', device];
    await server.client('app', { grantTypes });
    await server.client('other', { grantTypes });
    server.users.add({ name: 'ada', password: 'right' });
    return await use(server);
  };
}

function ask(server: TestIdentity, form: Readonly<Record<string, string>>): Promise<TestAnswer> {
  return server.call('/oauth2/token', { headers: basic('app'), form });
}

const userInfo = withServer(async (server) => {
  const answer = await server.call('/oauth2/userinfo');
  return [answer.status, headerOf(answer, 'WWW-Authenticate'), answer.text];
});

const introspection = withServer(async (server) => {
  const answer = await server.call('/oauth2/introspect', { headers: basic('app'), form: {} });
  return [answer.status, answer.json()];
});

const revocation = withServer(async (server) => {
  const token = String((await ask(server, { grant_type: 'client_credentials' })).json()['access_token']);
  const answer = await server.call('/oauth2/revoke', { headers: basic('other'), form: { token } });
  return [answer.status, answer.json()['error']];
});

const unknownDevice = withServer(async (server) => {
  const answer = await ask(server, { grant_type: device, device_code: 'nobody-knows' });
  return [answer.status, answer.json()['error']];
});

/** What becomes of a former refresh token that comes late, and of the newest one. */
const reuse = withServer(async (server) => {
  const first = (await ask(server, { grant_type: 'password', username: 'ada', password: 'right' })).json();
  const renew = (token: unknown): Promise<TestAnswer> =>
    ask(server, { grant_type: 'refresh_token', refresh_token: String(token) });
  const second = (await renew(first['refresh_token'])).json();
  server.clock.advance(60_000);
  const late = await renew(first['refresh_token']);
  const newest = await renew(second['refresh_token']);
  return [late.status, newest.status];
});

const row = (name: string, observe: EffectRow['observe']): EffectRow => ({
  key: `millrace.compat.${name}`,
  first: false,
  second: true,
  observe,
});

/** Where the original's behaviour is chosen in place of that of the standards (identity 7.3). */
export const rows: readonly EffectRow[] = [
  row('userinfo_without_credentials', userInfo),
  row('introspection_without_token', introspection),
  row('revocation_of_foreign_tokens', revocation),
  row('unknown_device_code', unknownDevice),
  row('reused_refresh_token', reuse),
];
