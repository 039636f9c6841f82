import assert from 'node:assert/strict';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { authorizeUrl, callback, createTestBrowser, signedIn } from '../../src/identity/test-browser.ts';
import { basic, headerOf } from '../../src/identity/test-identity.ts';
import { agreed, errorOf, redeem, refresh, tokensOf, type Given, type Requirement } from './flows.ts';

/** PKCE, signed tokens and the current best practice. */
export const oauthSecurity: readonly Requirement[] = [
  [
    'RFC 7636 4.4.1, 4.6: S256 works, and a wrong verifier is invalid_grant',
    async (server) => {
      const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
      const sent = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
      const { code = '' } = await agreed(server, sent);
      assert.equal((await redeem(server, { code, code_verifier: verifier })).status, 200);
      const other = await agreed(server, sent);
      const wrong = await redeem(server, { code: other['code'] ?? '', code_verifier: verifier.replace('d', 'e') });
      assert.equal(wrong.json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 8252 7.3: the port of a loopback address is free',
    async (server) => {
      await server.client('native', { grantTypes: ['authorization_code'], redirectUris: ['http://127.0.0.1/cb'] });
      const given = { client_id: 'native', redirect_uri: 'http://127.0.0.1:51004/cb', prompt: 'none' };
      assert.equal(await errorOf(server, given), 'login_required');
    },
  ],
  [
    'RFC 9700 2.1.1: clients without a secret need PKCE, and a verifier without a challenge is refused',
    async (server) => {
      await server.client('open', { isPublic: true, grantTypes: ['authorization_code'], redirectUris: [callback] });
      assert.equal(await errorOf(server, { client_id: 'open' }), 'invalid_request');
      const { code = '' } = await agreed(server);
      assert.equal((await redeem(server, { code, code_verifier: 'v'.repeat(50) })).json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 9700 4.12: a form is followed by 303',
    async (server) => {
      const browser = await signedIn(server);
      await browser.submit({ consent: 'approve' });
      assert.equal(browser.answer.status, 303);
    },
  ],
  [
    'RFC 9700 4.14: a refresh token that was exchanged ends its family when it comes again',
    async (server) => {
      const first = await tokensOf(server);
      const second = (await refresh(server, first['refresh_token'])).json();
      server.clock.advance(60_000);
      assert.equal((await refresh(server, first['refresh_token'])).json()['error'], 'invalid_grant');
      assert.equal((await refresh(server, second['refresh_token'])).json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 9068 2.1, 2.2: a signed access token says what it is, and what resource servers need',
    async (server) => {
      const facts = {
        grantTypes: ['authorization_code', 'implicit'],
        redirectUris: [callback],
        tokenType: 'JWT',
      } as const;
      await server.client('signed', facts);
      const { access_token: token = '' } = await agreed(server, { client_id: 'signed', response_type: 'token' });
      assert.equal(decodeProtectedHeader(token).typ, 'at+jwt');
      const claims = decodeJwt(token);
      const needed = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];
      assert.deepEqual(
        needed.filter((name) => claims[name] === undefined),
        [],
      );
    },
  ],
  [
    'RFC 7636 4.1, 4.2: a challenge that is too short, too long or of other characters is refused',
    async (server) => {
      for (const challenge of ['x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(42)}%`]) {
        const given = { code_challenge: challenge, code_challenge_method: 'S256' };
        assert.equal(await errorOf(server, given), 'invalid_request', challenge);
      }
    },
  ],
  [
    'RFC 7636 4.3: a method that is unknown is refused, and without a challenge so is a method',
    async (server) => {
      const challenge = 'x'.repeat(43);
      const given = { code_challenge: challenge, code_challenge_method: 'S512' };
      assert.equal(await errorOf(server, given), 'invalid_request');
    },
  ],
  [
    'RFC 7636 4.5, 4.6: without its verifier a code with a challenge gives nothing',
    async (server) => {
      const sent = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
      const { code = '' } = await agreed(server, sent);
      assert.notEqual((await redeem(server, { code })).status, 200);
    },
  ],
  [
    'RFC 9700 2.1: an address is compared as it is written',
    async (server) => {
      const wrong = [
        `${callback}/`,
        `${callback}?x=1`,
        callback.toUpperCase(),
        'https://rp.example:443/cb',
        'https://rp.example.evil.example/cb',
        'https://rp.example@evil.example/cb',
        'https://rp.example/cb/../cb',
      ];
      for (const uri of wrong) {
        const browser = createTestBrowser(server);
        await browser.open(authorizeUrl({ redirect_uri: uri }));
        assert.equal(browser.away, undefined, uri);
      }
    },
  ],
  [
    'RFC 9700 4.2.4: pages tell no other site where they were',
    async (server) => {
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ client_id: 'nobody' }));
      assert.equal(headerOf(browser.answer, 'Referrer-Policy'), 'no-referrer', 'the error page');
      await browser.open(authorizeUrl({}));
      assert.equal(headerOf(browser.answer, 'Referrer-Policy'), 'no-referrer');
    },
  ],
  [
    'RFC 9700 4.16: pages cannot be framed',
    async (server) => {
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({}));
      assert.match(headerOf(browser.answer, 'Content-Security-Policy') ?? '', /frame-ancestors 'none'/);
      assert.equal(headerOf(browser.answer, 'X-Frame-Options'), 'DENY');
    },
  ],
  [
    'RFC 9700 4.14.2: refresh tokens of clients without a secret change with every use',
    async (server) => {
      const facts = { isPublic: true, grantTypes: ['authorization_code', 'refresh_token'], redirectUris: [callback] };
      await server.client('open', facts);
      const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
      const { code = '' } = await agreed(server, {
        client_id: 'open',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      });
      const ask = async (form: Given): Promise<Record<string, unknown>> =>
        (await server.call('/oauth2/token', { form: { client_id: 'open', ...form } })).json();
      const grant = { grant_type: 'authorization_code', redirect_uri: callback, code, code_verifier: verifier };
      const first = await ask(grant);
      const again = { grant_type: 'refresh_token', refresh_token: String(first['refresh_token']) };
      const second = await ask(again);
      assert.notEqual(second['refresh_token'], first['refresh_token']);
      server.clock.advance(61_000);
      assert.equal((await ask(again))['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 7523 3: an assertion that nobody signed, or nobody we know, is no grant',
    async (server) => {
      const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
      await server.client('bearer', { grantTypes: [grantType] });
      const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = part({ iss: 'x', sub: 'ada', aud: 'https://localhost:9443/oauth2/token', exp: 9_999_999_999 });
      for (const assertion of [
        `${part({ alg: 'none' })}.${claims}.`,
        `${part({ alg: 'HS256' })}.${claims}.AAAA`,
        'x',
      ]) {
        const form = { grant_type: grantType, assertion };
        const answer = await server.call('/oauth2/token', { headers: basic('bearer'), form });
        assert.equal(answer.json()['error'], 'invalid_grant', assertion);
      }
    },
  ],
  [
    'RFC 8725 3.11: an ID token is no access token',
    async (server) => {
      const { id_token: token } = await tokensOf(server);
      const headers = ['Authorization', `Bearer ${String(token)}`];
      assert.equal((await server.call('/oauth2/userinfo', { headers })).status, 401);
    },
  ],
];
