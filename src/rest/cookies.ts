import { MillraceError } from '#errors';

export interface CookieOptions {
  /** `/` when absent. */
  readonly path?: string;
  /** Seconds; a session cookie when absent, removed at once when 0. */
  readonly maxAge?: number;
  /** `Lax` when absent. */
  readonly sameSite?: 'Strict' | 'Lax' | 'None';
  /** Only for a listener without TLS on loopback. */
  readonly insecure?: boolean;
  /** Readable by scripts; only for tokens that a script has to copy into a header. */
  readonly readable?: boolean;
}

/**
 * A `Set-Cookie` value (RFC 6265), Secure, HttpOnly and SameSite unless the options say otherwise.
 *
 * @throws MillraceError `MR_COOKIE` for a name or value that a cookie cannot carry
 */
export function serializeCookie(name: string, value: string, options: CookieOptions = {}): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[!#-+\--:<-[\]-~]*$/.test(value)) {
    throw new MillraceError({ code: 'MR_COOKIE', message: `The cookie ${JSON.stringify(name)} cannot be written` });
  }
  return [
    `${name}=${value}`,
    `Path=${options.path ?? '/'}`,
    ...(options.maxAge === undefined ? [] : [`Max-Age=${options.maxAge}`]),
    `SameSite=${options.sameSite ?? 'Lax'}`,
    ...(options.insecure ? [] : ['Secure']),
    ...(options.readable ? [] : ['HttpOnly']),
  ].join('; ');
}

/** The value of a request's cookie; the first when it was sent twice. */
export function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get('Cookie') ?? '').split(';')) {
    const separator = pair.indexOf('=');
    if (separator > 0 && pair.slice(0, separator).trim() === name) return pair.slice(separator + 1).trim();
  }
  return undefined;
}
