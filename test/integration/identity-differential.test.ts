import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Provider } from 'oidc-provider';
import { callback } from '../../src/identity/test-browser.ts';
import { startTestIdentity, type TestIdentity } from '../../src/identity/test-identity.ts';

/** An endpoint as both call it. */
type Place = 'authorize' | 'token' | 'revoke' | 'introspect' | 'userinfo' | 'par' | 'device' | 'logout';

const paths: Readonly<Record<Place, { readonly ours: string; readonly theirs: string }>> = {
  authorize: { ours: '/oauth2/authorize', theirs: '/auth' },
  token: { ours: '/oauth2/token', theirs: '/token' },
  revoke: { ours: '/oauth2/revoke', theirs: '/token/revocation' },
  introspect: { ours: '/oauth2/introspect', theirs: '/token/introspection' },
  userinfo: { ours: '/oauth2/userinfo', theirs: '/me' },
  par: { ours: '/oauth2/par', theirs: '/request' },
  device: { ours: '/oauth2/device_authorize', theirs: '/device/auth' },
  logout: { ours: '/oidc/logout', theirs: '/session/end' },
};

/** A request as it is sent to both. */
interface Sent {
  readonly to: Place;
  readonly method?: string;
  /** Id and secret of HTTP Basic. */
  readonly as?: readonly [id: string, secret: string];
  readonly bearer?: string;
  readonly query?: string;
  readonly form?: string;
}

/** What standards decide of an answer: everything else is each server's own business. */
interface Outcome {
  readonly status: number;
  readonly error: string | undefined;
  /** Where the browser is sent, without what it is told there. */
  readonly to: string | undefined;
  readonly state: string | undefined;
  readonly challenge: string | undefined;
}

const good = `client_id=web&response_type=code&redirect_uri=${encodeURIComponent(callback)}`;
const web = ['web', 'secret-web'] as const;
const app = ['app', 'secret-app'] as const;
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** Why an answer of ours is not that of the peer. */
const reasons = {
  errorPage: 'ours shows its error page by a redirect within the server, as the original does',
  mode: 'the error of theirs is in no standard',
  state: 'of two states nobody knows which was meant',
  method: '405 says more than 404 (RFC 9110 15.5.6)',
  noClient: 'no client authentication is invalid_client with 401 (RFC 6749 5.2)',
  challenge: '401 has a challenge always (RFC 9110 15.5.2)',
  grant: 'a grant that a client may not use is unauthorized_client (RFC 6749 5.2)',
  noToken: 'without credentials there is no error code (RFC 6750 3.1)',
  reference: 'a pushed reference is invalid_request (RFC 9126 2.1)',
  address: 'the request names no address, so that ours goes to none',
} as const;

/** The requests; `differs` says why two answers are not the same, where a standard leaves the choice. */
const rows: readonly (readonly [name: string, sent: Sent, differs?: string])[] = [
  ['authorize: unknown client', { to: 'authorize', query: good.replace('web', 'nobody') }, reasons.errorPage],
  ['authorize: no client', { to: 'authorize', query: 'response_type=code' }, reasons.errorPage],
  [
    'authorize: foreign address',
    { to: 'authorize', query: `client_id=web&response_type=code&redirect_uri=https%3A%2F%2Fevil.example%2F` },
    reasons.errorPage,
  ],
  [
    'authorize: no response type',
    { to: 'authorize', query: `${good.replace('response_type=code', '')}&state=s&scope=openid` },
  ],
  [
    'authorize: unknown response type',
    { to: 'authorize', query: `${good.replace('=code', '=magic')}&state=s&scope=openid` },
  ],
  ['authorize: nobody is signed in', { to: 'authorize', query: `${good}&scope=openid&prompt=none&state=a%20b%26c` }],
  [
    'authorize: prompt none with another',
    { to: 'authorize', query: `${good}&scope=openid&prompt=none%20login&state=s` },
  ],
  ['authorize: unknown prompt', { to: 'authorize', query: `${good}&scope=openid&prompt=magic&state=s` }],
  ['authorize: max_age is no number', { to: 'authorize', query: `${good}&scope=openid&max_age=x&state=s` }],
  [
    'authorize: unknown challenge method',
    { to: 'authorize', query: `${good}&scope=openid&state=s&code_challenge=${challenge}&code_challenge_method=S512` },
  ],
  [
    'authorize: a challenge that is too short',
    { to: 'authorize', query: `${good}&scope=openid&state=s&code_challenge=abc&code_challenge_method=S256` },
  ],
  [
    'authorize: a public client without a challenge',
    { to: 'authorize', query: `${good.replace('web', 'open')}&scope=openid&state=s` },
  ],
  [
    'authorize: id_token without a nonce',
    { to: 'authorize', query: `${good.replace('=code', '=id_token')}&scope=openid&state=s` },
  ],
  [
    'authorize: tokens in the query',
    {
      to: 'authorize',
      query: `${good.replace('=code', '=id_token')}&scope=openid&state=s&nonce=n&response_mode=query`,
    },
  ],
  [
    'authorize: unknown response mode',
    { to: 'authorize', query: `${good}&scope=openid&state=s&response_mode=magic` },
    reasons.mode,
  ],
  ['authorize: state twice', { to: 'authorize', query: `${good}&scope=openid&state=s&state=t` }, reasons.state],
  ['authorize: a request object', { to: 'authorize', query: `${good}&scope=openid&state=s&request=e30.e30.` }],
  ['authorize: registration', { to: 'authorize', query: `${good}&scope=openid&state=s&registration=%7B%7D` }],
  ['authorize: by DELETE', { to: 'authorize', method: 'DELETE' }, reasons.method],
  ['token: by GET', { to: 'token', method: 'GET' }, reasons.method],
  ['token: no grant type', { to: 'token', as: web, form: 'scope=a' }],
  ['token: unknown grant type', { to: 'token', as: web, form: 'grant_type=urn%3Amagic' }],
  [
    'token: grant type twice',
    { to: 'token', as: web, form: 'grant_type=refresh_token&grant_type=refresh_token&refresh_token=x' },
  ],
  ['token: no client', { to: 'token', form: 'grant_type=client_credentials' }, reasons.noClient],
  ['token: unknown client', { to: 'token', as: ['nobody', 'x'], form: 'grant_type=client_credentials' }],
  ['token: wrong secret', { to: 'token', as: ['app', 'x'], form: 'grant_type=client_credentials' }],
  [
    'token: wrong secret in the body',
    { to: 'token', form: 'grant_type=client_credentials&client_id=app&client_secret=x' },
    reasons.challenge,
  ],
  [
    'token: credentials in both',
    { to: 'token', as: app, form: 'grant_type=client_credentials&client_id=app&client_secret=secret-app' },
  ],
  [
    'token: a grant that the client has not',
    { to: 'token', as: app, form: 'grant_type=refresh_token&refresh_token=x' },
    reasons.grant,
  ],
  ['token: no code', { to: 'token', as: web, form: 'grant_type=authorization_code' }],
  [
    'token: unknown code',
    { to: 'token', as: web, form: `grant_type=authorization_code&code=x&redirect_uri=${encodeURIComponent(callback)}` },
  ],
  ['token: no refresh token', { to: 'token', as: web, form: 'grant_type=refresh_token' }],
  ['token: unknown refresh token', { to: 'token', as: web, form: 'grant_type=refresh_token&refresh_token=x' }],
  ['token: a client for itself', { to: 'token', as: app, form: 'grant_type=client_credentials' }],
  [
    'token: an unknown device code',
    { to: 'token', as: web, form: 'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=x' },
  ],
  [
    'token: no device code',
    { to: 'token', as: web, form: 'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code' },
  ],
  ['revoke: no token', { to: 'revoke', as: web, form: 'token_type_hint=access_token' }],
  ['revoke: unknown token', { to: 'revoke', as: web, form: 'token=x' }],
  ['revoke: no client', { to: 'revoke', form: 'token=x' }, reasons.noClient],
  ['revoke: wrong secret', { to: 'revoke', as: ['web', 'x'], form: 'token=x' }],
  ['introspect: no token', { to: 'introspect', as: web, form: 'a=b' }],
  ['introspect: unknown token', { to: 'introspect', as: web, form: 'token=x' }],
  ['introspect: no client', { to: 'introspect', form: 'token=x' }, reasons.noClient],
  ['introspect: wrong secret', { to: 'introspect', as: ['web', 'x'], form: 'token=x' }],
  ['userinfo: no token', { to: 'userinfo', method: 'GET' }, reasons.noToken],
  ['userinfo: unknown token', { to: 'userinfo', method: 'GET', bearer: 'x' }],
  ['userinfo: token twice', { to: 'userinfo', bearer: 'x', form: 'access_token=x' }],
  ['par: a good request', { to: 'par', as: web, form: good }],
  ['par: no client', { to: 'par', form: good }, reasons.noClient],
  ['par: wrong secret', { to: 'par', as: ['web', 'x'], form: good }],
  ['par: another client', { to: 'par', as: web, form: good.replace('web', 'app') }],
  ['par: a reference', { to: 'par', as: web, form: `${good}&request_uri=urn%3Ax` }, reasons.reference],
  [
    'par: foreign address',
    { to: 'par', as: web, form: 'response_type=code&redirect_uri=https%3A%2F%2Fevil.example%2F' },
  ],
  ['par: unknown response type', { to: 'par', as: web, form: good.replace('=code', '=magic') }],
  [
    'authorize: an unknown reference',
    { to: 'authorize', query: 'client_id=web&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Ax' },
    reasons.address,
  ],
  ['device: a good request', { to: 'device', as: web, form: 'scope=openid' }],
  ['device: no client', { to: 'device', form: 'scope=openid' }, reasons.noClient],
  ['device: wrong secret', { to: 'device', as: ['web', 'x'], form: 'scope=openid' }],
  ['device: a client without the grant', { to: 'device', as: app, form: 'scope=openid' }, reasons.grant],
  [
    'logout: foreign address',
    { to: 'logout', method: 'GET', query: 'client_id=web&post_logout_redirect_uri=https%3A%2F%2Fevil.example%2F' },
    reasons.errorPage,
  ],
  ['logout: a hint that nobody signed', { to: 'logout', method: 'GET', query: 'id_token_hint=x' }, reasons.errorPage],
];

let ours: TestIdentity;
let peer: Server;
let origin: string;

before(async () => {
  const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
  const grants = ['authorization_code', 'implicit', 'refresh_token', deviceGrant];
  ours = await startTestIdentity();
  await ours.client('web', { grantTypes: grants, redirectUris: [callback] });
  await ours.client('app');
  await ours.client('open', { isPublic: true, grantTypes: ['authorization_code'], redirectUris: [callback] });
  const types = { response_types: ['code', 'id_token'], redirect_uris: [callback] };
  const provider = new Provider('http://localhost', {
    clients: [
      { client_id: 'web', client_secret: 'secret-web', grant_types: grants, ...types },
      {
        client_id: 'app',
        client_secret: 'secret-app',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
      },
      {
        client_id: 'open',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        ...types,
        response_types: ['code'],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      deviceFlow: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      requestObjects: { enabled: true },
      devInteractions: { enabled: false },
    },
    responseTypes: ['code', 'id_token', 'code id_token', 'none'],
    pkce: {
      required: (_context: unknown, client: { clientAuthMethod?: string }) => client.clientAuthMethod === 'none',
    },
  });
  peer = provider.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  origin = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
});
after(async () => {
  peer?.close();
  await ours?.[Symbol.asyncDispose]();
});

function requestOf({ method, as, bearer, form }: Sent): { method: string; headers: [string, string][] } {
  const headers: [string, string][] = [];
  if (as) headers.push(['Authorization', `Basic ${Buffer.from(as.join(':')).toString('base64')}`]);
  if (bearer !== undefined) headers.push(['Authorization', `Bearer ${bearer}`]);
  if (form !== undefined) headers.push(['Content-Type', 'application/x-www-form-urlencoded']);
  return { method: method ?? (form === undefined ? 'GET' : 'POST'), headers };
}

function outcomeOf(answer: { status: number; headers: Headers; text: string }): Outcome {
  const location = answer.headers.get('Location');
  const target = location === null ? undefined : new URL(location, 'https://localhost:9443');
  const told = new URLSearchParams(target?.search === '' ? target.hash.slice(1) : target?.search);
  const isJson = (answer.headers.get('Content-Type') ?? '').startsWith('application/json');
  const json = isJson && answer.text !== '' ? (JSON.parse(answer.text) as { error?: string }) : {};
  return {
    // Both ways of sending a browser elsewhere do the same after a GET.
    status: answer.status === 303 ? 302 : answer.status,
    error: told.get('error') ?? json.error,
    to: target && `${target.origin}${target.pathname}`,
    state: told.get('state') ?? undefined,
    challenge: answer.headers.get('WWW-Authenticate')?.split(' ')[0],
  };
}

async function askOurs(sent: Sent): Promise<Outcome> {
  const { method, headers } = requestOf(sent);
  const target = `${paths[sent.to].ours}${sent.query === undefined ? '' : `?${sent.query}`}`;
  const body = sent.form === undefined ? {} : { body: sent.form };
  const answer = await ours.call(target, { method, headers: headers.flat(), ...body });
  const fields = new Headers();
  for (let index = 0; index < answer.headers.length; index += 2) {
    fields.append(answer.headers[index] ?? '', answer.headers[index + 1] ?? '');
  }
  return outcomeOf({ status: answer.status, headers: fields, text: answer.text });
}

async function askTheirs(sent: Sent): Promise<Outcome> {
  const { method, headers } = requestOf(sent);
  const url = `${origin}${paths[sent.to].theirs}${sent.query === undefined ? '' : `?${sent.query}`}`;
  const body = sent.form === undefined ? {} : { body: sent.form };
  const answer = await fetch(url, { method, headers, redirect: 'manual', ...body });
  return outcomeOf({ status: answer.status, headers: answer.headers, text: await answer.text() });
}

for (const [name, sent, differs] of rows) {
  test(`${name}${differs === undefined ? '' : ` (differs: ${differs})`}`, async () => {
    const [mine, theirs] = [await askOurs(sent), await askTheirs(sent)];
    if (differs === undefined) assert.deepEqual(mine, theirs);
    else assert.notDeepEqual(mine, theirs, 'the explanation is not needed any more');
  });
}
