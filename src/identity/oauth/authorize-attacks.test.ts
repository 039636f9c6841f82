import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHash } from 'node:crypto';
import { authorizeUrl, callback, createTestBrowser, prepare, signedIn } from '../test-browser.ts';
import { basic, headerOf, startTestIdentity, type TestIdentity } from '../test-identity.ts';

const verifier = 'v'.repeat(50);
const challenge = createHash('sha256').update(verifier).digest('base64url');

async function start(toml = ''): Promise<TestIdentity> {
  const server = await startTestIdentity({ toml });
  await prepare(server);
  return server;
}

async function codeOf(server: TestIdentity, parameters: Readonly<Record<string, string>> = {}): Promise<string> {
  const browser = await signedIn(server, { scope: 'openid', ...parameters });
  await browser.submit({ consent: 'approve' });
  return browser.returned()['code'] ?? '';
}

async function redeem(server: TestIdentity, form: Readonly<Record<string, string>>, id = 'web') {
  const all = { grant_type: 'authorization_code', redirect_uri: callback, ...form };
  return (await server.call('/oauth2/token', { headers: basic(id), form: all })).json();
}

test('I9: a code that comes twice ends the tokens that it gave', async () => {
  await using server = await start();
  const code = await codeOf(server);
  const first = await redeem(server, { code });
  assert.equal((await redeem(server, { code }))['error'], 'invalid_grant');
  const headers = ['Authorization', `Bearer ${String(first['access_token'])}`];
  assert.equal((await server.call('/oauth2/userinfo', { headers })).status, 401);
});

test('I9: PKCE cannot be taken out, put in or changed on the way', async (context) => {
  await using server = await start();
  const sent = { code_challenge: challenge, code_challenge_method: 'S256' };
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, Readonly<Record<string, string>>])[] = [
    ['no verifier', sent, {}],
    ['wrong verifier', sent, { code_verifier: 'w'.repeat(50) }],
    ['the challenge as verifier', sent, { code_verifier: challenge }],
    ['a verifier without a challenge', {}, { code_verifier: verifier }],
  ];
  for (const [name, request, form] of rows) {
    await context.test(name, async () => {
      const code = await codeOf(server, request);
      assert.equal((await redeem(server, { code, ...form }))['error'], 'invalid_grant');
      assert.equal((await redeem(server, { code, code_verifier: verifier }))['error'], 'invalid_grant', 'it is burnt');
    });
  }
});

test('I9: a code is good for its own client and address alone', async () => {
  await using server = await start();
  await server.client('other', { grantTypes: ['authorization_code'], redirectUris: [callback] });
  assert.equal((await redeem(server, { code: await codeOf(server) }, 'other'))['error'], 'invalid_grant');
  const moved = await redeem(server, { code: await codeOf(server), redirect_uri: 'https://rp.example/other' });
  assert.equal(moved['error'], 'invalid_grant');
});

test('I9: two who redeem a code at the same moment: one succeeds', async () => {
  await using server = await start();
  const code = await codeOf(server);
  const answers = await Promise.all([redeem(server, { code }), redeem(server, { code }), redeem(server, { code })]);
  assert.equal(answers.filter((answer) => answer['access_token'] !== undefined).length, 1);
});

test('I9: forms of other sites and of other pages are refused', async (context) => {
  await using server = await start();
  const form = { username: 'ada', password: 'right' };
  await context.test('login without the token', async () => {
    const browser = createTestBrowser(server);
    await browser.open(authorizeUrl({}));
    await browser.submit({ ...form, formToken: '' });
    assert.equal(browser.answer.status, 400);
    assert.equal(browser.cookies.has('commonAuthId'), false);
  });
  await context.test('login with the key of another browser', async () => {
    const browser = createTestBrowser(server);
    await browser.open(authorizeUrl({}));
    const key = new URLSearchParams(browser.place.split('?')[1]).get('sessionDataKey') ?? '';
    const victim = createTestBrowser(server);
    await victim.open(authorizeUrl({}));
    await victim.submit({ ...form, sessionDataKey: key });
    assert.equal(victim.answer.status, 400);
    await victim.open(`/authenticationendpoint/login.do?sessionDataKey=${key}`);
    assert.match(victim.answer.text, /This page has ended/);
  });
  await context.test('consent without the token, with that of the login, without the cookie', async () => {
    for (const change of ['none', 'login', 'cookie']) {
      const browser = createTestBrowser(server);
      await browser.open(authorizeUrl({ scope: 'openid' }));
      const loginToken = /name="formToken" value="([^"]*)"/.exec(browser.answer.text)?.[1] ?? '';
      await browser.submit(form);
      if (change === 'cookie') browser.dropCookie('__Host-mrBrowser');
      const formToken = change === 'none' ? { formToken: '' } : change === 'login' ? { formToken: loginToken } : {};
      await browser.submit({ consent: 'approve', ...formToken });
      assert.equal(browser.answer.status, 400, change);
    }
  });
  await context.test('a consent that was given comes again', async () => {
    const browser = await signedIn(server);
    const fields = Object.fromEntries(
      [...browser.answer.text.matchAll(/name="(\w+)" value="([\w-]+)" \/>/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    await browser.submit({ consent: 'approve' });
    await browser.post('/oauth2/authorize', { ...fields, consent: 'approve' });
    assert.equal(browser.answer.status, 400);
  });
  await context.test('consent after another user signed in', async () => {
    server.users.add({ name: 'eve', password: 'eve' });
    const browser = await signedIn(server);
    const [page] = [browser.answer];
    await browser.open(authorizeUrl({ prompt: 'login' }));
    await browser.submit({ username: 'eve', password: 'eve' });
    const fields = Object.fromEntries(
      [...page.text.matchAll(/name="(\w+)" value="([\w-]+)" \/>/g)].map(([, name = '', value = '']) => [name, value]),
    );
    await browser.post('/oauth2/authorize', { ...fields, consent: 'approve' });
    assert.equal(browser.answer.status, 400);
  });
});

test('I9: a session is another one after signing in, and is kept as a hash', async () => {
  await using server = await start();
  const browser = createTestBrowser(server);
  browser.setCookie('commonAuthId', 'planted');
  await browser.open(authorizeUrl({ scope: 'openid' }));
  await browser.submit({ username: 'ada', password: 'right' });
  const secret = browser.cookies.get('commonAuthId') ?? '';
  assert.match(secret, /^[\w-]{43}$/);
  const rows = JSON.stringify(await server.database.all('SELECT * FROM mr_session', []));
  assert.equal(rows.includes(secret), false);
  assert.ok(rows.includes(createHash('sha256').update(secret).digest('hex')));
});

test('I9, I16: pages cannot be framed, tell no other site where they were, and are kept nowhere', async () => {
  await using server = await start();
  const browser = createTestBrowser(server);
  const pages = [authorizeUrl({}), '/authenticationendpoint/device.do', '/oidc/logout', '/oauth2/authorize'];
  for (const page of pages) {
    await browser.open(page);
    const { headers } = browser.answer;
    assert.match(headerOf(browser.answer, 'Content-Security-Policy') ?? '', /frame-ancestors 'none'/, page);
    assert.match(headerOf(browser.answer, 'Content-Security-Policy') ?? '', /default-src 'none'/, page);
    assert.equal(headerOf(browser.answer, 'X-Frame-Options'), 'DENY');
    assert.equal(headerOf(browser.answer, 'Referrer-Policy'), 'no-referrer');
    assert.equal(headerOf(browser.answer, 'Cache-Control'), 'no-store');
    assert.doesNotMatch(browser.answer.text, /(?:src|href)="https?:/);
    assert.equal(headers.includes('Server'), false);
  }
});

test('I9: an error page shows nothing of its address but a known code', async () => {
  await using server = await start();
  const lie = 'Call+0900+and+tell+your+password';
  const answer = await server.call(
    `/authenticationendpoint/oauth2_error.do?oauthErrorCode=${lie}&oauthErrorMsg=${lie}`,
  );
  assert.doesNotMatch(answer.text, /0900/);
});

test('I17: an unknown name, a wrong password and a blocked user look the same', async () => {
  await using server = await start();
  server.users.block(server.users.add({ name: 'carl', password: 'right' }));
  const pages: string[] = [];
  for (const [username, password] of [
    ['nobody', 'x'],
    ['ada', 'wrong'],
    ['carl', 'right'],
  ] as const) {
    const browser = createTestBrowser(server);
    await browser.open(authorizeUrl({}));
    await browser.submit({ username, password });
    assert.equal(browser.answer.status, 200);
    pages.push(browser.answer.text.replaceAll(/value="[^"]*"/g, ''));
  }
  assert.equal(new Set(pages).size, 1);
});

test('R19: guessing a password gets slower, for known and unknown names alike', async (context) => {
  for (const name of ['ada', 'nobody']) {
    await context.test(name, async () => {
      await using server = await start();
      const attempt = async (password: string): Promise<[status: number, after: string | undefined]> => {
        const browser = createTestBrowser(server);
        await browser.open(authorizeUrl({}));
        await browser.submit({ username: name, password });
        return [browser.answer.status, headerOf(browser.answer, 'Retry-After')];
      };
      for (let count = 0; count < 3; count++) assert.equal((await attempt('wrong'))[0], 200);
      assert.deepEqual(await attempt('right'), [429, '1']);
      server.clock.advance(1000);
      assert.equal((await attempt('wrong'))[0], 200);
      assert.deepEqual(await attempt('wrong'), [429, '2']);
      server.clock.advance(2000);
      await attempt('wrong');
      assert.deepEqual(await attempt('wrong'), [429, '4']);
      for (let count = 0; count < 20; count++) {
        server.clock.advance(60_000);
        await attempt('wrong');
      }
      assert.deepEqual(await attempt('wrong'), [429, '60'], 'never longer than a minute');
    });
  }
});

test('R19: an address that tries one password with many names gets slower, too', async () => {
  await using server = await start();
  const statuses: number[] = [];
  for (let count = 0; count < 22; count++) {
    const browser = createTestBrowser(server);
    await browser.open(authorizeUrl({}));
    await browser.submit({ username: `user${count}`, password: 'summer' });
    statuses.push(browser.answer.status);
  }
  assert.deepEqual([statuses.indexOf(429), statuses.filter((status) => status === 429).length], [20, 2]);
});

test('I9: guessing a user code gets slower', async () => {
  await using server = await start();
  const browser = createTestBrowser(server);
  const statuses: number[] = [];
  for (let count = 0; count < 7; count++) {
    await browser.open('/authenticationendpoint/device.do');
    await browser.submit({ user_code: 'BBBBBBBB' });
    statuses.push(browser.answer.status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429]);
});

test('I8: logging out leads nowhere but to registered addresses', async () => {
  await using server = await start();
  const browser = await signedIn(server, { scope: 'openid', response_type: 'id_token', nonce: 'n' });
  await browser.submit({ consent: 'approve' });
  const hint = browser.returned()['id_token'] ?? '';
  const addresses = ['https://evil.example/', '//evil.example', 'https://rp.example/bye/../x', 'https://rp.example/cb'];
  for (const address of addresses) {
    const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: address }).toString();
    await browser.open(`/oidc/logout?${query}`);
    assert.equal(browser.away, undefined, address);
    assert.match(browser.place, /oauth2_error\.do\?oauthErrorCode=access_denied/);
  }
  await browser.open('/oidc/logout?post_logout_redirect_uri=https%3A%2F%2Frp.example%2Fbye');
  assert.match(browser.place, /oauth2_error/, 'an address without an application is nobody’s');
});

test('I10: hints are taken with our signature alone', async () => {
  await using server = await start();
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = part({ iss: 'https://localhost:9443/oauth2/token', sub: 'id-carbon.super-ada', aud: 'web' });
  for (const header of [{ alg: 'none' }, { alg: 'HS256', kid: 'x' }, { alg: 'RS256', kid: '../../key' }]) {
    const answer = await server.call(`/oidc/logout?id_token_hint=${part(header)}.${claims}.AAAA`);
    assert.match(headerOf(answer, 'Location') ?? '', /oauthErrorCode=access_denied/);
  }
});
