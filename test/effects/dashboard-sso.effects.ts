import type { Config } from '#config';
import { configureLog, createTestClock } from '#core';
import { readDashboardSettings } from '#dashboard';
import { MillraceError } from '#errors';
import { createSso } from '../../src/dashboard/sso.ts';
import type { HttpCall } from '../../src/dashboard/http-caller.ts';
import { anyPort, withDashboard } from './effect-dashboard.ts';
import type { EffectRow } from './effect-row.ts';

const file = 'dashboard';
const sso = `[sso]
enable = true
client_id = "console"
base_url = "https://idp"
jwt_issuer = "https://idp"
`;
const manual = `${sso}override_well_known_endpoint = true
user_info_endpoint = "/me"
introspection_endpoint = "/check"
`;

/** Everything that single sign-on asks of a provider, and whom it lets in. */
async function singleSignOn(config: Config): Promise<unknown> {
  try {
    return await runSingleSignOn(config);
  } catch (error) {
    return error instanceof MillraceError ? error.message : Promise.reject(error);
  }
}

async function runSingleSignOn(config: Config): Promise<unknown> {
  const { sso: settings } = readDashboardSettings(config);
  if (!settings) return 'off';
  const { generateKeyPair, exportJWK, SignJWT } = await import('jose');
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' };
  const clock = createTestClock();
  const calls: string[] = [];
  let nonce = '';
  const call = async ({ url, method = 'GET', headers = [], body }: HttpCall) => {
    const form = new URLSearchParams(typeof body === 'string' ? body : '');
    form.delete('code_verifier');
    calls.push([method, url, headers.includes('Authorization') ? 'signed' : '', form.toString()].join(' '));
    const bytes = Buffer.from(JSON.stringify(await answerOf(url)));
    return { status: 200, headers: [], bytes, text: bytes.toString() };
  };
  const answerOf = async (url: string): Promise<unknown> => {
    if (url.includes('jwks') || url.includes('keys')) return { keys: [jwk] };
    if (url.includes('openid-configuration')) {
      return {
        authorization_endpoint: 'https://idp/found/authorize',
        token_endpoint: 'https://idp/found/token',
        jwks_uri: 'https://idp/found/jwks',
        userinfo_endpoint: 'https://idp/found/me',
      };
    }
    if (url.includes('check')) return { active: true, sub: 'u' };
    if (url.includes('me')) return { sub: 'u', groups: ['ops'], teams: ['dev'] };
    const claims = {
      sub: 'u',
      name: 'Ursula',
      nonce,
      iss: 'https://idp',
      aud: 'console',
      exp: clock.now() / 1000 + 60,
    };
    const sign = (more: object): Promise<string> =>
      new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(privateKey);
    return { id_token: await sign({}), access_token: 'opaque' };
  };
  const flow = createSso(settings, { call, clock });
  const { location, cookie } = await flow.begin('/');
  const target = new URL(location);
  nonce = target.searchParams.get('nonce') ?? '';
  const state = target.searchParams.get('state') ?? '';
  for (const name of ['nonce', 'state', 'code_challenge'])
    if (target.searchParams.has(name)) target.searchParams.set(name, 'x');
  const answer = new URLSearchParams({ code: 'c', state });
  const outcome = await flow.finish(answer, cookie).then(
    ({ user: { name, isAdmin } }) => ({ name, isAdmin }),
    (error: unknown) => (error instanceof MillraceError ? error.message : Promise.reject(error)),
  );
  const out = await flow.signOut({ name: 'u', isAdmin: false, by: 'sso', accessToken: 'opaque' });
  const bearer = await flow.bearer('opaque').then(
    ({ isAdmin }) => isAdmin,
    (error: unknown) => String(error),
  );
  const shared = await new SignJWT({ sub: 'u', iss: 'https://idp', aud: 'shared', exp: clock.now() / 1000 + 60 })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .sign(privateKey);
  const other = await flow.bearer(shared).then(
    () => 'accepted',
    () => 'refused',
  );
  return [target.href, outcome, out, bearer, other, calls];
}

/** Which origin a browser's scripts may call from. */
function corsOrigin(config: Config): Promise<unknown> {
  return corsHeader(config, 'Access-Control-Allow-Origin');
}

/** A header of the answer to a script of another origin. */
function corsHeader(config: Config, header: string): Promise<unknown> {
  return withDashboard(config, async ({ dashboard }) => {
    const request = new Request('https://localhost/api/v1/nodes', { headers: { Origin: 'https://portal.example' } });
    return (await dashboard.fetch(request)).headers.get(header);
  });
}

const ssoRow = (key: string, first: EffectRow['first'], second: EffectRow['second'], given = manual): EffectRow => ({
  file,
  key: `sso.${key}`,
  first,
  second,
  given: given.replaceAll(new RegExp(`^${key} = .*\\n`, 'gm'), ''),
  observe: singleSignOn,
});

export const rows: readonly EffectRow[] = [
  ssoRow('enable', true, false),
  ssoRow('client_id', 'console', 'another'),
  ssoRow('base_url', 'https://idp', 'https://other'),
  ssoRow('jwt_issuer', 'https://idp', 'https://other'),
  ssoRow('override_well_known_endpoint', true, false),
  ssoRow('well_known_endpoint', '/a/openid-configuration', '/b/openid-configuration', sso),
  ssoRow('jwks_endpoint', '/jwks', '/keys'),
  ssoRow('authorization_endpoint', '/a', '/b'),
  ssoRow('token_endpoint', '/a', '/b'),
  ssoRow('user_info_endpoint', '/me', '/me/2'),
  ssoRow('revocation_endpoint', '/a', '/b'),
  ssoRow('introspection_endpoint', '/check', '/check/2'),
  ssoRow('end_session_endpoint', '/a', '/b'),
  ssoRow('sign_in_redirect_URL', 'https://one:9743/sso', 'https://two:9743/sso'),
  ssoRow('sign_out_redirect_URL', 'https://one:9743', 'https://two:9743'),
  ssoRow('admin_group_attribute', 'groups', 'teams', `${manual}admin_groups = ["ops"]\n`),
  ssoRow('admin_groups', ['ops'], ['others']),
  ssoRow('enable_PKCE', true, false),
  ssoRow('scope', ['openid'], ['openid', 'profile']),
  ssoRow('user_name_attribute', 'sub', 'name'),
  ssoRow('additional_trusted_audience', ['shared'], ['another']),
  ssoRow('client_secret', 'one', 'two'),
  ssoRow('jwks_algorithm', 'RS256', 'ES256'),
  {
    file,
    key: 'sso.resource_server_URLs',
    first: ['https://portal.example'],
    second: ['https://localhost:9743'],
    given: `${anyPort}${sso}`,
    observe: corsOrigin,
  },
  {
    file,
    key: 'sso.send_cookies_in_requests',
    first: true,
    second: false,
    given: `${anyPort}${sso}resource_server_URLs = ["https://portal.example"]\n`,
    observe: (config) => corsHeader(config, 'Access-Control-Allow-Credentials'),
  },
  {
    file,
    key: 'sso.storage',
    first: 'localStorage',
    second: 'webWorker',
    given: manual,
    alone: true,
    observe(config) {
      const lines: string[] = [];
      configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } });
      readDashboardSettings(config);
      configureLog({ level: 'silent', format: 'json' });
      return lines.filter((line) => line.includes('sso.storage')).length;
    },
  },
  {
    file,
    key: 'sso.authorization_request.params.key',
    first: 'fidp',
    second: 'prompt',
    given: `${manual}[[sso.authorization_request.params]]\nvalue = "x"\n`,
    observe: singleSignOn,
  },
  {
    file,
    key: 'sso.authorization_request.params.value',
    first: 'x',
    second: 'y',
    given: `${manual}[[sso.authorization_request.params]]\nkey = "fidp"\n`,
    observe: singleSignOn,
  },
];
