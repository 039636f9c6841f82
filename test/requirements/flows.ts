import { authorizeUrl, callback, createTestBrowser, signedIn } from '../../src/identity/test-browser.ts';
import { basic, type TestAnswer, type TestIdentity } from '../../src/identity/test-identity.ts';

/** One requirement of a standard, named by its section, and what shows that it is kept. */
export type Requirement = readonly [name: string, show: (server: TestIdentity) => Promise<void>];
export type Given = Readonly<Record<string, string>>;

export async function agreed(server: TestIdentity, given: Given = {}): Promise<Given> {
  const browser = await signedIn(server, { scope: 'openid', ...given });
  await browser.submit({ consent: 'approve' });
  return browser.returned();
}

export function redeem(server: TestIdentity, form: Given): Promise<TestAnswer> {
  const all = { grant_type: 'authorization_code', redirect_uri: callback, ...form };
  return server.call('/oauth2/token', { headers: basic('web'), form: all });
}

export async function tokensOf(server: TestIdentity, given: Given = {}): Promise<Record<string, unknown>> {
  const { code = '' } = await agreed(server, given);
  return (await redeem(server, { code })).json();
}

export function refresh(server: TestIdentity, token: unknown, more: Given = {}): Promise<TestAnswer> {
  const form = { grant_type: 'refresh_token', refresh_token: String(token), ...more };
  return server.call('/oauth2/token', { headers: basic('web'), form });
}

export async function errorOf(server: TestIdentity, given: Given): Promise<string | undefined> {
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl(given));
  return browser.returned()['error'];
}
