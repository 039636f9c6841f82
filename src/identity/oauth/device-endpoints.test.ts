import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestBrowser, prepare } from '../test-browser.ts';
import { basic, startTestIdentity, type TestAnswer, type TestIdentity } from '../test-identity.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';

async function begin(server: TestIdentity): Promise<Record<string, unknown>> {
  const answer = await server.call('/oauth2/device_authorize', { headers: basic('web'), form: { scope: 'openid' } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json();
}

function poll(server: TestIdentity, deviceCode: unknown, id = 'web'): Promise<TestAnswer> {
  return server.call('/oauth2/token', {
    headers: basic(id),
    form: { grant_type: grant, device_code: String(deviceCode) },
  });
}

async function decide(server: TestIdentity, userCode: unknown, consent: string): Promise<string> {
  const browser = createTestBrowser(server);
  await browser.open(`/oauth2/device?user_code=${String(userCode)}`);
  await browser.submit({ user_code: String(userCode).toLowerCase() });
  await browser.submit({ username: 'ada', password: 'right' });
  await browser.submit({ consent });
  return browser.answer.text;
}

test('a device is told codes and where to enter them', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  const { device_code: deviceCode, user_code: userCode, ...rest } = await begin(server);
  assert.match(String(deviceCode), /^[0-9a-f-]{36}$/);
  assert.match(String(userCode), /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assert.deepEqual(rest, {
    verification_uri: 'https://localhost:9443/authenticationendpoint/device.do',
    verification_uri_complete: `https://localhost:9443/authenticationendpoint/device.do?user_code=${String(userCode)}`,
    expires_in: 600,
    interval: 5,
  });
  const rows = JSON.stringify(await server.database.all('SELECT * FROM mr_device_code', []));
  assert.equal(rows.includes(String(deviceCode)), false);
});

test('what a device hears while it asks (RFC 8628 3.5)', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  await server.client('other', { grantTypes: [grant] });
  const { device_code: code, user_code: userCode } = await begin(server);
  const heard = async (seconds: number): Promise<unknown> => {
    server.clock.advance(seconds * 1000);
    return (await poll(server, code)).json()['error'];
  };
  assert.equal(await heard(0), 'authorization_pending');
  assert.equal(await heard(4), 'slow_down');
  assert.equal(await heard(9), 'slow_down', 'ten seconds from then on');
  assert.equal(await heard(15), 'authorization_pending');
  assert.equal((await poll(server, code, 'other')).json()['error'], 'invalid_grant');
  assert.equal((await poll(server, 'x')).json()['error'], 'invalid_grant');
  assert.match(await decide(server, userCode, 'approve'), /Your device is connected/);
  const answers = await Promise.all([poll(server, code), poll(server, code)]);
  assert.deepEqual(answers.map(({ status }) => status === 200).filter(Boolean), [true], 'one of two gets the tokens');
  const tokens = answers.find(({ status }) => status === 200)?.json();
  assert.deepEqual([typeof tokens?.['refresh_token'], typeof tokens?.['id_token']], ['string', 'string']);
  assert.equal(await heard(20), 'expired_token');
});

test('a refusal, an end, and a code that was entered before', async () => {
  await using server = await startTestIdentity();
  await prepare(server);
  const refused = await begin(server);
  assert.match(await decide(server, refused['user_code'], 'deny'), /was not connected/);
  assert.equal((await poll(server, refused['device_code'])).json()['error'], 'access_denied');
  const browser = createTestBrowser(server);
  await browser.open('/authenticationendpoint/device.do');
  await browser.submit({ user_code: String(refused['user_code']) });
  assert.match(browser.answer.text, /This code is not known/);
  const late = await begin(server);
  server.clock.advance(600_000);
  assert.equal((await poll(server, late['device_code'])).json()['error'], 'expired_token');
  await browser.submit({ user_code: String(late['user_code']) });
  assert.match(browser.answer.text, /This code is not known/);
});

test('a device is confirmed although the user is signed in and is not asked for this application', async () => {
  await using server = await startTestIdentity({ toml: '[oauth]\nprompt_consent = false' });
  await prepare(server);
  const { user_code: userCode } = await begin(server);
  const browser = createTestBrowser(server);
  await browser.open('/authenticationendpoint/device.do');
  await browser.submit({ user_code: String(userCode) });
  await browser.submit({ username: 'ada', password: 'right' });
  assert.match(browser.answer.text, /A device that runs web/);
});

test('a client without the grant has no devices', async () => {
  await using server = await startTestIdentity();
  await server.client('app');
  const answer = await server.call('/oauth2/device_authorize', { headers: basic('app'), form: { scope: 'a' } });
  assert.deepEqual([answer.status, answer.json()['error']], [400, 'unauthorized_client']);
});
