import type { Html } from './html.ts';
import { textResponse } from './responses.ts';

export interface PageOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Origins besides our own to which forms of the page may lead, such as a client's redirect address. */
  readonly formTargets?: readonly string[];
}

/** Headers of every page: nothing inline, nothing from elsewhere, no frames, no referrer, no guessing of types. */
export function pageHeaders(formTargets: readonly string[] = []): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}

/** A server-rendered page. */
export function pageResponse(page: Html, options: PageOptions = {}): Response {
  return textResponse(`<!doctype html>\n${page.toString()}`, {
    status: options.status ?? 200,
    type: 'text/html; charset=utf-8',
    headers: { ...pageHeaders(options.formTargets), ...options.headers },
  });
}

/** 303 to a path of this server, as after a form was sent. */
export function redirectResponse(location: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { Location: location, 'Cache-Control': 'no-store', ...headers } });
}
