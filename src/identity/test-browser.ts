import type { HeaderList } from '#message';
import type { TestAnswer, TestIdentity } from './test-identity.ts';

/** A browser for tests: keeps cookies, follows redirects within the server, and sends forms as pages have them. */
export interface TestBrowser {
  /** The last page or redirect away from the server. */
  readonly answer: TestAnswer;
  /** Where the server sent the browser away to; undefined while it is on a page. */
  readonly away: URL | undefined;
  /** Path and query of the page. */
  readonly place: string;
  readonly cookies: ReadonlyMap<string, string>;
  open(target: string): Promise<TestBrowser>;
  post(target: string, form: Readonly<Record<string, string>>): Promise<TestBrowser>;
  /** Sends the page's form with its hidden fields and these. */
  submit(fields: Readonly<Record<string, string>>): Promise<TestBrowser>;
  /** Parameters of the address that the server sent the browser away to, of its query or fragment. */
  returned(): Readonly<Record<string, string>>;
  setCookie(name: string, value: string): void;
  dropCookie(name: string): void;
}

const limit = 10;

export function createTestBrowser(server: Pick<TestIdentity, 'call'>): TestBrowser {
  const cookies = new Map<string, string>();
  let answer: TestAnswer | undefined;
  let away: URL | undefined;
  let place = '';

  const visit = async (target: string, form?: Readonly<Record<string, string>>): Promise<TestBrowser> => {
    let next: { target: string; form: Readonly<Record<string, string>> | undefined } = { target, form };
    away = undefined;
    for (let hops = 0; hops < limit; hops++) {
      const headers = ['Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')];
      const given = await server.call(next.target, { headers, ...(next.form && { form: next.form }) });
      answer = given;
      place = next.target;
      keep(given.headers);
      const location = valuesOf(given.headers, 'Location')[0];
      if (location === undefined) return browser;
      const url = new URL(location, 'https://localhost:9443');
      if (url.host !== 'localhost:9443') {
        away = url;
        return browser;
      }
      next = { target: url.pathname + url.search, form: undefined };
    }
    throw new Error(`more than ${limit} redirects from ${target}`);
  };

  const keep = (headers: HeaderList): void => {
    for (const line of valuesOf(headers, 'Set-Cookie')) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
  };

  const browser: TestBrowser = {
    get answer() {
      if (!answer) throw new Error('the browser has not opened anything');
      return answer;
    },
    get away() {
      return away;
    },
    get place() {
      return place;
    },
    cookies,
    open: (target) => visit(target),
    post: (target, form) => visit(target, form),
    submit(fields) {
      const { text } = browser.answer;
      const action = /<form\s+method="post"\s+action="([^"]*)"/.exec(text)?.[1];
      if (action === undefined) throw new Error(`${place} has no form: ${text.slice(0, 300)}`);
      const hidden = text.match(/<input\s[^>]*type="hidden"[^>]*>/g) ?? [];
      const own = Object.fromEntries(hidden.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')]));
      return visit(action.replaceAll('&amp;', '&'), { ...own, ...fields });
    },
    returned() {
      if (!away) throw new Error(`the browser is at ${place}: ${browser.answer.text.slice(0, 400)}`);
      const text = away.hash === '' ? away.search : away.hash.slice(1);
      return Object.fromEntries(new URLSearchParams(text));
    },
    setCookie: (name, value) => void cookies.set(name, value),
    dropCookie: (name) => void cookies.delete(name),
  };
  return browser;
}

/** The value of an attribute; what our pages write of entities in fields is `&amp;` alone. */
export function attribute(tag: string, name: string): string {
  return (new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '').replaceAll('&amp;', '&');
}

function valuesOf(headers: HeaderList, wanted: string): string[] {
  return headers.filter((value, index) => {
    const name = headers[index - 1];
    return index % 2 === 1 && value !== undefined && name?.toLowerCase() === wanted.toLowerCase();
  });
}

/** Registered for the clients of browser tests. */
export const callback = 'https://rp.example/cb';

/** The address of an authorization request. */
export function authorizeUrl(parameters: Readonly<Record<string, string>>): string {
  const all = { client_id: 'web', response_type: 'code', redirect_uri: callback, ...parameters };
  return `/oauth2/authorize?${new URLSearchParams(all).toString()}`;
}

/** A client `web` for everything that browsers do, and a user `ada`. */
export async function prepare(server: TestIdentity): Promise<void> {
  await server.client('web', {
    grantTypes: ['authorization_code', 'implicit', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    redirectUris: [callback],
    postLogoutRedirectUris: ['https://rp.example/bye'],
  });
  server.users.add({ name: 'ada', password: 'right' });
}

/** Opens an authorization request and signs in; the page behind it is the consent page. */
export async function signedIn(
  server: TestIdentity,
  parameters: Readonly<Record<string, string>> = { scope: 'openid' },
): Promise<TestBrowser> {
  const browser = createTestBrowser(server);
  await browser.open(authorizeUrl(parameters));
  return browser.submit({ username: 'ada', password: 'right' });
}
