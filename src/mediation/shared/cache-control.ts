import { getAllHeaders, type HeaderList } from '#message';

/** What `Cache-Control` says, as far as it counts here. */
export interface CacheControl {
  readonly noStore: boolean;
  readonly noCache: boolean;
  /** Seconds. */
  readonly maxAge: number | undefined;
}

/** Reads every `Cache-Control` of a message (RFC 9111 section 5.2). */
export function cacheControlOf(headers: Readonly<HeaderList>): CacheControl {
  const directives = getAllHeaders(headers, 'Cache-Control')
    .flatMap((value) => value.split(','))
    .map((directive) => directive.trim().toLowerCase());
  const maxAge = directives.map((directive) => /^max-age\s*=\s*"?(\d+)"?$/.exec(directive)?.[1]).find(Boolean);
  return {
    noStore: directives.includes('no-store'),
    noCache: directives.some((directive) => /^no-cache(?:$|=)/.test(directive)),
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
  };
}
