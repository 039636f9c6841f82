import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as oidc from 'oidc-provider';
import { readDashboardSettings } from '#dashboard';
import { loadConfig, usableConfig } from '#config';
import { createTestClock } from '#core';
import { createHttpSender } from '#transport';
import { createHttpCaller } from '../../src/dashboard/http-caller.ts';
import { createSso, type Sso } from '../../src/dashboard/sso.ts';
import { startTestDashboard } from '../helpers/test-dashboard.ts';

/** The package has no types of its own. */
interface OidcProvider {
  callback(): RequestListener;
}
const Provider = oidc.Provider as unknown as new (issuer: string, configuration: object) => OidcProvider;

const redirect = 'https://localhost:9743/sso';

/** Lines of `[sso]` for a provider. */
function ssoLines(issuer: string, more = ''): string {
  return `[sso]
enable = true
client_id = "console"
client_secret = "a secret of the console, long enough"
base_url = "${issuer}"
well_known_endpoint = "/.well-known/openid-configuration"
jwt_issuer = "${issuer}"
admin_group_attribute = "groups"
admin_groups = ["operators"]
scope = ["openid", "groups"]
user_name_attribute = "name"
${more}`;
}

describe('single sign-on with the provider of others', () => {
  it('brings an administrator in, with PKCE and nonce, and keeps tokens out of the browser', async () => {
    await using idp = await startProvider();
    await using dashboard = await startTestDashboard({ toml: ssoLines(idp.issuer) });
    const begun = await dashboard.dashboard.fetch(new Request('https://localhost/sso?return=/nodes'));
    assert.equal(begun.status, 303);
    const authorize = new URL(begun.headers.get('Location') ?? '');
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(authorize.searchParams.get(name), name);
    const attempt = cookieOf(begun, '__Host-millrace-sso');
    const back = await idp.signIn(authorize, 'ada');
    const done = await dashboard.dashboard.fetch(new Request(back, { headers: { Cookie: attempt } }));
    assert.equal(done.status, 303, await done.clone().text());
    assert.equal(done.headers.get('Location'), '/nodes');
    const cookie = cookieOf(done, '__Host-millrace-session');
    const session = await dashboard.dashboard.fetch(
      new Request('https://localhost/api/v1/session', { headers: { Cookie: cookie } }),
    );
    const { user } = (await session.json()) as { user: unknown };
    assert.deepEqual(user, { name: 'Ada', isAdmin: true, by: 'sso' });
    const replayed = await dashboard.dashboard.fetch(new Request(back, { headers: { Cookie: attempt } }));
    assert.equal(replayed.status, 401);
    assert.match(await replayed.text(), /used already/);
    const trail = await dashboard.dashboard.fetch(
      new Request('https://localhost/api/v1/audit?q=login', { headers: { Cookie: cookie } }),
    );
    const { list } = (await trail.json()) as { list: { actor: string; outcome: string; target: string }[] };
    assert.deepEqual(
      list.map(({ actor, outcome, target }) => [actor, outcome, target]),
      [
        ['anonymous', 'failure', '/sso'],
        ['Ada', 'success', '/sso'],
      ],
    );
  });

  it('makes no administrator of who is in another group', async () => {
    await using idp = await startProvider();
    await using dashboard = await startTestDashboard({ toml: ssoLines(idp.issuer) });
    const begun = await dashboard.dashboard.fetch(new Request('https://localhost/sso'));
    const back = await idp.signIn(new URL(begun.headers.get('Location') ?? ''), 'bob');
    const headers = { Cookie: cookieOf(begun, '__Host-millrace-sso') };
    const done = await dashboard.dashboard.fetch(new Request(back, { headers }));
    const session = await dashboard.dashboard.fetch(
      new Request('https://localhost/api/v1/session', {
        headers: { Cookie: cookieOf(done, '__Host-millrace-session') },
      }),
    );
    assert.deepEqual(((await session.json()) as { user: unknown }).user, { name: 'Bob', isAdmin: false, by: 'sso' });
  });

  it('takes no answer in another browser', async () => {
    await using idp = await startProvider();
    await using dashboard = await startTestDashboard({ toml: ssoLines(idp.issuer) });
    const begun = await dashboard.dashboard.fetch(new Request('https://localhost/sso'));
    const back = await idp.signIn(new URL(begun.headers.get('Location') ?? ''), 'ada');
    const done = await dashboard.dashboard.fetch(new Request(back));
    assert.equal(done.status, 401);
  });
});

describe('ID tokens', () => {
  const good = { aud: 'console', name: 'Ada', groups: ['operators'] };
  const cases: readonly (readonly [what: string, claims: object, accepted: boolean, more?: string])[] = [
    ['of this client', good, true],
    ['for another audience', { ...good, aud: 'somebody else' }, false],
    [
      'for an audience that is trusted too',
      { ...good, aud: 'shared' },
      true,
      'additional_trusted_audience = ["shared"]',
    ],
    ['that have expired', { ...good, exp: -120 }, false],
    ['of another issuer', { ...good, iss: 'https://elsewhere' }, false],
    ['with another nonce', { ...good, nonce: 'stale' }, false],
    ['signed with a shared secret', { ...good, alg: 'HS256' }, false],
  ];
  for (const [what, claims, accepted, more] of cases) {
    it(`${what} are ${accepted ? 'accepted' : 'refused'}`, async () => {
      await using fake = await startTokenEndpoint(claims, more);
      const { location, cookie } = await fake.sso.begin('/');
      const { searchParams } = new URL(location);
      fake.nonce = searchParams.get('nonce') ?? '';
      const answer = new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '' });
      if (accepted) assert.equal((await fake.sso.finish(answer, cookie)).user.name, 'Ada');
      else await assert.rejects(fake.sso.finish(answer, cookie), { code: 'MR_SSO_TOKEN' });
    });
  }
});

function cookieOf(response: Response, name: string): string {
  const cookie = response.headers.getSetCookie().find((each) => each.startsWith(`${name}=`));
  return cookie?.split(';', 1)[0] ?? '';
}

interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Follows the provider's pages as a browser does, until it sends the browser back. */
  signIn(authorize: URL, user: string): Promise<string>;
}

async function startProvider(): Promise<TestProvider> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people: Readonly<Record<string, object>> = {
    ada: { name: 'Ada', groups: ['operators'] },
    bob: { name: 'Bob', groups: ['readers'] },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'console',
        client_secret: 'a secret of the console, long enough',
        redirect_uris: [redirect],
        post_logout_redirect_uris: ['https://localhost:9743'],
      },
    ],
    claims: { openid: ['sub'], groups: ['groups', 'name'] },
    scopes: ['openid', 'groups'],
    features: { devInteractions: { enabled: true } },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
  });
  server.on('request', provider.callback());
  return {
    issuer,
    async signIn(authorize, user) {
      const cookies = new Map<string, string>();
      let url = authorize.href;
      let form: URLSearchParams | undefined;
      for (let hop = 0; hop < 20; hop++) {
        const response = await fetch(url, {
          redirect: 'manual',
          headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
          ...(form ? { method: 'POST', body: form } : {}),
        });
        for (const cookie of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          cookies.set(name, value);
        }
        const next = response.headers.get('Location');
        if (next !== null) {
          url = new URL(next, url).href;
          form = undefined;
          if (url.startsWith(redirect)) return url;
          continue;
        }
        const page = await response.text();
        const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
        const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? 'login';
        url = new URL(action, url).href;
        form = new URLSearchParams({ prompt, login: user, password: 'any' });
      }
      throw new Error('the provider did not send the browser back');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface TokenEndpoint extends AsyncDisposable {
  readonly sso: Sso;
  nonce: string;
}

/** A token endpoint that signs whatever claims the test wants. */
async function startTokenEndpoint(claims: object, more = ''): Promise<TokenEndpoint> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
  const clock = createTestClock();
  const sender = createHttpSender();
  const server = createServer((request, response) => {
    void (async () => {
      const { alg = 'RS256', exp = 300, ...rest } = claims as { alg?: string; exp?: number };
      const now = Math.floor(clock.now() / 1000);
      const token = await new SignJWT({ iss: issuer, sub: 'ada', nonce: fake.nonce, exp: now + exp, ...rest })
        .setProtectedHeader({ alg, kid: 'one' })
        .sign(alg === 'RS256' ? privateKey : Buffer.alloc(32, 1));
      const body = request.url === '/jwks' ? { keys: [jwk] } : { id_token: token, token_type: 'Bearer' };
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const manual = `override_well_known_endpoint = true
jwks_endpoint = "/jwks"
token_endpoint = "/token"
user_info_endpoint = "/userinfo"
introspection_endpoint = "/introspect"
${more}`;
  const { sso: settings } = readDashboardSettings(
    usableConfig(loadConfig({ text: ssoLines(issuer, manual), catalog: 'dashboard', env: {}, systemProperties: {} })),
  );
  if (!settings) throw new Error('single sign-on is off');
  const fake: TokenEndpoint = {
    sso: createSso(settings, { call: createHttpCaller(sender), clock }),
    nonce: '',
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}
