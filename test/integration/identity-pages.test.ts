import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { complaintsOf } from '../helpers/console-rules.ts';
import { adminName, adminPassword, startIdentityServer, type IdentityServer } from '../helpers/identity-server.ts';
import { noChromium, startChromium } from '../peers/chromium.ts';

/** A browser that hangs fails its test; nothing that is measured depends on this. */
const limits = { skip: noChromium, timeout: 240_000 };

/** Where pictures of the pages go, for whoever wants to look at them; nowhere when unset. */
const pictures = process.env['MILLRACE_PICTURES'];

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** Nothing is sent: the pages say the same whether a user is there or not. */
const recovery = `[identity_mgt.password_reset_email]
enable_password_reset_email = true
[output_adapter.email]
hostname = "127.0.0.1"
port = 9
from_address = "server@example.com"
`;

const screens = {
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 568 },
  desktop: { width: 1280, height: 800 },
} as const;

let server: IdentityServer;
let browser: Browser;
let client: { client_id: string; client_secret: string };

before(async () => {
  if (noChromium) return;
  [server, browser] = await Promise.all([startIdentityServer(recovery), startChromium()]);
  client = await server.register({
    client_name: 'The Reading Room',
    grant_types: ['authorization_code', deviceGrant],
    redirect_uris: ['https://rp.example/cb'],
  });
});
after(async () => {
  if (noChromium) return;
  await browser.close();
  await server[Symbol.asyncDispose]();
});

async function openPage(path: string): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(server.origin + path);
  return page;
}

/** Judges a page by the rules of accessibility on every screen, light and dark. */
async function judge(page: Page, name: string): Promise<void> {
  for (const [screen, size] of Object.entries(screens)) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const what = `${name}-${screen}-${colorScheme}`;
      if (pictures !== undefined) {
        mkdirSync(pictures, { recursive: true });
        await page.screenshot({ path: join(pictures, `${what}.png`), fullPage: true });
      }
      assert.deepEqual(await complaintsOf(page), [], what);
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      assert.equal(isWide, false, `${what} is wider than the screen`);
    }
  }
}

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

async function signIn(page: Page, password = adminPassword): Promise<void> {
  await page.getByLabel('User name').fill(adminName);
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
}

const authorize = (): string =>
  `/oauth2/authorize?${new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: 'https://rp.example/cb',
    scope: 'openid profile email orders:read a-scope-with-quite-a-long-name-that-has-no-place-to-break',
  }).toString()}`;

test('signing in, agreeing and signing out', limits, async () => {
  const page = await openPage(authorize());
  await judge(page, 'login');
  await signIn(page, 'not that');
  await page.getByRole('alert').waitFor();
  await judge(page, 'login-failed');
  await signIn(page);
  await page.waitForURL(/oauth2_consent/);
  await judge(page, 'consent');
  await page.goto(`${server.origin}/oidc/logout`);
  await judge(page, 'logout');
  await page.getByRole('button').first().click();
  await page.waitForLoadState();
  assert.notEqual(await page.title(), '');
  await judge(page, 'logged-out');
  await page.context().close();
});

test('what went wrong', limits, async () => {
  for (const [name, path] of [
    ['error', '/oauth2/authorize?client_id=nobody'],
    ['error-of-address', `${authorize()}.evil.example`.replace('rp.example', 'evil.example')],
    ['ended', '/authenticationendpoint/retry.do'],
  ] as const) {
    const page = await openPage(path);
    await judge(page, name);
    await page.context().close();
  }
});

test('connecting a device', limits, async () => {
  const answer = await server.fetch(`${server.origin}/oauth2/device_authorize`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...client, scope: 'openid' }).toString(),
  });
  const { user_code: code } = (await answer.json()) as { user_code: string };
  const page = await openPage('/authenticationendpoint/device.do');
  await judge(page, 'device');
  await page.getByLabel('Code').fill('BBBB-BBBB');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await judge(page, 'device-wrong');
  await page.getByLabel('Code').fill(code);
  await page.keyboard.press('Enter');
  await signIn(page);
  await page.waitForURL(/oauth2_consent/);
  await judge(page, 'device-consent');
  await press(page, 'Allow');
  assert.equal(await page.title(), 'Your device is connected');
  await judge(page, 'device-connected');
  await page.context().close();
});

test('a new password', limits, async () => {
  const page = await openPage('/accountrecoveryendpoint/recoverpassword.do');
  await judge(page, 'recovery');
  await page.getByLabel('User name').fill('nobody');
  await page.locator('[name=channel][value=SMS]').check();
  await page.locator('main form button').first().click();
  await page.locator('#otp').waitFor();
  await judge(page, 'recovery-code');
  await page.locator('#otp').fill('123456');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await judge(page, 'recovery-code-wrong');
  await page.goto(`${server.origin}/accountrecoveryendpoint/confirmrecovery.do?confirmation=nothing`);
  await judge(page, 'recovery-password');
  await page.locator('[name=password]').fill('a good password');
  await page.locator('[name=repeat]').fill('another password');
  await page.locator('main form button').click();
  await page.getByRole('alert').waitFor();
  await judge(page, 'recovery-different');
  await page.context().close();
});
