import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { acme } from '../test-identity.ts';
import { createTestBrowser, type TestBrowser } from '../test-browser.ts';
import { startTestGround, type TestGround, type TestReply } from '../test-ground.ts';
import { superTenant } from '../tenants/tenant.ts';

const base = '/api/users/v1/recovery';
const claim = (name: string): string => `http://wso2.org/claims/${name}`;
const enabled = '[identity_mgt.password_reset_email]\nenable_password_reset_email = true';

async function withAda(toml = enabled): Promise<TestGround> {
  const ground = await startTestGround(toml);
  const claims = new Map([
    [claim('emailaddress'), 'ada@example.com'],
    [claim('mobile'), '+44 7700 900123'],
  ]);
  await ground.administration.users.create(superTenant, { name: 'ada', password: 'forgotten', claims });
  await ground.administration.users.create(superTenant, { name: 'bob', password: 'forgotten' });
  return ground;
}

interface Flow {
  readonly flowConfirmationCode: string;
  readonly resendCode: string;
}

const post = (ground: TestGround, path: string, body: unknown): Promise<TestReply> =>
  ground.call(`POST ${path}`, body, '');

async function begin(ground: TestGround, name: string, channelId = '2'): Promise<TestReply> {
  const init = await post(ground, `${base}/password/init`, { claims: [{ uri: claim('username'), value: name }] });
  const [way] = JSON.parse(init.text) as { channelInfo: { recoveryCode: string; channels: unknown } }[];
  return post(ground, `${base}/password/recover`, { recoveryCode: way?.channelInfo.recoveryCode, channelId });
}

const flowOf = (reply: TestReply): Flow => reply.json as unknown as Flow;

const confirm = (ground: TestGround, { flowConfirmationCode }: Flow, otp: string): Promise<TestReply> =>
  post(ground, `${base}/password/confirm`, { confirmationCode: flowConfirmationCode, otp });

/** The code of the last text message, once there are as many. */
async function texted(ground: TestGround, count = 1): Promise<string> {
  for (let turns = 0; turns < 200 && ground.notices.length < count; turns++) await setImmediate();
  assert.equal(ground.notices.length, count);
  return ground.notices.at(-1)?.values.get('confirmation-code') ?? '';
}

/** Waits until nothing more can leave. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await setImmediate();
}

const wrong = (code: string): string => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));

describe('recovery by text message', () => {
  it('sets a password by a code of six digits that is kept as a keyed hash', async () => {
    await using ground = await withAda();
    const reply = await begin(ground, 'ada');
    assert.deepEqual([reply.status, reply.json['notificationChannel']], [202, 'SMS']);
    const code = await texted(ground);
    assert.match(code, /^\d{6}$/);
    assert.deepEqual([ground.notices[0]?.channel, ground.notices[0]?.sendTo], ['SMS', '+44 7700 900123']);
    const rows = JSON.stringify(await ground.database.all('SELECT * FROM mr_one_time_code'));
    assert.equal(rows.includes(code) || rows.includes(flowOf(reply).flowConfirmationCode), false);
    const confirmed = await confirm(ground, flowOf(reply), code);
    assert.equal(confirmed.status, 200, confirmed.text);
    const { resetCode } = confirmed.json;
    const reset = await post(ground, `${base}/password/reset`, { resetCode, password: 'remembered' });
    assert.equal(reset.status, 200, reset.text);
    assert.ok((await ground.administration.users.signIn(superTenant, 'ada', 'remembered')).user);
  });

  it('takes a code once, and of its own flow only', async () => {
    await using ground = await withAda();
    const first = flowOf(await begin(ground, 'ada'));
    const code = await texted(ground);
    const second = flowOf(await begin(ground, 'bob'));
    assert.equal((await confirm(ground, second, code)).status, 400);
    assert.equal((await post(ground, `${base}/password/confirm`, { confirmationCode: code })).status, 400);
    assert.equal((await confirm(ground, first, code)).status, 200);
    assert.equal((await confirm(ground, first, code)).status, 400);
  });

  it('takes one of two that come at the same time', async () => {
    await using ground = await withAda();
    const flow = flowOf(await begin(ground, 'ada'));
    const code = await texted(ground);
    const replies = await Promise.all([confirm(ground, flow, code), confirm(ground, flow, code)]);
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((left, right) => left - right),
      [200, 400],
    );
  });

  it('is good for a minute', async () => {
    await using ground = await withAda();
    const flow = flowOf(await begin(ground, 'ada'));
    const code = await texted(ground);
    ground.clock.advance(60_001);
    assert.equal((await confirm(ground, flow, code)).status, 400);
  });

  it('ends with the third wrong try', async () => {
    await using ground = await withAda();
    const flow = flowOf(await begin(ground, 'ada'));
    const code = await texted(ground);
    assert.equal((await confirm(ground, flow, wrong(code))).status, 400);
    assert.equal((await confirm(ground, flow, wrong(code))).status, 400);
    assert.equal((await confirm(ground, flow, wrong(code))).status, 400);
    assert.equal((await confirm(ground, flow, code)).status, 400);
  });

  it('sends no more than five codes in a quarter of an hour, and answers as before', async () => {
    await using ground = await withAda();
    let flow = flowOf(await begin(ground, 'ada'));
    for (let count = 1; count <= 5; count++) {
      await texted(ground, count);
      const again = await post(ground, `${base}/password/resend`, { resendCode: flow.resendCode });
      assert.equal(again.status, 201, again.text);
      flow = flowOf(again);
    }
    await quiet();
    assert.equal(ground.notices.length, 5);
    ground.clock.advance(15 * 60_000 + 1);
    assert.equal((await begin(ground, 'ada')).status, 202);
    await texted(ground, 6);
  });

  it('answers alike for people with a mobile number, without one, and for nobody', async () => {
    await using ground = await withAda();
    const shapes: string[] = [];
    for (const name of ['ada', 'bob', 'nobody']) {
      const init = await post(ground, `${base}/password/init`, { claims: [{ uri: claim('username'), value: name }] });
      const reply = await begin(ground, name);
      const guess = await confirm(ground, flowOf(reply), 'x');
      const again = await post(ground, `${base}/password/resend`, { resendCode: flowOf(reply).resendCode });
      const all = [init, reply, guess, again];
      const random = /"(?:recoveryCode|resendCode|flowConfirmationCode|traceId)":"[^"]+"/g;
      shapes.push(JSON.stringify(all.map(({ status, text }) => [status, text.replaceAll(random, '')])));
    }
    assert.equal(shapes[1], shapes[0]);
    assert.equal(shapes[2], shapes[0]);
    await texted(ground, 2);
    assert.ok(ground.notices.every(({ user }) => user.name === 'ada'));
  });

  it('is of one tenant', async () => {
    await using ground = await withAda();
    const { tenants } = ground.administration;
    await tenants.create({
      domain: acme.domain,
      adminName: 'ada',
      adminPassword: 'theirs-theirs',
      email: 'a@acme.com',
    });
    const flow = flowOf(await begin(ground, 'ada'));
    const code = await texted(ground);
    const body = { confirmationCode: flow.flowConfirmationCode, otp: code };
    assert.equal((await post(ground, `/t/acme.com${base}/password/confirm`, body)).status, 400);
    assert.equal((await confirm(ground, flow, code)).status, 200);
  });

  it('sends the user name too', async () => {
    await using ground = await withAda();
    const claims = [{ uri: claim('mobile'), value: '+44 7700 900123' }];
    const init = await post(ground, `${base}/username/init`, { claims });
    const [way] = JSON.parse(init.text) as { channelInfo: { recoveryCode: string } }[];
    const body = { recoveryCode: way?.channelInfo.recoveryCode, channelId: '2' };
    assert.equal((await post(ground, `${base}/username/recover`, body)).status, 202);
    await texted(ground);
    assert.deepEqual([ground.notices[0]?.channel, ground.notices[0]?.values.get('user-name')], ['SMS', 'ada']);
    assert.equal((await post(ground, `${base}/username/recover`, { ...body, channelId: '3' })).status, 400);
  });
});

describe('the pages of account recovery', () => {
  const start = '/accountrecoveryendpoint/recoverpassword.do';

  async function ask(ground: TestGround, username: string, channel: string): Promise<TestBrowser> {
    const browser = createTestBrowser(ground.pages);
    await browser.open(start);
    return browser.submit({ username, channel });
  }

  it('lead from the user name to a new password by text message', async () => {
    await using ground = await withAda();
    const browser = await ask(ground, 'ada', 'SMS');
    const code = await texted(ground);
    await browser.submit({ otp: wrong(code) });
    assert.equal(browser.answer.status, 400);
    assert.match(browser.answer.text, /This code is not right/);
    await browser.submit({ otp: ` ${code.slice(0, 3)} ${code.slice(3)}` });
    assert.match(browser.answer.text, /New password/);
    await browser.submit({ password: 'remembered', repeat: 'misspelled' });
    assert.match(browser.answer.text, /not the same/);
    await browser.submit({ password: 'x', repeat: 'x' });
    assert.equal(browser.answer.status, 400);
    await browser.submit({ password: 'remembered', repeat: 'remembered' });
    assert.match(browser.answer.text, /Your password was set/);
    assert.ok((await ground.administration.users.signIn(superTenant, 'ada', 'remembered')).user);
  });

  it('take the code of a mail from its address, without using it up by looking', async () => {
    await using ground = await withAda();
    const asked = await ask(ground, 'ada', 'EMAIL');
    assert.match(asked.answer.text, /Look into your mail/);
    const code = await texted(ground);
    const browser = createTestBrowser(ground.pages);
    const link = `/accountrecoveryendpoint/confirmrecovery.do?confirmation=${code}&username=ada`;
    await browser.open(link);
    await browser.open(link);
    await browser.submit({ password: 'remembered', repeat: 'remembered' });
    assert.match(browser.answer.text, /Your password was set/);
    await browser.open(link);
    await browser.submit({ password: 'remembered2', repeat: 'remembered2' });
    assert.match(browser.answer.text, /This page has ended/);
  });

  it('look alike for nobody', async () => {
    await using ground = await withAda();
    const plain = (page: TestBrowser): string => page.answer.text.replaceAll(/value="[^"]*"/g, '');
    for (const channel of ['SMS', 'EMAIL']) {
      const [known, unknown] = [await ask(ground, 'ada', channel), await ask(ground, 'nobody', channel)];
      assert.equal(plain(unknown), plain(known));
    }
  });

  it('slow down an address that asks again and again', async () => {
    await using ground = await withAda();
    for (let count = 0; count < 10; count++) assert.equal((await ask(ground, `n${count}`, 'SMS')).answer.status, 200);
    assert.equal((await ask(ground, 'ada', 'SMS')).answer.status, 429);
  });

  it('refuse forms of other sites', async () => {
    await using ground = await withAda();
    const form = { username: 'ada', channel: 'SMS', formToken: 'x' };
    assert.equal((await ground.pages.call(start, { form })).status, 400);
    await quiet();
    assert.equal(ground.notices.length, 0);
  });
});
