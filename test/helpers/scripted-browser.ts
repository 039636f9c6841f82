/** A browser without a screen: keeps the cookies of one server, follows its redirects, fills in its forms. */
export interface ScriptedBrowser {
  readonly text: string;
  readonly status: number;
  /** Where the server sent the browser away to. */
  readonly away: URL | undefined;
  readonly place: URL;
  open(url: string | URL): Promise<ScriptedBrowser>;
  submit(fields: Readonly<Record<string, string>>): Promise<ScriptedBrowser>;
  /** Signs in and agrees, whatever of the two is asked for; ends at the address of the client. */
  agree(username: string, password: string): Promise<URL>;
}

export function createScriptedBrowser(origin: string, send: typeof fetch): ScriptedBrowser {
  const cookies = new Map<string, string>();
  let text = '';
  let status = 0;
  let place = new URL(origin);
  let away: URL | undefined;

  const visit = async (start: URL, form?: Readonly<Record<string, string>>): Promise<ScriptedBrowser> => {
    away = undefined;
    let body = form && new URLSearchParams(form).toString();
    place = start;
    for (let hops = 0; hops < 10; hops++) {
      const answer = await send(place.href, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        },
        ...(body !== undefined && { body }),
      });
      ({ status } = answer);
      text = await answer.text();
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/Max-Age=0/.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = answer.headers.get('Location');
      if (location === null) return browser;
      const next = new URL(location, place);
      if (next.origin !== origin) {
        away = next;
        return browser;
      }
      place = next;
      body = undefined;
    }
    throw new Error(`too many redirects from ${start.href}`);
  };

  const browser: ScriptedBrowser = {
    get text() {
      return text;
    },
    get status() {
      return status;
    },
    get away() {
      return away;
    },
    get place() {
      return place;
    },
    open: (url) => visit(new URL(url)),
    submit(fields) {
      const action = /<form\s+method="post"\s+action="([^"]*)"/.exec(text)?.[1];
      if (action === undefined) throw new Error(`${place.href} has no form: ${text.slice(0, 500)}`);
      return visit(new URL(action.replaceAll('&amp;', '&'), place), { ...hiddenFields(text), ...fields });
    },
    async agree(username, password) {
      if (place.pathname.endsWith('/login.do')) await browser.submit({ username, password });
      if (/\/oauth2_(?:authz|consent)\.do$/.test(place.pathname)) await browser.submit({ consent: 'approve' });
      if (!away) throw new Error(`the browser is at ${place.href} (${status}): ${text.slice(0, 500)}`);
      return away;
    },
  };
  return browser;
}

/** Names and values of a page's hidden fields. */
export function hiddenFields(page: string): Readonly<Record<string, string>> {
  const tags = page.match(/<input\s[^>]*type="hidden"[^>]*>/g) ?? [];
  const read = (tag: string, name: string): string =>
    (new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '').replaceAll('&amp;', '&');
  return Object.fromEntries(tags.map((tag) => [read(tag, 'name'), read(tag, 'value')]));
}
