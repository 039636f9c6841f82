import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { attribute, authorizeUrl, callback, createTestBrowser, prepare, signedIn } from '../test-browser.ts';
import { basic, headerOf, startTestIdentity } from '../test-identity.ts';

const issuer = 'https://localhost:9443/oauth2/token';

test('the code flow: login, consent, code, tokens', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl({ scope: 'openid email', state: 'a b&c', nonce: 'n-1' }));
  assert.match(browser.place, /^\/authenticationendpoint\/login\.do\?sessionDataKey=/);
  await browser.submit({ username: 'ada', password: 'wrong' });
  assert.match(browser.answer.text, /The user name or the password is not right/);
  await browser.submit({ username: 'ada', password: 'right' });
  assert.match(browser.place, /^\/authenticationendpoint\/oauth2_consent\.do\?/);
  assert.match(browser.answer.text, /See your e-mail address/);
  await browser.submit({ consent: 'approve' });
  assert.equal(browser.answer.status, 303);
  assert.equal(browser.away?.origin + (browser.away?.pathname ?? ''), callback);
  const { code, state, iss, session_state: sessionState } = browser.returned();
  assert.equal(state, 'a b&c');
  assert.equal(iss, issuer);
  const [hash = '', salt = ''] = (sessionState ?? '').split('.');
  const expected = createHash('sha256').update(`web https://rp.example ${browser.cookies.get('opbs')} ${salt}`);
  assert.equal(hash, expected.digest('hex'));
  const answer = await server.call('/oauth2/token', {
    headers: basic('web'),
    form: { grant_type: 'authorization_code', code: code ?? '', redirect_uri: callback },
  });
  assert.equal(answer.status, 200, answer.text);
  const claims = decodeJwt(String(answer.json()['id_token']));
  assert.equal(claims['nonce'], 'n-1');
  assert.equal(claims.sub, 'id-carbon.super-ada');
  assert.equal(claims['auth_time'], Math.floor(server.clock.now() / 1000));
  assert.ok(claims['sid']);
});

test('a signed-in browser is asked for consent alone, and for nothing once the user wants not to be asked', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  const browser = await signedIn(server);
  await browser.submit({ consent: 'approve' });
  await browser.open(authorizeUrl({ scope: 'openid' }));
  assert.match(browser.place, /oauth2_consent/);
  await browser.submit({ consent: 'approve', hasApprovedAlways: 'on' });
  await browser.open(authorizeUrl({ scope: 'openid' }));
  assert.ok(browser.returned()['code']);
  await browser.open(authorizeUrl({ scope: 'openid email' }));
  assert.match(browser.place, /oauth2_consent/, 'another scope is asked for');
  await browser.open(authorizeUrl({ scope: 'openid', prompt: 'consent' }));
  assert.match(browser.place, /oauth2_consent/, 'prompt=consent asks again');
});

test('every response type gives what it names, and its hashes', async (context) => {
  await using server = await startTestIdentity();
  await prepare(server);
  const half = (value: string | undefined): string =>
    createHash('sha256')
      .update(value ?? '')
      .digest()
      .subarray(0, 16)
      .toString('base64url');
  const rows: readonly (readonly [type: string, expected: readonly string[]])[] = [
    ['code', ['code']],
    ['token', ['access_token', 'expires_in', 'token_type']],
    ['id_token', ['id_token']],
    ['id_token token', ['access_token', 'expires_in', 'id_token', 'token_type']],
    ['code token', ['access_token', 'code', 'expires_in', 'token_type']],
    ['code id_token', ['code', 'id_token']],
    ['token code id_token', ['access_token', 'code', 'expires_in', 'id_token', 'token_type']],
    ['none', []],
  ];
  for (const [type, expected] of rows) {
    await context.test(type, async () => {
      const browser = await signedIn(server, { scope: 'openid', response_type: type, nonce: 'n', state: 's' });
      await browser.submit({ consent: 'approve' });
      const { iss, state, session_state: sessionState, ...rest } = browser.returned();
      assert.deepEqual(Object.keys(rest).sort(), expected);
      assert.deepEqual([iss, state, sessionState === undefined], [issuer, 's', false]);
      assert.equal(browser.away?.hash === '', ['code', 'none'].includes(type), 'tokens come in the fragment');
      if (rest['id_token'] === undefined) return;
      const claims = decodeJwt(rest['id_token']);
      assert.equal(claims['nonce'], 'n');
      assert.equal(claims['c_hash'], rest['code'] && half(rest['code']));
      assert.equal(claims['at_hash'], rest['access_token'] && half(rest['access_token']));
    });
  }
});

test('every response mode carries the answer', async (context) => {
  await using server = await startTestIdentity();
  await prepare(server);
  for (const mode of ['query', 'fragment', 'form_post', 'jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt']) {
    await context.test(mode, async () => {
      const browser = await signedIn(server, { scope: 'openid', response_mode: mode, state: 's' });
      await browser.submit({ consent: 'approve' });
      let fields: Readonly<Record<string, unknown>>;
      if (mode.startsWith('form_post')) {
        const { text, headers } = browser.answer;
        assert.match(text, new RegExp(`<form method="post" action="${callback}">`));
        assert.match(headers.join('\n'), /form-action 'self' https:\/\/rp\.example/);
        assert.equal(headerOf(browser.answer, 'Cache-Control'), 'no-store');
        const inputs = text.match(/<input\s[^>]*>/g) ?? [];
        fields = Object.fromEntries(inputs.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')]));
      } else {
        fields = browser.returned();
        assert.equal(browser.away?.hash !== '', mode.startsWith('fragment'));
      }
      if (mode.endsWith('jwt')) {
        const claims = decodeJwt(String(fields['response']));
        assert.equal(claims.aud, 'web');
        assert.equal(claims.exp, Math.floor(server.clock.now() / 1000) + 600);
        fields = claims;
      }
      assert.deepEqual([fields['iss'], fields['state'], typeof fields['code']], [issuer, 's', 'string']);
    });
  }
});
