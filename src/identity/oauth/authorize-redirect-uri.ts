import { compileJavaRegex } from '#core/java';
import type { Client } from './client.ts';

const patternPrefix = 'regexp=';
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;

/** The address to go back to, or why there is none. */
export type RedirectChoice =
  | { readonly uri: string; readonly failure?: undefined }
  | { readonly uri?: undefined; readonly failure: 'unregistered' | 'mismatch' | 'ambiguous' };

/**
 * Chooses where to go back to (identity 2.1). An address of the request must be registered, character by character,
 * match a registered `regexp=` as a whole, or differ from a registered loopback address in its port alone (RFC 8252
 * §7.3). Without one the only registered address counts, unless it is a pattern.
 */
export function chooseRedirectUri({ redirectUris }: Client, given: string | undefined): RedirectChoice {
  if (redirectUris.length === 0) return { failure: 'unregistered' };
  if (given === undefined) {
    const [only] = redirectUris;
    const isUsable = redirectUris.length === 1 && only !== undefined && !only.startsWith(patternPrefix);
    return isUsable ? { uri: only } : { failure: 'ambiguous' };
  }
  return isSafe(given) && redirectUris.some((registered) => matches(registered, given))
    ? { uri: given }
    : { failure: 'mismatch' };
}

/** True when an address is one of those that are registered, by the same rules. */
export function isRegistered(registered: readonly string[], given: string): boolean {
  return isSafe(given) && registered.some((each) => matches(each, given));
}

function matches(registered: string, given: string): boolean {
  if (registered.startsWith(patternPrefix)) {
    return compileJavaRegex(registered.slice(patternPrefix.length)).matches(given);
  }
  if (registered === given) return true;
  const [ours, theirs] = [loopback.exec(registered), loopback.exec(given)];
  if (!ours || !theirs) return false;
  const withoutPort = (uri: string): string => uri.replace(loopback, (start) => start.replace(/:\d{1,5}$/, ''));
  return withoutPort(registered) === withoutPort(given);
}

/** Even a wide pattern admits nothing that browsers read otherwise than it looks, or that runs as a script (I8). */
function isSafe(uri: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these are what is refused
  if (/[\u0000-\u0020\u007f\\#]/.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, username, password } = new URL(uri);
  if (/^(?:javascript|data|vbscript|file|blob|about):$/.test(protocol)) return false;
  return username === '' && password === '' && (!/^https?:$/.test(protocol) || /^https?:\/\/[^/]/i.test(uri));
}
