import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { adminName, adminPassword, startIdentityServer, type IdentityServer } from '../helpers/identity-server.ts';
import { createScriptedBrowser, type ScriptedBrowser } from '../helpers/scripted-browser.ts';
import { startMailServer, type MailServer, type ReceivedMail } from '../helpers/mail-server.ts';
import { startSmsProvider, type SmsProvider } from '../helpers/sms-provider.ts';

const boss = { name: 'boss@acme.com', password: 'boss-password' };

let provider: SmsProvider;
let mail: MailServer;
let server: IdentityServer;

before(async () => {
  [provider, mail] = await Promise.all([startSmsProvider(), startMailServer({ optional: true })]);
  server = await startIdentityServer(`[identity_mgt.password_reset_email]
enable_password_reset_email = true
[output_adapter.email]
hostname = "127.0.0.1"
port = ${mail.port}
from_address = "server@example.com"
enable_start_tls = false
enable_authentication = false
`);
  const owner = { username: boss.name, password: boss.password, email: 'b@acme.com' };
  await administer('/api/server/v1/tenants', { domain: 'acme.com', owners: [owner] });
  for (const [path, by] of [
    ['/scim2/Users', undefined],
    ['/t/acme.com/scim2/Users', boss],
  ] as const) {
    const phoneNumbers = [{ type: 'mobile', value: '+44 7700 900123' }];
    const emails = [{ value: 'ada@example.com', primary: true }];
    await administer(path, { userName: 'ada', password: 'forgotten-1', phoneNumbers, emails }, by);
  }
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await Promise.all([provider[Symbol.asyncDispose](), mail[Symbol.asyncDispose]()]);
});

async function administer(
  path: string,
  body: unknown,
  by = { name: adminName, password: adminPassword },
  method = 'POST',
): Promise<void> {
  const answer = await server.fetch(`${server.origin}${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Basic ${Buffer.from(`${by.name}:${by.password}`).toString('base64')}`,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.text()}`);
}

/** Whether the password of `ada` is this one. */
async function signsIn(path: string, name: string, password: string): Promise<boolean> {
  const Authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  return (await server.fetch(`${server.origin}${path}`, { headers: { Authorization } })).ok;
}

/** Opens a page of the server in a browser of its own. */
async function open(path: string): Promise<ScriptedBrowser> {
  return createScriptedBrowser(server.origin, server.fetch).open(server.origin + path);
}

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const arrivedMail = (subject: string): Promise<ReceivedMail> =>
  until(() => mail.mails.find((each) => each.header('Subject') === subject));

async function ask(tenant: string, channel: string): Promise<ScriptedBrowser> {
  const browser = await open(`${tenant}/accountrecoveryendpoint/recoverpassword.do`);
  return browser.submit({ username: 'ada', channel });
}

describe('a new password over the network', { timeout: 240_000 }, () => {
  const forms = [
    ['Vonage', (body: string) => JSON.parse(body) as Record<string, unknown>, 'text'],
    ['Twilio', (body: string) => Object.fromEntries(new URLSearchParams(body)), 'Body'],
    ['Clickatell', (body: string) => JSON.parse(body) as Record<string, unknown>, 'text'],
  ] as const;
  for (const [name, read, member] of forms) {
    it(`by the code that ${name}, the provider of the tenant, delivers`, async () => {
      const sender = { provider: name, providerURL: provider.url, key: 'K', secret: 'S', sender: 'Acme' };
      const senders = '/t/acme.com/api/server/v1/notification-senders/sms';
      await administer(senders, sender, boss);
      const count = provider.calls.length;
      const browser = await ask('/t/acme.com', 'SMS');
      const { body } = await until(() => provider.calls[count]);
      const code = /\b\d{6}\b/.exec(String(read(body)[member]))?.[0] ?? '';
      await browser.submit({ otp: code });
      const password = `remembered-${name}`;
      await browser.submit({ password, repeat: password });
      assert.match(browser.text, /Your password was set/);
      assert.equal(await signsIn('/t/acme.com/scim2/Me', 'ada@acme.com', password), true);
      // Once is enough: after some wrong passwords the name would have to wait.
      if (name === 'Vonage') {
        assert.equal(await signsIn('/scim2/Me', 'ada', password), false, 'the same name elsewhere keeps its password');
      }
      await administer(`${senders}/SMSPublisher`, undefined, boss, 'DELETE');
    });
  }

  it('by the link of a mail', async () => {
    await ask('', 'EMAIL');
    const { to, text } = await arrivedMail('Set a new password');
    assert.deepEqual(to, ['ada@example.com']);
    const joined = text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
    const link = /https:\/\/localhost:\d+(\/accountrecoveryendpoint\/confirmrecovery\.do\?\S+)/.exec(joined)?.[1];
    assert.ok(link, text);
    const browser = await open(link);
    await browser.submit({ password: 'by-mail-1', repeat: 'by-mail-1' });
    assert.match(browser.text, /Your password was set/);
    assert.equal(await signsIn('/scim2/Me', 'ada', 'by-mail-1'), true);
  });
});
