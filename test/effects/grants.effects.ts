import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { superTenant } from '#identity';
import type { TokenOrder } from '../../src/identity/oauth/tokens.ts';
import { basic, startTestIdentity, type TestIdentity } from '../../src/identity/test-identity.ts';
import type { EffectRow } from './effect-row.ts';

const home = join(import.meta.dirname, '../fixtures/identity');
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const samlBearer = 'urn:ietf:params:oauth:grant-type:saml2-bearer';
const ownName = 'urn:acme:own';
const all = [
  'client_credentials',
  'password',
  'authorization_code',
  'refresh_token',
  jwtBearer,
  samlBearer,
  'iwa:ntlm',
  'kerberos',
  ownName,
  'urn:acme:other',
];

type Form = Readonly<Record<string, string>>;

/** Runs `use` against an authorization server with the file, the modules of the fixtures and a client `app`. */
async function withServer<T>(text: string, use: (server: TestIdentity) => Promise<T>): Promise<T> {
  await using server = await startTestIdentity({ toml: text, home });
  await server.client('app', { grantTypes: all, tokenType: 'JWT' });
  await server.client('open', { grantTypes: all, isPublic: true });
  server.users.add({ name: 'ada', password: 'right' });
  return await use(server);
}

/** Whether tokens came, or which error, and what kinds of tokens. */
function outcome(form: Form) {
  return (_: unknown, text: string): Promise<unknown> =>
    withServer(text, async (server) => {
      const answer = await server.call('/oauth2/token', { headers: basic('app'), form });
      return [answer.status, answer.json()['error'], Object.keys(answer.json())];
    });
}

/** What each grant is asked for; the built-in ones refuse it. */
const forms: Readonly<Record<string, Form>> = {
  authorization_code: { grant_type: 'authorization_code', code: 'x' },
  client_credentials: { grant_type: 'client_credentials', scope: 'openid' },
  password: { grant_type: 'password', username: 'ada', password: 'wrong' },
  refresh_token: { grant_type: 'refresh_token', refresh_token: 'x' },
  saml_bearer: { grant_type: samlBearer, assertion: 'x' },
  jwt_bearer: { grant_type: jwtBearer, assertion: 'x' },
  iwa_ntlm: { grant_type: 'iwa:ntlm', windows_token: 'x' },
  kerberos: { grant_type: 'kerberos', kerberos_token: 'x', kerberos_realm: 'x' },
};

/** Built-in classes of the original, by section. */
const classes: Readonly<Record<string, string>> = {
  authorization_code: 'org.wso2.carbon.identity.oauth2.token.handlers.grant.AuthorizationCodeGrantHandler',
  client_credentials: 'org.wso2.carbon.identity.oauth2.token.handlers.grant.ClientCredentialsGrantHandler',
  password: 'org.wso2.carbon.identity.oauth2.token.handlers.grant.PasswordGrantHandler',
  refresh_token: 'org.wso2.carbon.identity.oauth2.token.handlers.grant.RefreshGrantHandler',
  saml_bearer: 'org.wso2.carbon.identity.oauth2.token.handlers.grant.saml.SAML2BearerGrantHandler',
  jwt_bearer: 'org.wso2.carbon.identity.oauth2.grant.jwt.JWTBearerGrantHandler',
  iwa_ntlm: 'org.wso2.carbon.identity.oauth2.token.handlers.grant.iwa.ntlm.NTLMAuthenticationGrantHandler',
  kerberos: 'org.wso2.carbon.identity.oauth2.grant.kerberos.KerberosGrant',
};

const validators: Readonly<Record<string, string>> = {
  jwt_bearer: 'org.wso2.carbon.identity.oauth2.grant.jwt.JWTGrantValidator',
  iwa_ntlm: 'org.wso2.carbon.identity.oauth2.token.handlers.grant.iwa.ntlm.NTLMAuthenticationGrantValidator',
  kerberos: 'org.wso2.carbon.identity.oauth2.grant.kerberos.KerberosGrantValidator',
};

const sectionOf = (name: string): string => (name === 'kerberos' ? '[oauth.grant_type.kerberos]\nenable = true\n' : '');

const handlerRows = Object.entries(classes).map(([name, className]): EffectRow => {
  const form = forms[name] ?? {};
  return {
    key: `oauth.grant_type.${name}.grant_handler`,
    first: className,
    second: './own-grant.ts#ownGrant',
    given: sectionOf(name),
    observe: (_, text) =>
      withServer(text, async (server) => {
        const answer = await server.call('/oauth2/token', { headers: basic('app'), form });
        const row = await server.database.get('SELECT subject_id FROM mr_token');
        return [answer.status, row?.['subject_id']];
      }),
  };
});

const validatorRows = Object.entries(validators).map(([name, className]): EffectRow => ({
  key: `oauth.grant_type.${name}.grant_validator`,
  first: className,
  second: './own-validator.ts#ownValidator',
  given: sectionOf(name),
  observe: outcome(forms[name] ?? {}),
}));

const enableRows = ['saml_bearer', 'iwa_ntlm', 'jwt_bearer', 'kerberos'].map((name): EffectRow => ({
  key: `oauth.grant_type.${name}.enable`,
  first: true,
  second: false,
  observe: outcome(forms[name] ?? {}),
}));

/** A statement of the server itself about a user, made some seconds ago, with further claims. */
async function ownAssertion(server: TestIdentity, age: number): Promise<string> {
  const { privateKey, id, algorithm } = await server.identity.keys.current(superTenant);
  const now = Math.floor(server.clock.now() / 1000);
  const endpoint = 'https://localhost:9443/oauth2/token';
  const claims = { iss: endpoint, sub: 'ada', aud: endpoint, iat: now - age, exp: now + 60, team: 'red' };
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey);
}

function afterAge(seconds: number) {
  return (_: unknown, text: string): Promise<unknown> =>
    withServer(text, async (server) => {
      const form = { grant_type: jwtBearer, assertion: await ownAssertion(server, seconds) };
      return (await server.call('/oauth2/token', { headers: basic('app'), form })).status;
    });
}

const own = `name = "${ownName}"\n`;
const ownForm = { grant_type: ownName, who: 'grace' };
const handler = 'grant_handler = "./own-grant.ts#ownGrant"\n';
const customTable = '[[oauth.custom_grant_type]]\n';

export const rows: readonly EffectRow[] = [
  ...enableRows,
  ...handlerRows,
  ...validatorRows,
  { key: 'oauth.grant_type.jwt.enable_iat_validation', first: true, second: false, observe: afterAge(3600) },
  { key: 'oauth.grant_type.jwt.iat_validity_period', first: 30, second: 90, observe: afterAge(3600) },
  {
    key: 'oauth.grant_type.client_credentials.allow_refresh_tokens',
    first: false,
    second: true,
    observe: outcome(forms['client_credentials'] ?? {}),
  },
  {
    key: 'oauth.grant_type.client_credentials.allow_id_token',
    first: false,
    second: true,
    observe: outcome(forms['client_credentials'] ?? {}),
  },
  {
    key: 'oauth.grant_type.password.allow_public_client',
    first: true,
    second: false,
    observe: (_, text) =>
      withServer(text, async (server) => {
        const form = { grant_type: 'password', client_id: 'open', username: 'ada', password: 'right' };
        return (await server.call('/oauth2/token', { form })).json()['error'];
      }),
  },
  {
    key: 'oauth.oidc.claims.enable_unmapped_user_attributes',
    first: true,
    second: false,
    observe: (_, text) =>
      withServer(text, async (server) => {
        const form = { grant_type: jwtBearer, assertion: await ownAssertion(server, 0) };
        const answer = (await server.call('/oauth2/token', { headers: basic('app'), form })).json();
        return decodeJwt(String(answer['access_token']))['team'];
      }),
  },
  {
    key: 'oauth.token_generation.retry_count_on_persistence_failures',
    first: 0,
    second: 3,
    // How often a value is made for an order whose value is there already each time.
    observe: (_, text) =>
      withServer(text, async (server) => {
        const subject = {
          id: 'app',
          name: 'app',
          storeDomain: '',
          identityProvider: 'LOCAL',
          tenant: superTenant,
          type: 'application',
        } as const;
        const order = (scope: string): TokenOrder => ({
          tenant: superTenant,
          clientId: 'app',
          subject,
          grantType: 'client_credentials',
          scopes: [scope],
          accessLifetime: 1000,
          refreshLifetime: undefined,
          binding: '',
          form: 'opaque',
          authenticatedAt: undefined,
        });
        let made = 0;
        const access = (): { readonly value: string; readonly alias: string } => {
          made++;
          return { value: 'the same', alias: 'the same' };
        };
        const values = { access, refresh: () => 'none' };
        await server.identity.tokens.issue(order('a'), values);
        await server.identity.tokens.issue(order('b'), values).catch((error: unknown) => error);
        return made;
      }),
  },
  {
    key: 'oauth.oidc.id_token.signature_algorithm',
    first: 'SHA256withRSA',
    second: 'ES256',
    observe: (_, text) =>
      withServer(text, async (server) => {
        const form = { grant_type: 'password', username: 'ada', password: 'right', scope: 'openid' };
        const answer = (await server.call('/oauth2/token', { headers: basic('app'), form })).json();
        return ['access_token', 'id_token'].map((name) => decodeProtectedHeader(String(answer[name])).alg);
      }),
  },
  {
    key: 'oauth.custom_grant_type.name',
    first: ownName,
    second: 'urn:acme:other',
    given: `${customTable}${handler}`,
    observe: outcome(ownForm),
  },
  {
    key: 'oauth.custom_grant_type.grant_handler',
    first: './own-grant.ts#ownGrant',
    second: 'com.acme.Unknown',
    given: `${customTable}${own}`,
    observe: outcome(ownForm),
  },
  {
    key: 'oauth.custom_grant_type.grant_validator',
    first: './own-validator.ts#ownValidator',
    second: './nothing.ts',
    given: `${customTable}${own}${handler}`,
    observe: outcome(ownForm),
  },
];
