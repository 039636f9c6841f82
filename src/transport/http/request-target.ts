import type { Refusal } from './refusal.ts';

/** Anything but visible ASCII, and of that neither `#` nor the backslash. */
const forbiddenCharacter = /[^\x21-\x22\x24-\x5b\x5d-\x7e]/;
/** A segment of one or two dots, however dots and separators are spelled; parameters may follow it. */
const dotSegment = /(?:\/|%2f|%5c)(?:\.|%2e){1,2}(?:\/|%2f|%5c|;|$)/i;
/** Lead bytes of UTF-8 sequences that are longer than they need be, and so hide dots and slashes. */
const overlong = /%c[01]|%e0%[89]|%f0%8/i;
const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/i;
const validAuthority = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** A target in origin form, and the authority that stood before it in absolute form. */
export interface RequestTarget {
  readonly target: string;
  readonly authority?: string;
}

/**
 * Examines a request target (RFC 9112, 3.2). What two readers could read differently is refused; everything else
 * stays as it was on the wire, except that the absolute form is taken apart.
 */
export function readTarget(raw: string, method: string): RequestTarget | Refusal {
  if (forbiddenCharacter.test(raw)) return { status: 400, reason: 'The request target has a forbidden character' };
  if (raw.charCodeAt(0) === 0x2f) return refusePath(raw) ?? { target: raw };
  if (raw === '*' && method === 'OPTIONS') return { target: raw };
  const match = absoluteForm.exec(raw);
  if (!match) return { status: 400, reason: 'The request target is neither a path nor an absolute address' };
  const [, authority = '', rest = ''] = match;
  if (!isValidAuthority(authority)) return { status: 400, reason: 'The authority of the request target is not valid' };
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  return refusePath(target) ?? { target, authority };
}

/** True for a host with an optional port, without user, blanks or lists. */
export function isValidAuthority(authority: string): boolean {
  return validAuthority.test(authority);
}

function refusePath(target: string): Refusal | undefined {
  const hasPercent = target.includes('%');
  if (!hasPercent && !target.includes('/.')) return undefined;
  if (hasPercent && target.includes('%00')) return { status: 400, reason: 'The request target has a NUL' };
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  if (dotSegment.test(path)) return { status: 400, reason: 'The request path has a dot segment' };
  if (hasPercent && overlong.test(path)) return { status: 400, reason: 'The request path is not valid UTF-8' };
  return undefined;
}
