/** Parts of a URL as conditions and rewriting name them (mediators 3.3, 3.5). */
export const fragmentNames = ['protocol', 'user', 'host', 'port', 'path', 'query', 'ref'] as const;
export type FragmentName = (typeof fragmentNames)[number];

/** A URL taken apart without decoding anything; a part that is not there is undefined. */
export type UrlFragments = Partial<Record<FragmentName, string | undefined>>;

const pattern =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?(\[[^\]/?#]*\]|[^/?#:]*)(?::(\d*))?)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

/** Characters that no URI may hold. */
const foreign = /[^!-~\u00a0-\u{10ffff}]|["<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/u;

/** Takes a URL, absolute or only a path and query, apart; undefined for a text that is no URI. */
export function splitFragments(url: string): UrlFragments | undefined {
  if (foreign.test(url)) return undefined;
  const match = pattern.exec(url);
  if (!match) return undefined;
  const [, protocol, user, host, port, path, query, ref] = match;
  return { protocol, user, host: host || undefined, port: port || undefined, path: path || undefined, query, ref };
}

/** Puts the parts together again. */
export function joinFragments({ protocol, user, host, port, path, query, ref }: UrlFragments): string {
  const authority =
    host === undefined ? '' : `//${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
  return [
    protocol === undefined ? '' : `${protocol}:`,
    authority,
    path ?? '',
    query === undefined ? '' : `?${query}`,
    ref === undefined ? '' : `#${ref}`,
  ].join('');
}
