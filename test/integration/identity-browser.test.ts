import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createSelfSigned } from '#keystore';
import { adminName, adminPassword, startIdentityServer, type IdentityServer } from '../helpers/identity-server.ts';
import { noChromium, startChromium } from '../peers/chromium.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** A browser that hangs fails its test; nothing that is measured depends on this. */
const limits = { skip: noChromium, timeout: 240_000 };

/** Where pictures of the pages go, for whoever wants to look at them; nowhere when unset. */
const pictures = process.env['MILLRACE_PICTURES'];

/** A website of ours that signs its users in at the server. */
interface RelyingParty extends AsyncDisposable {
  readonly origin: string;
  readonly config: client.Configuration;
  /** Paths that were asked for. */
  readonly asked: string[];
}

let server: IdentityServer;
let browser: Browser;
let party: RelyingParty;

before(async () => {
  if (noChromium) return;
  [server, browser] = await Promise.all([startIdentityServer(), startChromium()]);
  party = await startParty();
});
after(async () => {
  if (noChromium) return;
  await browser.close();
  await party[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function startParty(): Promise<RelyingParty> {
  const { privateKeyPem: key, certificatePem: cert } = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
  const asked: string[] = [];
  const tries = new Map<string, { verifier: string; nonce: string }>();
  const http: Server = createServer({ key, cert }, (request, response) => {
    asked.push(request.url ?? '/');
    void answer(request.url ?? '/', response);
  });
  http.listen(0);
  await once(http, 'listening');
  const origin = `https://localhost:${(http.address() as AddressInfo).port}`;
  const registered = await server.register({
    client_name: 'The Reading Room',
    grant_types: ['authorization_code', 'refresh_token', deviceGrant],
    redirect_uris: [`${origin}/cb`],
    post_logout_redirect_uris: [`${origin}/bye`],
  });
  const customFetch = server.fetch as client.CustomFetch;
  const { client_id: id, client_secret: secret } = registered;
  const config = await client.discovery(server.issuer, id, secret, undefined, { [client.customFetch]: customFetch });
  config[client.customFetch] = customFetch;

  const serve = async (url: URL): Promise<{ location?: string; page?: string }> => {
    if (url.pathname === '/in') return { location: await begin(Object.fromEntries(url.searchParams)) };
    if (url.pathname === '/bye') return { page: '<title>bye</title><h1>Good bye</h1>' };
    if (url.pathname !== '/cb') return { page: '<title>home</title>' };
    const started = tries.get(url.searchParams.get('state') ?? '');
    const tokens = await client.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: started?.verifier ?? '',
      expectedNonce: started?.nonce ?? '',
      expectedState: url.searchParams.get('state') ?? '',
      idTokenExpected: true,
    });
    const subject = tokens.claims()?.sub ?? '';
    const userInfo = await client.fetchUserInfo(config, tokens.access_token, subject);
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    const logout = client.buildEndSessionUrl(config, {
      id_token_hint: renewed.id_token ?? '',
      post_logout_redirect_uri: `${origin}/bye`,
    });
    return { page: `<title>in</title><p id="user">${userInfo.sub}</p><a id="out" href="${logout.href}">out</a>` };
  };

  const answer = async (target: string, response: ServerResponse): Promise<void> => {
    try {
      const { location, page = '' } = await serve(new URL(target, origin));
      const type = { 'Content-Type': 'text/html; charset=utf-8' };
      response.writeHead(location === undefined ? 200 : 302, { ...type, ...(location !== undefined && { location }) });
      response.end(page);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  };

  const begin = async (more: Readonly<Record<string, string>>): Promise<string> => {
    const [verifier, nonce, state] = [client.randomPKCECodeVerifier(), client.randomNonce(), client.randomState()];
    tries.set(state, { verifier, nonce });
    return client.buildAuthorizationUrl(config, {
      redirect_uri: `${origin}/cb`,
      scope: 'openid profile email orders:read',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...more,
    }).href;
  };

  return {
    origin,
    config,
    asked,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
    },
  };
}

async function openContext(facts: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
  // The certificates are of the test's own making; that clients verify them is shown where they are trusted by name.
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...facts });
  context.setDefaultTimeout(60_000);
  return context;
}

/** What the page's console and policy complained about. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('User name').fill(adminName);
  await page.getByLabel('Password').fill(adminPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('login, consent, callback, tokens, user info, refresh and logout', limits, async () => {
  const context = await openContext();
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${party.origin}/in`);
  assert.equal(await page.title(), 'Sign in');
  await page.getByLabel('User name').fill(adminName);
  await page.getByLabel('Password').fill('not that');
  await page.keyboard.press('Enter');
  assert.equal(await page.getByRole('alert').textContent(), 'The user name or the password is not right.');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'password');
  await signIn(page);
  assert.equal(await page.title(), 'Allow access?');
  assert.deepEqual(
    (await page.getByRole('listitem').allTextContents()).map((text) => text.trim().split('\n')[0]?.trim()),
    [
      'Know who you are openid',
      'See your name and your profile profile',
      'See your e-mail address email',
      'orders:read',
    ],
  );
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL(`${party.origin}/cb?*`);
  assert.match((await page.locator('#user').textContent()) ?? '', /./);
  const cookies = await context.cookies(server.origin);
  const session = cookies.find(({ name }) => name === 'commonAuthId');
  assert.deepEqual([session?.httpOnly, session?.secure, session?.sameSite], [true, true, 'Lax']);
  await page.goto(`${party.origin}/in`);
  assert.equal(await page.title(), 'Allow access?', 'nobody is asked to sign in again');
  await page.getByLabel('Do not ask again').check();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL(`${party.origin}/cb?*`);
  await page.goto(`${party.origin}/in`);
  await page.waitForURL(`${party.origin}/cb?*`);
  await page.locator('#out').click();
  await page.waitForURL(`${party.origin}/bye`);
  await page.goto(`${party.origin}/in`);
  assert.equal(await page.title(), 'Sign in', 'the session has ended');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('without scripts the code comes as well, also by a posted form', limits, async () => {
  const context = await openContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${party.origin}/in?response_mode=form_post&prompt=consent`);
  await signIn(page);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  assert.equal(await page.title(), 'One moment');
  assert.equal(await page.locator('form').getAttribute('action'), `${party.origin}/cb`);
  await context.close();
});

test('another site cannot frame the login page', limits, async () => {
  const context = await openContext();
  const page = await context.newPage();
  const login = await context.newPage();
  await login.goto(`${party.origin}/in`);
  await page.goto(party.origin);
  await page.setContent(`<iframe src="${login.url()}"></iframe>`);
  await page.waitForTimeout(300);
  const [, frame] = page.frames();
  assert.equal(await frame?.locator('form').count(), 0);
  await context.close();
});

test('a client watches the session by a frame, and hears of its end by another', limits, async () => {
  const { client_id: id } = await server.register({
    client_name: 'The Archive',
    grant_types: ['implicit'],
    redirect_uris: [`${party.origin}/watch`],
    post_logout_redirect_uris: [`${party.origin}/bye`],
    frontchannel_logout_uri: `${party.origin}/front`,
  });
  const context = await openContext();
  const page = await context.newPage();
  const request = { client_id: id, response_type: 'id_token', scope: 'openid', nonce: 'n' };
  const query = new URLSearchParams({ ...request, redirect_uri: `${party.origin}/watch` });
  await page.goto(`${server.origin}/oauth2/authorize?${query.toString()}`);
  await signIn(page);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL(`${party.origin}/watch#*`);
  const answer = new URLSearchParams(new URL(page.url()).hash.slice(1));
  const ask = (message: string): Promise<string> =>
    page.evaluate(
      async ([address = '', text = '']) => {
        const frame = document.createElement('iframe');
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
        frame.src = address;
        document.body.append(frame);
        await loaded;
        const said = new Promise<string>((resolve) =>
          addEventListener('message', ({ data }) => resolve(String(data)), { once: true }),
        );
        frame.contentWindow?.postMessage(text, new URL(address).origin);
        return said;
      },
      [`${server.origin}/oidc/checksession`, message],
    );
  const state = answer.get('session_state') ?? '';
  assert.equal(await ask(`${id} ${state}`), 'unchanged');
  assert.equal(await ask(`other ${state}`), 'changed');
  assert.equal(await ask('nonsense'), 'error');
  const logout = { id_token_hint: answer.get('id_token') ?? '', post_logout_redirect_uri: `${party.origin}/bye` };
  await page.goto(`${server.origin}/oidc/logout?${new URLSearchParams(logout).toString()}`);
  await page.waitForURL(`${party.origin}/bye`);
  const told = party.asked.find((path) => path.startsWith('/front?')) ?? '';
  const heard = new URLSearchParams(told.slice('/front?'.length));
  assert.equal(heard.get('iss'), server.issuer.href);
  assert.match(heard.get('sid') ?? '', /^[0-9a-f-]{36}$/);
  await page.goto(`${party.origin}/watch`);
  assert.equal(await ask(`${id} ${state}`), 'changed');
  await context.close();
});

test('a device is connected on a page that asks for its code', limits, async () => {
  const device = await client.initiateDeviceAuthorization(party.config, { scope: 'openid' });
  const context = await openContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await page.goto(device.verification_uri);
  await page.getByLabel('Code').fill(device.user_code.toLowerCase());
  await picture(page, 'device');
  await page.keyboard.press('Enter');
  await signIn(page);
  await page.waitForURL(/oauth2_consent/);
  await picture(page, 'device-consent');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  assert.equal(await page.title(), 'Your device is connected');
  const tokens = await client.pollDeviceAuthorizationGrant(party.config, { ...device, interval: 0 });
  assert.ok(tokens.access_token);
  assert.deepEqual(complaints, []);
  await context.close();
});

/** WCAG 2.2, 1.4.3: texts have a contrast of 4.5, and 2.5.8: what is pressed is at least 24 pixels high. */
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [device, viewport] of Object.entries({
    phone: { width: 390, height: 844 },
    desktop: { width: 1280, height: 800 },
  })) {
    test(`the pages can be read and used on a ${device}, ${colorScheme}`, limits, async () => {
      const context = await openContext({ colorScheme, viewport });
      const page = await context.newPage();
      await page.goto(`${party.origin}/in?prompt=consent`);
      await judge(page, `login-${device}-${colorScheme}`);
      await page.getByLabel('User name').fill('ada');
      await page.getByLabel('Password').fill('x');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await judge(page, `login-failed-${device}-${colorScheme}`);
      await signIn(page);
      await page.waitForURL(/oauth2_consent/);
      await judge(page, `consent-${device}-${colorScheme}`);
      await page.goto(`${server.origin}/oidc/logout`);
      await judge(page, `logout-${device}-${colorScheme}`);
      await page.goto(`${server.origin}/oauth2/authorize?client_id=nobody`);
      await judge(page, `error-${device}-${colorScheme}`);
      await context.close();
    });
  }
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

async function judge(page: Page, name: string): Promise<void> {
  await picture(page, name);
  const found = await page.evaluate(measure);
  assert.deepEqual(found.pale, [], `${name}: texts with too little contrast`);
  assert.deepEqual(found.small, [], `${name}: controls that are too small`);
  assert.deepEqual(found.unnamed, [], `${name}: fields without a label`);
  assert.equal(found.overflows, false, `${name}: wider than the screen`);
  assert.equal(found.language, 'en');
  assert.equal(found.headings, 1);
}

/** Runs in the page. */
function measure() {
  const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element: Element | null): string => {
    if (!element) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    const isClear = backgroundColor === 'transparent' || channels(backgroundColor)[3] === 0;
    return isClear ? groundOf(element.parentElement) : backgroundColor;
  };
  const pale: string[] = [];
  for (const element of document.querySelectorAll('h1, p, label, li, li span, button, a, input')) {
    const [light = 0, dark = 0] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))].toSorted(
      (left, right) => right - left,
    );
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) pale.push(`${element.tagName} ${element.textContent.trim()} ${contrast.toFixed(1)}`);
  }
  const controls = [...document.querySelectorAll('button, a.button, input:not([type=hidden]):not([type=checkbox])')];
  const small = controls.filter((control) => control.getBoundingClientRect().height < 44).map(({ id }) => id);
  const fields = [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden])')];
  return {
    pale,
    small,
    unnamed: fields.filter(({ labels }) => (labels?.length ?? 0) === 0).map(({ name }) => name),
    overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    language: document.documentElement.lang,
    headings: document.querySelectorAll('h1').length,
  };
}
