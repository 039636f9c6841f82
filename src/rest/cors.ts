/** Which other origins may call an API from a browser. */
export interface CorsOptions {
  /** Exact origins, or `*` for all. */
  readonly origins: '*' | readonly string[];
  readonly headers: readonly string[];
  /** All of an operation's path when absent. */
  readonly methods?: readonly string[];
  /** Response headers that scripts may read. */
  readonly exposed?: readonly string[];
  /** Admits cookies; only together with exact origins. */
  readonly credentials?: boolean;
  /** Seconds for which a browser keeps the answer to its question. */
  readonly maxAge?: number;
}

/** Headers for an answer to `origin`; none when it may not read it. */
export function corsHeaders(options: CorsOptions | undefined, origin: string | null): Record<string, string> {
  if (!options) return {};
  const vary: Record<string, string> = options.origins === '*' ? {} : { Vary: 'Origin' };
  if (origin === null || (options.origins !== '*' && !options.origins.includes(origin))) return vary;
  return {
    ...vary,
    'Access-Control-Allow-Origin': options.origins === '*' ? '*' : origin,
    ...(options.credentials && options.origins !== '*' && { 'Access-Control-Allow-Credentials': 'true' }),
    ...(options.exposed && { 'Access-Control-Expose-Headers': options.exposed.join(', ') }),
  };
}

/** Further headers for the answer to a preflight request. */
export function preflightHeaders(options: CorsOptions, allowed: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': (options.methods ?? allowed).join(', '),
    'Access-Control-Allow-Headers': options.headers.join(', '),
    ...(options.maxAge !== undefined && { 'Access-Control-Max-Age': String(options.maxAge) }),
  };
}
