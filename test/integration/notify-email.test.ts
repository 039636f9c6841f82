import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { configureLog } from '#core';
import { senders, startTestNotify, type TestNotifyOptions } from '../../src/notify/test-notify.ts';
import { startMailServer, type MailServer, type ReceivedMail } from '../helpers/mail-server.ts';
import { startSmsProvider } from '../helpers/sms-provider.ts';

const path = `${senders}/email`;
const lines: string[] = [];
let server: MailServer;

before(async () => {
  configureLog({ level: 'debug', format: 'json', destination: { write: (line) => void lines.push(line) } });
  server = await startMailServer({ user: 'mailer', password: 'pass-word-1', token: 'token-1' });
});
after(async () => {
  await server[Symbol.asyncDispose]();
  configureLog({ level: 'info', format: 'json' });
});

interface Sending {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly options?: TestNotifyOptions;
}

/** Sends mails by a sender of the tenant; what arrived and why the rest did not. */
async function send({ body = {}, attributes = {}, options = {} }: Sending = {}): Promise<{
  mails: ReceivedMail[];
  dead: string[];
}> {
  await using own = await startTestNotify({
    ...options,
    tools: { trusted: () => [server.certificate], ...options.tools },
  });
  const begin = server.mails.length;
  const sender = {
    fromAddress: 'info@acme.com',
    smtpServerHost: '127.0.0.1',
    smtpPort: server.port,
    userName: 'mailer',
    password: 'pass-word-1',
    ...body,
  };
  const made = await own.call('POST', path, { body: sender });
  assert.equal(made.status, 201, await made.text());
  const event = {
    'tenant-domain': 'acme.com',
    'send-to': 'ada@example.com',
    subject: 'Hello',
    body: 'Dear Ada,\nyour code is 1234',
    footer: '\nbye',
    ...attributes,
  };
  await own.bus.handOver({ topic: 'id_gov_notify_stream:1.0.0', at: 0, attributes: new Map(Object.entries(event)) });
  await own.settled();
  return {
    mails: server.mails.slice(begin),
    dead: (await own.notifications.queue.dead(10)).map(({ reason }) => reason),
  };
}

const startTls = { properties: [{ key: 'mail.smtp.starttls.enable', value: 'true' }] };

describe('a mail', () => {
  it('goes to the server of its sender, signed in, with subject, text and id', async () => {
    const { mails } = await send();
    assert.equal(mails.length, 1);
    const [mail] = mails;
    assert.deepEqual(
      [mail?.from, mail?.to, mail?.user, mail?.isSecure],
      ['info@acme.com', ['ada@example.com'], 'mailer', false],
    );
    assert.equal(mail?.header('Subject'), 'Hello');
    assert.match(mail?.header('Message-ID') ?? '', /^<[0-9a-f-]{36}@acme\.com>$/);
    assert.match(mail?.header('Content-Type') ?? '', /^text\/plain/);
    assert.match(mail?.text ?? '', /Dear Ada,\r\nyour code is 1234\r\nbye/);
  });
  it('goes to each recipient by itself', async () => {
    const { mails } = await send({ attributes: { 'send-to': 'a@example.com, b@example.com' } });
    assert.deepEqual(mails.flatMap(({ to }) => to).sort(), ['a@example.com', 'b@example.com']);
    assert.equal(new Set(mails.map((mail) => mail.header('Message-ID'))).size, 2);
  });
  it('is HTML where its event says so', async () => {
    const { mails } = await send({ attributes: { 'content-type': 'text/html', body: '<b>hi</b>' } });
    assert.match(mails[0]?.header('Content-Type') ?? '', /^text\/html/);
  });
  it('cannot smuggle headers in by its subject', async () => {
    const { mails } = await send({ attributes: { subject: 'Hi\r\nBcc: spy@example.com' } });
    assert.equal(mails[0]?.header('Bcc'), undefined);
    assert.deepEqual(mails[0]?.to, ['ada@example.com']);
  });
  it('shows name and reply address of its sender', async () => {
    const properties = [
      { key: 'mail.smtp.signature', value: 'Acme Ltd' },
      { key: 'mail.smtp.replyTo', value: 'help@acme.com' },
    ];
    const { mails } = await send({ body: { properties } });
    assert.match(mails[0]?.header('From') ?? '', /^"?Acme Ltd"? <info@acme\.com>$/);
    assert.equal(mails[0]?.header('Reply-To'), 'help@acme.com');
  });
});

describe('a connection', () => {
  it('changes to TLS, and stays away where the certificate is not trusted', async () => {
    const { mails } = await send({ body: startTls });
    assert.equal(mails[0]?.isSecure, true);
    const { mails: none, dead } = await send({ body: startTls, options: { tools: { trusted: () => undefined } } });
    assert.deepEqual(none, []);
    assert.match(dead[0] ?? '', /certificate/);
  });
  it('may be told whom to trust', async () => {
    const properties = [...startTls.properties, { key: 'mail.smtp.ssl.trust', value: '127.0.0.1' }];
    const { mails } = await send({ body: { properties }, options: { tools: { trusted: () => undefined } } });
    assert.equal(mails[0]?.isSecure, true);
  });
  it('speaks TLS from the start where it is told to', async () => {
    await using secure = await startMailServer({ secure: true });
    const properties = [
      { key: 'mail.smtp.ssl.enable', value: 'true' },
      { key: 'mail.smtp.auth', value: 'false' },
    ];
    const { dead } = await send({
      body: { properties, smtpPort: secure.port },
      options: { tools: { trusted: () => [secure.certificate] } },
    });
    assert.deepEqual(dead, []);
    assert.deepEqual([secure.mails[0]?.isSecure, secure.mails[0]?.user], [true, undefined]);
  });
  it('signs in with a token of the client credentials grant', async () => {
    await using tokens = await startSmsProvider();
    tokens.answer = (response) => response.end('{"access_token": "token-1", "expires_in": 300}');
    const properties = Object.entries({
      authType: 'CLIENT_CREDENTIAL',
      clientId: 'id',
      clientSecret: 'hush',
      tokenEndpoint: tokens.url,
      scopes: 'mail',
    }).map(([key, value]) => ({ key: `mail.smtp.${key}`, value }));
    const { mails, dead } = await send({ body: { properties } });
    assert.deepEqual(dead, []);
    assert.equal(mails[0]?.user, 'mailer');
    assert.match(tokens.calls[0]?.body ?? '', /grant_type=client_credentials&scope=mail/);
  });
  it('with a wrong password is tried again, then given up without naming it', async () => {
    const { mails, dead } = await send({ body: { password: 'wrong-word' } });
    assert.deepEqual(mails, []);
    assert.match(dead[0] ?? '', /AUTH/);
    assert.ok(!lines.join('').includes('wrong-word'));
  });
  it('needs a host and a sender', async () => {
    const { dead } = await send({ body: { smtpServerHost: '' } });
    assert.deepEqual(dead, ['mail.smtp.host has no value']);
  });
});

it('a recipient that is refused for good is given up at once, one that is busy is tried again', async () => {
  server.refuse = { status: 550, text: 'no such user' };
  assert.match((await send()).dead[0] ?? '', /RCPT TO: status 550/);
  server.refuse = { status: 451, text: 'later', times: 3 };
  const { mails, dead } = await send({ options: { settings: { attempts: 20 } } });
  assert.deepEqual(dead, []);
  assert.equal(mails.length, 1);
});

it('settings of the home count where the sender names none', async () => {
  const home = {
    properties: new Map([
      ['mail.smtp.host', '127.0.0.1'],
      ['mail.smtp.port', String(server.port)],
      ['mail.smtp.starttls.enable', 'true'],
    ]),
    signature: 'The <Mill>',
  };
  const options = { mail: { 'output_adapter.email': home } };
  const { mails } = await send({ body: { smtpServerHost: undefined, smtpPort: undefined }, options });
  assert.equal(mails[0]?.isSecure, true);
  assert.match(mails[0]?.text ?? '', /-- ?\r\nThe <Mill>/);
});

it('no secret and no text is in the log', () => {
  const all = lines.join('');
  assert.ok(all.includes('a notification was sent'));
  for (const secret of ['pass-word-1', 'token-1', 'hush', 'your code', 'ada@example.com'])
    assert.ok(!all.includes(secret), secret);
});
