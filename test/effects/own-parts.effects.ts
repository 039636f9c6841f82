import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { superTenant } from '#identity';
import { basic, startTestIdentity, type TestIdentity } from '../../src/identity/test-identity.ts';
import { assertionText, at, exchange, sign, withServer as withProvider } from '../../src/identity/test-saml.ts';
import type { EffectRow } from './effect-row.ts';

const home = join(import.meta.dirname, '../fixtures/identity');
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Runs `use` against a server with the file, the modules of the fixtures, a client and a user. */
function withServer(use: (server: TestIdentity) => Promise<unknown>) {
  return async (_: unknown, text: string): Promise<unknown> => {
    await using server = await startTestIdentity({ toml: text, home });
    await server.client('app', { grantTypes: ['password', 'urn:acme:own', jwtBearer], tokenType: 'JWT' });
    server.users.add({ name: 'ada', password: 'right' });
    return await use(server);
  };
}

async function tokens(server: TestIdentity): Promise<Record<string, unknown>> {
  const form = { grant_type: 'password', username: 'ada', password: 'right', scope: 'openid' };
  return (await server.call('/oauth2/token', { headers: basic('app'), form })).json();
}

/** Claims that nobody but a module sets, and the issuer, which no module may. */
const claims = withServer(async (server) => {
  const answer = await tokens(server);
  return ['access_token', 'id_token'].map((name) => {
    const { from, built, iss } = decodeJwt(String(answer[name]));
    return [from, built, iss];
  });
});

const userInfo = withServer(async (server) => {
  const headers = ['Authorization', `Bearer ${String((await tokens(server))['access_token'])}`];
  return (await server.call('/oauth2/userinfo', { headers })).json();
});

/** The names of claims that introspection's context token has, or the token where it is no JWT. */
const context = withServer(async (server) => {
  const form = { token: String((await tokens(server))['access_token']) };
  const { token_string: text } = (await server.call('/oauth2/introspect', { headers: basic('app'), form })).json();
  return typeof text === 'string' && text.includes('.') ? Object.keys(decodeJwt(text)) : text;
});

const builtInContext = '[oauth]\nextensions.token_context_generator = "org.wso2.carbon.X.JWTTokenGenerator"\n';

/** What became of registering a client with a kind of token, and how its tokens begin. */
const registered = withServer(async (server) => {
  server.users.add({ name: 'admin', password: 'admin-password', roles: ['admin'] });
  const body = JSON.stringify({ client_name: 'c', grant_types: ['client_credentials'], ext_token_type: 'Special' });
  const headers = [...basic('admin', 'admin-password'), 'Content-Type', 'application/json'];
  const client = await server.call('/api/identity/oauth2/dcr/v1.1/register', { headers, body });
  if (client.status !== 201) return client.json()['error'];
  const { client_id: id, client_secret: secret } = client.json();
  const form = { grant_type: 'client_credentials' };
  const answer = await server.call('/oauth2/token', { headers: basic(String(id), String(secret)), form });
  const token = String(answer.json()['access_token']);
  const ask = { headers: basic(String(id), String(secret)), form: { token } };
  const isGood = (await server.call('/oauth2/introspect', ask)).json()['active'];
  return [token.slice(0, 4), token.split('.').length, isGood];
});

const kinds = '[[oauth.extensions.token_types]]\n';
const special = 'name = "Special"\n';

export const rows: readonly EffectRow[] = [
  {
    key: 'oauth.oidc.extensions.claim_callback_handler',
    first: './own-parts.ts#callback',
    second: 'org.wso2.carbon.identity.openidconnect.SAMLAssertionClaimsCallback',
    observe: claims,
  },
  {
    key: 'oauth.oidc.extensions.id_token_builder',
    first: './own-parts.ts#Builder',
    second: 'org.wso2.carbon.identity.openidconnect.DefaultIDTokenBuilder',
    observe: claims,
  },
  {
    key: 'oauth.oidc.extensions.user_info_claim_retriever',
    first: './own-parts.ts#retriever',
    second: 'org.wso2.carbon.identity.oauth.endpoint.user.impl.UserInfoUserStoreClaimRetriever',
    observe: userInfo,
  },
  {
    key: 'oauth.extensions.token_context_generator',
    first: './own-parts.ts#generator',
    second: 'org.wso2.carbon.identity.oauth2.authcontext.JWTTokenGenerator',
    observe: context,
  },
  {
    key: 'oauth.extensions.token_context_claim_retriever',
    first: './own-parts.ts#callback',
    second: 'org.wso2.carbon.identity.oauth2.authcontext.DefaultClaimsRetriever',
    given: builtInContext,
    observe: context,
  },
  {
    key: 'oauth.extensions.token_context_dialect_uri',
    first: 'http://wso2.org/claims',
    second: 'https://acme.example/claims',
    given: builtInContext,
    observe: context,
  },
  {
    key: 'oauth.extensions.token_types.name',
    first: 'Special',
    second: 'Other',
    given: `${kinds}issuer = "./own-parts.ts#issuer"\n`,
    observe: registered,
  },
  {
    key: 'oauth.extensions.token_types.issuer',
    first: './own-parts.ts#issuer',
    second: 'org.wso2.carbon.identity.oauth2.token.JWTTokenIssuer',
    given: `${kinds}${special}`,
    observe: registered,
  },
  {
    key: 'oauth.oidc.claims.enable_oidc_dialect',
    first: true,
    second: false,
    given: '[oauth.oidc.claims]\nenable_unmapped_user_attributes = true\n',
    // A statement of the server itself about a user, with a claim of the local dialect.
    observe: withServer(async (server) => {
      const { SignJWT } = await import('jose');
      const { privateKey, id, algorithm } = await server.identity.keys.current(superTenant);
      const now = Math.floor(server.clock.now() / 1000);
      const aud = 'https://localhost:9443/oauth2/token';
      const stated = { iss: aud, sub: 'ada', aud, iat: now, exp: now + 60, 'http://wso2.org/claims/givenname': 'Ada' };
      const assertion = await new SignJWT(stated).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey);
      const form = { grant_type: jwtBearer, assertion };
      const answer = (await server.call('/oauth2/token', { headers: basic('app'), form })).json();
      const { given_name: oidc, 'http://wso2.org/claims/givenname': local } = decodeJwt(String(answer['access_token']));
      return [oidc, local];
    }),
  },
  {
    key: 'oauth.custom_grant_type.properties.who',
    first: 'grace',
    second: 'linus',
    given: '[[oauth.custom_grant_type]]\nname = "urn:acme:own"\ngrant_handler = "./own-grant.ts#ownGrant"\n',
    observe: withServer(async (server) => {
      await server.call('/oauth2/token', { headers: basic('app'), form: { grant_type: 'urn:acme:own' } });
      return (await server.database.get('SELECT subject_id FROM mr_token'))?.['subject_id'];
    }),
  },
  {
    key: 'oauth.token_validation.authorization_code_validity',
    first: 60,
    second: 300,
    observe: withServer(async (server) => {
      const { codes } = server.identity.services;
      const subject = {
        id: 'ada',
        name: 'ada',
        storeDomain: 'PRIMARY',
        tenant: superTenant,
        type: 'user',
        identityProvider: 'LOCAL',
      } as const;
      const code = await codes.create(superTenant, {
        clientId: 'app',
        subject,
        scopes: [],
        redirectUri: undefined,
        challenge: undefined,
        challengeMethod: undefined,
        nonce: undefined,
        authenticatedAt: server.clock.now(),
        sessionId: undefined,
        requestedClaims: [],
      });
      server.clock.advance(120_000);
      return (await codes.take(code))?.state;
    }),
  },
  {
    key: 'server.clock_skew',
    first: '1m',
    second: '5m',
    // The assertion has ended two minutes ago.
    async observe(_, text) {
      let status: number | undefined;
      await withProvider(async (server) => {
        const conditions = `NotBefore="${at(server, -600)}" NotOnOrAfter="${at(server, -120)}"`;
        status = (await exchange(server, sign(assertionText(server, { conditions })))).status;
      }, text);
      return status;
    },
  },
  {
    key: 'oauth.grant_type.saml_bearer.user_type',
    first: 'FEDERATED',
    second: 'LOCAL',
    // Nobody of ours is called like the user of the provider.
    async observe(_, text) {
      let status: number | undefined;
      await withProvider(async (server) => {
        status = (await exchange(server, sign(assertionText(server, { subject: 'grace' })))).status;
      }, text);
      return status;
    },
  },
];
