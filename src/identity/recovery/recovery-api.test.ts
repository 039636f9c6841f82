import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { startTestGround, type TestGround, type TestReply } from '../test-ground.ts';
import { superTenant } from '../tenants/tenant.ts';

const base = '/api/users/v1/recovery';
const username = 'http://wso2.org/claims/username';
const mail = 'http://wso2.org/claims/emailaddress';

async function withAda(): Promise<TestGround> {
  const ground = await startTestGround('[identity_mgt.password_reset_email]\nenable_password_reset_email = true');
  const claims = new Map([[mail, 'ada@example.com']]);
  await ground.administration.users.create(superTenant, { name: 'ada', password: 'forgotten', claims });
  return ground;
}

const post = (ground: TestGround, path: string, body: unknown): Promise<TestReply> =>
  ground.call(`POST ${path}`, body, '');

async function begin(ground: TestGround, claims: readonly { uri: string; value: string }[]): Promise<string> {
  const reply = await post(ground, `${base}/password/init`, { claims, properties: [] });
  assert.equal(reply.status, 200, reply.text);
  const [way] = JSON.parse(reply.text) as { channelInfo: { recoveryCode: string } }[];
  return way?.channelInfo.recoveryCode ?? '';
}

async function mailed(ground: TestGround): Promise<string> {
  // Notices leave after the answer.
  for (let turns = 0; turns < 100 && ground.notices.length === 0; turns++) await setImmediate();
  return ground.notices.at(-1)?.values.get('confirmation-code') ?? '';
}

describe('account recovery', () => {
  it('sets a password by the code that was mailed, and ends what was given to the user', async () => {
    await using ground = await withAda();
    const { users } = ground.administration;
    const recoveryCode = await begin(ground, [{ uri: mail, value: 'ada@example.com' }]);
    const sent = await post(ground, `${base}/password/recover`, { recoveryCode, channelId: '1', properties: [] });
    assert.equal(sent.status, 202, sent.text);
    const confirmationCode = await mailed(ground);
    assert.equal(ground.notices[0]?.sendTo, 'ada@example.com');
    assert.equal(sent.text.includes(confirmationCode), false);
    const rows = await ground.database.all('SELECT hash FROM mr_recovery_code');
    assert.equal(JSON.stringify(rows).includes(confirmationCode), false, 'codes are kept as hashes');
    const confirmed = await post(ground, `${base}/password/confirm`, { confirmationCode });
    const { resetCode } = confirmed.json as { resetCode: string };
    const weak = await post(ground, `${base}/password/reset`, { resetCode, password: 'x' });
    assert.equal(weak.status, 400);
    const reset = await post(ground, `${base}/password/reset`, { resetCode, password: 'remembered' });
    assert.equal(reset.status, 200, reset.text);
    assert.ok((await users.signIn(superTenant, 'ada', 'remembered')).user);
    assert.equal((await users.signIn(superTenant, 'ada', 'forgotten')).user, undefined);
  });

  it('takes each code once, for its own purpose, and for a day', async () => {
    await using ground = await withAda();
    const recoveryCode = await begin(ground, [{ uri: username, value: 'ada' }]);
    const recover = (): Promise<TestReply> =>
      post(ground, `${base}/password/recover`, { recoveryCode, channelId: '1' });
    assert.equal((await post(ground, `${base}/password/confirm`, { confirmationCode: recoveryCode })).status, 400);
    assert.equal((await recover()).status, 202);
    assert.equal((await recover()).status, 400);
    const confirmationCode = await mailed(ground);
    ground.clock.advance(25 * 60 * 60_000);
    const late = await post(ground, `${base}/password/confirm`, { confirmationCode });
    assert.deepEqual([late.status, late.json['code']], [400, 'UAR-10011']);
  });

  it('answers alike for people who are there and who are not', async () => {
    await using ground = await withAda();
    const shapes: string[] = [];
    for (const value of ['ada', 'nobody']) {
      const recoveryCode = await begin(ground, [{ uri: username, value }]);
      const sent = await post(ground, `${base}/password/recover`, { recoveryCode, channelId: '1' });
      shapes.push(sent.text.replaceAll(/"resendCode":"[^"]{43}"/g, ''), String(sent.status));
      const { resendCode } = sent.json;
      shapes.push(String((await post(ground, `${base}/password/resend`, { resendCode })).status));
    }
    assert.deepEqual(shapes.slice(0, 3), shapes.slice(3));
    await mailed(ground);
    assert.equal(
      ground.notices.every(({ user }) => user.name === 'ada'),
      true,
    );
  });

  it('sends the user name, and speaks the former API', async () => {
    await using ground = await withAda();
    const init = await post(ground, `${base}/username/init`, { claims: [{ uri: mail, value: 'ada@example.com' }] });
    const [way] = JSON.parse(init.text) as { channelInfo: { recoveryCode: string } }[];
    const { recoveryCode } = way?.channelInfo ?? {};
    assert.equal((await post(ground, `${base}/username/recover`, { recoveryCode })).status, 202);
    await mailed(ground);
    assert.equal(ground.notices[0]?.values.get('user-name'), 'ada');
    const former = '/api/identity/recovery/v0.9';
    const user = { username: 'ada', realm: 'PRIMARY', 'tenant-domain': 'carbon.super' };
    assert.equal((await post(ground, `${former}/recover-password`, { user, properties: [] })).status, 202);
    for (let turns = 0; turns < 100 && ground.notices.length < 2; turns++) await setImmediate();
    const key = await mailed(ground);
    assert.equal((await post(ground, `${former}/set-password`, { key, password: 'remembered' })).status, 200);
    assert.ok((await ground.administration.users.signIn(superTenant, 'ada', 'remembered')).user);
  });
});
