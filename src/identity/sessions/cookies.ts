import { getAllHeaders, type HeaderList } from '#message';
import { serializeCookie } from '#rest';
import type { Session } from './session.ts';

/** Cookie of a signed-in browser, named as the original names it (identity 2.2). */
const sessionCookie = 'commonAuthId';
/** Cookie whose value scripts of the session iframe read (OpenID Connect Session Management 3.2). */
const browserStateCookie = 'opbs';
/**
 * Cookie that tells one browser from another, signed in or not. A request that waits belongs to its browser alone. It
 * says nothing of a user, so it may come with requests that other sites cause, such as an authorization request by POST.
 */
const browserCookie = '__Host-mrBrowser';

const rememberedSeconds = 14 * 24 * 3600;

/** The value of a request's cookie; the first when it was sent twice. */
function readCookie(headers: HeaderList, name: string): string | undefined {
  for (const pair of getAllHeaders(headers, 'Cookie').join(';').split(';')) {
    const separator = pair.indexOf('=');
    if (separator > 0 && pair.slice(0, separator).trim() === name) return pair.slice(separator + 1).trim();
  }
  return undefined;
}

export function sessionSecretOf(headers: HeaderList): string | undefined {
  return readCookie(headers, sessionCookie);
}

export function browserStateOf(headers: HeaderList): string | undefined {
  return readCookie(headers, browserStateCookie);
}

export function browserOf(headers: HeaderList): string | undefined {
  const value = readCookie(headers, browserCookie);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

export function setBrowser(value: string): HeaderList {
  return ['Set-Cookie', serializeCookie(browserCookie, value, { sameSite: 'None' })];
}

/** Cookies of a session that begins. */
export function setSession(session: Session, secret: string): HeaderList {
  const maxAge = session.isRemembered ? { maxAge: rememberedSeconds } : {};
  return ['Set-Cookie', serializeCookie(sessionCookie, secret, maxAge), ...setBrowserState(session)];
}

export function setBrowserState({ browserState, isRemembered }: Session): HeaderList {
  const maxAge = isRemembered ? { maxAge: rememberedSeconds } : {};
  const options = { ...maxAge, sameSite: 'None', readable: true } as const;
  return ['Set-Cookie', serializeCookie(browserStateCookie, browserState, options)];
}

/** Removes the cookies of a session that ended. */
export function clearSession(): HeaderList {
  const ended = serializeCookie(browserStateCookie, '', { maxAge: 0, sameSite: 'None', readable: true });
  return ['Set-Cookie', serializeCookie(sessionCookie, '', { maxAge: 0 }), 'Set-Cookie', ended];
}
