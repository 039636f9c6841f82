import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type CookieOptions, readCookie, serializeCookie } from './cookies.ts';

/** Protects forms and scripted writes: the token of the cookie must come back in the form or a header. */
export interface Csrf {
  /**
   * A token bound to `session` (any text that identifies the browser's session; empty before signing in) and the
   * `Set-Cookie` value that goes with it.
   */
  issue(session: string): { readonly token: string; readonly cookie: string };
  /** Whether `submitted` is the token of the request's cookie and was issued for this session. */
  verify(request: Request, submitted: string | null | undefined, session: string): boolean;
}

/**
 * Signed double submit: a cookie that another site planted is not enough, as it lacks our signature for the session.
 *
 * @param secret at least 32 bytes, the same on all nodes
 */
export function createCsrf(secret: Uint8Array, cookieName = '__Host-csrf', options: CookieOptions = {}): Csrf {
  const sign = (nonce: string, session: string): string =>
    createHmac('sha256', secret).update(`${nonce.length}:${nonce}${session}`).digest('base64url');
  return {
    issue(session) {
      const nonce = randomBytes(18).toString('base64url');
      const token = `${nonce}.${sign(nonce, session)}`;
      return { token, cookie: serializeCookie(cookieName, token, { sameSite: 'Strict', ...options }) };
    },
    verify(request, submitted, session) {
      const cookie = readCookie(request, cookieName);
      if (!cookie || !submitted || !equals(cookie, submitted)) return false;
      const [nonce = '', signature = ''] = submitted.split('.', 2);
      return equals(signature, sign(nonce, session));
    },
  };
}

/** Compares in a time that does not tell where two texts differ. */
function equals(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}
