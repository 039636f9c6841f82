import { authorizeUrl, createTestBrowser, prepare, signedIn } from '../../src/identity/test-browser.ts';
import { headerOf, startTestIdentity, type TestIdentity } from '../../src/identity/test-identity.ts';
import { sqlConsoleEndpoints } from '../../src/identity/console/sql-console.ts';
import { sqlConsolePath } from '../../src/identity/pages/sql-page.ts';
import type { EffectRow } from './effect-row.ts';

/** Runs `use` against an authorization server with the file, a client `web` and a user `ada`. */
function withServer(use: (server: TestIdentity) => Promise<unknown>) {
  return async (_: unknown, text: string): Promise<unknown> => {
    await using server = await startTestIdentity({ toml: text });
    await prepare(server);
    return await use(server);
  };
}

/** Status and address of the answer to a request of an unknown client. */
const refusal = withServer(async (server) => {
  const answer = await server.call(authorizeUrl({ client_id: 'nobody' }));
  return [answer.status, headerOf(answer, 'Location')];
});

/** Path of the page behind the sign-in; the keys in its query differ each time. */
const afterSignIn = withServer(async (server) => {
  const browser = await signedIn(server);
  const url = browser.away ?? new URL(browser.place, 'https://localhost:9443');
  return url.origin + url.pathname;
});

const discovery = withServer(async (server) => {
  const answer = await server.call('/oauth2/token/.well-known/openid-configuration');
  return answer.text;
});

/** Where a browser without a session is led to by a logout, and one with a session. */
const logout = withServer(async (server) => {
  const stranger = createTestBrowser(server);
  await stranger.open('/oidc/logout');
  const known = await signedIn(server);
  await known.open('/oidc/logout');
  return [stranger, known].map(({ away, place }) => (away ? away.origin + away.pathname : place.split('?')[0]));
});

const announced = [
  'oauth2_authz',
  'oauth2_par',
  'oauth2_token',
  'oauth2_user_info',
  'oauth2_revoke',
  'oauth2_introspect',
  'oauth2_dcr',
  'oauth2_device_authz',
  'oidc_logout',
  'oidc_check_session',
  'oidc_web_finger',
  'oauth2_jwks',
] as const;

const page = (name: string, observe: EffectRow['observe']): EffectRow => ({
  key: `oauth.endpoints.${name}_page`,
  first: 'https://pages.example/one',
  second: 'https://pages.example/two',
  observe,
});

export const rows: readonly EffectRow[] = [
  { key: 'oauth.oidc.id_token.redirect_error_page', first: true, second: false, observe: refusal },
  { key: 'oauth.additional_params_from_error_url', first: true, second: false, observe: refusal },
  { key: 'oauth.prompt_consent', first: true, second: false, observe: afterSignIn },
  ...announced.map((name) => ({
    key: `oauth.endpoints.${name}_url`,
    first: 'https://one.example/x',
    second: 'https://two.example/x',
    observe: discovery,
  })),
  {
    key: 'apim.oauth_config.revoke_endpoint',
    first: 'https://localhost:${https.nio.port}/revoke',
    second: 'https://two.example/revoke',
    observe: discovery,
  },
  page('oauth2_error', refusal),
  page('oidc_consent', afterSignIn),
  page(
    'oauth2_consent',
    withServer(async (server) => {
      const { away } = await signedIn(server, { scope: 'plain' });
      return away && away.origin + away.pathname;
    }),
  ),
  page('oidc_logout', logout),
  page('oidc_logout_consent', logout),
  {
    key: 'database_configuration.enable_h2_console',
    first: true,
    second: false,
    async observe(_, text) {
      await using server = await startTestIdentity({
        toml: text,
        endpoints: ({ services, sessions }, config) =>
          sqlConsoleEndpoints({ ...services, config, file: '/nonexistent/file', sessions, adminRole: 'admin' }),
      });
      return (await server.call(sqlConsolePath)).status;
    },
  },
];
