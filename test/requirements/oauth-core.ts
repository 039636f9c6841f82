import assert from 'node:assert/strict';
import { authorizeUrl, callback, createTestBrowser, signedIn } from '../../src/identity/test-browser.ts';
import { basic, headerOf, type TestAnswer } from '../../src/identity/test-identity.ts';
import { agreed, errorOf, redeem, refresh, tokensOf, type Given, type Requirement } from './flows.ts';

/** OAuth 2.0 and its bearer tokens. */
export const oauthCore: readonly Requirement[] = [
  [
    'RFC 6749 3.1: unknown parameters are ignored, empty ones are absent, repeated ones are refused',
    async (server) => {
      assert.ok((await agreed(server, { extra: 'x', nonce: '', max_age: '' }))['code']);
      const browser = createTestBrowser(server);
      await browser.open(`${authorizeUrl({})}&state=1&state=2`);
      assert.equal(browser.returned()['error'], 'invalid_request');
    },
  ],
  [
    'RFC 6749 3.1.2: the query of a redirection endpoint is kept',
    async (server) => {
      const uri = 'https://rp.example/cb?tenant=1';
      await server.client('query', { grantTypes: ['authorization_code'], redirectUris: [uri] });
      const { tenant, code } = await agreed(server, { client_id: 'query', redirect_uri: uri });
      assert.deepEqual([tenant, typeof code], ['1', 'string']);
    },
  ],
  [
    'RFC 6749 3.1.2.4: a wrong redirection URI is never followed',
    async (server) => {
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ redirect_uri: 'https://evil.example/', response_type: 'nonsense' }));
      assert.equal(browser.away, undefined);
    },
  ],
  [
    'RFC 6749 3.2: the token endpoint takes POST alone',
    async (server) => assert.equal((await server.call('/oauth2/token')).status, 405),
  ],
  [
    'RFC 6749 4.1.2: state comes back as it was; a code lives at most ten minutes',
    async (server) => {
      const state = 'ä +%&=#"\'<>';
      const { code = '', state: returned } = await agreed(server, { state });
      assert.equal(returned, state);
      server.clock.advance(600_000);
      assert.equal((await redeem(server, { code })).json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 6749 4.1.3: a code is bound to the redirect_uri of its request',
    async (server) => {
      const { code = '' } = await agreed(server);
      const answer = await server.call('/oauth2/token', {
        headers: basic('web'),
        form: { grant_type: 'authorization_code', code },
      });
      assert.equal(answer.json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 6749 4.2.2: the implicit grant gives no refresh token',
    async (server) => assert.equal((await agreed(server, { response_type: 'token' }))['refresh_token'], undefined),
  ],
  [
    'RFC 6749 5.1: tokens are not cached',
    async (server) => {
      const { code = '' } = await agreed(server);
      const answer = await redeem(server, { code });
      assert.deepEqual([headerOf(answer, 'Cache-Control'), headerOf(answer, 'Pragma')], ['no-store', 'no-cache']);
    },
  ],
  [
    'RFC 6749 5.2: who fails by the header gets 401 with a challenge',
    async (server) => {
      const answer = await server.call('/oauth2/token', { headers: basic('web', 'x'), form: { grant_type: 'x' } });
      assert.equal(answer.status, 401);
      assert.match(headerOf(answer, 'WWW-Authenticate') ?? '', /^Basic/);
    },
  ],
  [
    'RFC 6749 6: a refresh may narrow the scope and not widen it',
    async (server) => {
      const first = await tokensOf(server, { scope: 'openid email' });
      assert.equal(
        (await refresh(server, first['refresh_token'], { scope: 'openid phone' })).json()['error'],
        'invalid_scope',
      );
      const narrow = (await refresh(server, first['refresh_token'], { scope: 'openid' })).json();
      assert.equal(narrow['scope'], 'openid');
    },
  ],
  [
    'RFC 6750 3: no error without credentials; invalid_token and insufficient_scope otherwise',
    async (server) => {
      const ask = (headers: readonly string[]): Promise<TestAnswer> =>
        server.call('/oauth2/userinfo', { headers: [...headers] });
      const bare = await ask([]);
      assert.deepEqual([bare.status, headerOf(bare, 'WWW-Authenticate')], [401, 'Bearer realm="millrace"']);
      assert.match(headerOf(await ask(['Authorization', 'Bearer x']), 'WWW-Authenticate') ?? '', /invalid_token/);
      const { access_token: token } = await tokensOf(server, { scope: 'other' });
      const poor = await ask(['Authorization', `Bearer ${String(token)}`]);
      assert.equal(poor.status, 403);
      assert.match(headerOf(poor, 'WWW-Authenticate') ?? '', /insufficient_scope/);
    },
  ],
  [
    'RFC 6749 2.3: a client may not authenticate in two ways at once',
    async (server) => {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'web', client_secret: 'secret-web' };
      const answer = await server.call('/oauth2/token', { headers: basic('web'), form });
      assert.deepEqual([answer.status, answer.json()['error']], [400, 'invalid_request']);
    },
  ],
  [
    'RFC 6749 2.3.1: id and secret in the header are form-encoded',
    async (server) => {
      await server.client('a:b c+d', { grantTypes: ['client_credentials'] });
      const encode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');
      const headers = basic(encode('a:b c+d'), encode('secret-a:b c+d'));
      const answer = await server.call('/oauth2/token', { headers, form: { grant_type: 'client_credentials' } });
      assert.equal(answer.status, 200, answer.text);
    },
  ],
  [
    'RFC 6749 2.3.1: credentials do not stand in the address',
    async (server) => {
      const form = { grant_type: 'client_credentials' };
      const answer = await server.call('/oauth2/token?client_id=web&client_secret=secret-web', { form });
      assert.deepEqual([answer.status, answer.json()['error']], [400, 'invalid_request']);
    },
  ],
  [
    'RFC 6749 3.1.1: a response type that is missing or unknown goes back as an error',
    async (server) => {
      assert.equal(await errorOf(server, { response_type: '' }), 'invalid_request');
      assert.equal(await errorOf(server, { response_type: 'nonsense' }), 'unsupported_response_type');
    },
  ],
  [
    'RFC 6749 3.1.2: a redirection endpoint is an absolute address without a fragment',
    async (server) => {
      for (const uri of ['/cb', 'https://rp.example/cb#part']) {
        const browser = createTestBrowser(server);
        await browser.open(authorizeUrl({ redirect_uri: uri }));
        assert.equal(browser.away, undefined, uri);
      }
    },
  ],
  [
    'RFC 6749 3.1.2.3: of several registered addresses the request names one, exactly',
    async (server) => {
      const uris = ['https://rp.example/one', 'https://rp.example/two'];
      await server.client('many', { grantTypes: ['authorization_code'], redirectUris: uris });
      const away = async (given: Given): Promise<boolean> => {
        const browser = createTestBrowser(server);
        await browser.open(authorizeUrl({ client_id: 'many', prompt: 'none', ...given }));
        return browser.away !== undefined;
      };
      assert.equal(await away({ redirect_uri: 'https://rp.example/two' }), true);
      assert.equal(await away({ redirect_uri: 'https://rp.example/two/' }), false);
      assert.equal(await away({ redirect_uri: '' }), false);
    },
  ],
  [
    'RFC 6749 3.2: parameters that come twice are refused, unknown ones ignored',
    async (server) => {
      await server.client('app');
      const body = (text: string): Promise<TestAnswer> => {
        const headers = [...basic('app'), 'Content-Type', 'application/x-www-form-urlencoded'];
        return server.call('/oauth2/token', { method: 'POST', headers, body: text });
      };
      const twice = await body('grant_type=client_credentials&scope=a&scope=a');
      assert.deepEqual([twice.status, twice.json()['error']], [400, 'invalid_request']);
      assert.equal((await body('grant_type=client_credentials&extra=1&other=')).status, 200);
    },
  ],
  [
    'RFC 6749 3.2.1: a client that has a secret authenticates',
    async (server) => {
      const { code = '' } = await agreed(server);
      const form = { grant_type: 'authorization_code', redirect_uri: callback, client_id: 'web', code };
      const answer = await server.call('/oauth2/token', { form });
      assert.deepEqual([answer.status, answer.json()['error']], [401, 'invalid_client']);
    },
  ],
  [
    'RFC 6749 3.3: a scope that has other characters than a scope may have is refused',
    async (server) => {
      await server.client('app');
      const form = { grant_type: 'client_credentials', scope: 'a"b' };
      assert.equal(
        (await server.call('/oauth2/token', { headers: basic('app'), form })).json()['error'],
        'invalid_scope',
      );
    },
  ],
  [
    'RFC 6749 3.3, 5.1: the answer names the scope that was granted',
    async (server) => {
      await server.client('app');
      const form = { grant_type: 'client_credentials', scope: 'b a b openid' };
      const answer = await server.call('/oauth2/token', { headers: basic('app'), form });
      assert.equal(answer.json()['scope'], 'b a');
    },
  ],
  [
    'RFC 6749 4.1.2: a code is used once, and using it again ends what it gave',
    async (server) => {
      const { code = '' } = await agreed(server);
      const tokens = (await redeem(server, { code })).json();
      assert.equal((await redeem(server, { code })).json()['error'], 'invalid_grant');
      const headers = ['Authorization', `Bearer ${String(tokens['access_token'])}`];
      assert.equal((await server.call('/oauth2/userinfo', { headers })).status, 401);
    },
  ],
  [
    'RFC 6749 4.1.2.1: an unknown client gets no redirect, a user who refuses gives access_denied with the state',
    async (server) => {
      const unknown = createTestBrowser(server);
      await unknown.open(authorizeUrl({ client_id: 'nobody' }));
      assert.equal(unknown.away, undefined);
      const browser = await signedIn(server, { scope: 'openid', state: 's' });
      await browser.submit({ consent: 'deny' });
      const { error, state } = browser.returned();
      assert.deepEqual([error, state], ['access_denied', 's']);
    },
  ],
  [
    'RFC 6749 4.1.3: a code is bound to its client',
    async (server) => {
      await server.client('other', { grantTypes: ['authorization_code'], redirectUris: [callback] });
      const { code = '' } = await agreed(server);
      const form = { grant_type: 'authorization_code', redirect_uri: callback, code };
      const answer = await server.call('/oauth2/token', { headers: basic('other'), form });
      assert.equal(answer.json()['error'], 'invalid_grant');
    },
  ],
  [
    'RFC 6749 4.2.2, 4.2.2.1: tokens and errors of the implicit grant stand in the fragment',
    async (server) => {
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ response_type: 'token', prompt: 'none', scope: 'openid' }));
      assert.deepEqual([browser.away?.search, browser.returned()['error']], ['', 'login_required']);
      const given = await signedIn(server, { response_type: 'token', scope: 'openid' });
      await given.submit({ consent: 'approve' });
      assert.equal(given.away?.search, '');
      assert.ok(given.returned()['access_token']);
    },
  ],
  [
    'RFC 6749 4.4: client credentials are for confidential clients, and give no refresh token',
    async (server) => {
      await server.client('open', { isPublic: true, grantTypes: ['client_credentials'] });
      await server.client('app', { grantTypes: ['client_credentials', 'refresh_token'] });
      const grant = { grant_type: 'client_credentials' };
      const refused = await server.call('/oauth2/token', { form: { ...grant, client_id: 'open' } });
      assert.equal(refused.json()['error'], 'unauthorized_client');
      const given = (await server.call('/oauth2/token', { headers: basic('app'), form: grant })).json();
      assert.deepEqual([typeof given['access_token'], given['refresh_token']], ['string', undefined]);
    },
  ],
  [
    'RFC 6749 5.1: the answer is JSON with token, type and seconds',
    async (server) => {
      const { code = '' } = await agreed(server);
      const answer = await redeem(server, { code });
      const { access_token: token, token_type: type, expires_in: seconds } = answer.json();
      assert.match(headerOf(answer, 'Content-Type') ?? '', /^application\/json/);
      assert.deepEqual([typeof token, type, seconds], ['string', 'Bearer', 3600]);
    },
  ],
  [
    'RFC 6749 5.2: every failure has its code',
    async (server) => {
      await server.client('app');
      const ask = async (form: Given, id = 'web'): Promise<unknown> =>
        (await server.call('/oauth2/token', { headers: basic(id), form })).json()['error'];
      assert.equal(await ask({}), 'invalid_request');
      assert.equal(await ask({ grant_type: 'urn:unknown' }), 'unsupported_grant_type');
      assert.equal(await ask({ grant_type: 'refresh_token' }, 'app'), 'unauthorized_client');
      assert.equal(await ask({ grant_type: 'refresh_token' }), 'invalid_request');
      assert.equal(await ask({ grant_type: 'refresh_token', refresh_token: 'x' }), 'invalid_grant');
      assert.equal(await ask({ grant_type: 'client_credentials' }, 'nobody'), 'invalid_client');
    },
  ],
  [
    'RFC 6749 6: a refresh token is bound to its client',
    async (server) => {
      await server.client('other', { grantTypes: ['refresh_token'] });
      const { refresh_token: token } = await tokensOf(server);
      const form = { grant_type: 'refresh_token', refresh_token: String(token) };
      const answer = await server.call('/oauth2/token', { headers: basic('other'), form });
      assert.equal(answer.json()['error'], 'invalid_grant');
      assert.equal((await refresh(server, token)).status, 200, 'and is still good for its own');
    },
  ],
  [
    'RFC 6750 2: one way of sending the token at a time, never in the address',
    async (server) => {
      const { access_token: token } = await tokensOf(server);
      const value = String(token);
      const header = ['Authorization', `Bearer ${value}`];
      const both = await server.call('/oauth2/userinfo', { headers: header, form: { access_token: value } });
      assert.equal(both.status, 400);
      assert.equal((await server.call('/oauth2/userinfo', { form: { access_token: value } })).status, 200);
      assert.notEqual((await server.call(`/oauth2/userinfo?access_token=${value}`)).status, 200);
    },
  ],
  [
    'RFC 6750 2.1: the name of the scheme is written as one likes',
    async (server) => {
      const { access_token: token } = await tokensOf(server);
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        const headers = ['Authorization', `${scheme} ${String(token)}`];
        assert.equal((await server.call('/oauth2/userinfo', { headers })).status, 200, scheme);
      }
    },
  ],
];
