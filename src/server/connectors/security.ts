import { getHeader, type HeaderList } from '#message';
import type { HttpRequest, RequestHandler } from '#transport';
import { respondThrough } from '../respond-through.ts';

/** How requests of a connector reached the client's end of the way, which a proxy in front of it may know better. */
export interface ConnectorSecurity {
  /** The scheme in addresses that the server makes from a request. */
  readonly scheme: 'http' | 'https';
  /** False where clients do not use TLS. */
  readonly secure: boolean;
  /** True to let cookies go without TLS. */
  readonly insecureCookies: boolean;
  /** The port in addresses that the server makes from a request; that of the request when absent. */
  readonly proxyPort: number | undefined;
  /** Where pages are asked for by HTTPS instead; they are served when absent. */
  readonly redirectPort: number | undefined;
}

/** Lets the handler see requests as the connector is told that clients send them. */
export function withSecurity(handler: RequestHandler, security: ConnectorSecurity): RequestHandler {
  const { scheme, secure, insecureCookies, proxyPort, redirectPort } = security;
  return (request, responder) => {
    if (redirectPort !== undefined && !secure && wantsPage(request)) {
      request.body?.cancel();
      const location = `https://${hostOf(request)}:${redirectPort}${request.target}`;
      responder.respond({ status: 302, headers: ['Location', location, 'Cache-Control', 'no-store'] }, null);
      return;
    }
    const headers = proxyPort === undefined ? request.headers : withHost(request, proxyPort);
    const seen = { ...request, scheme, headers };
    if (!insecureCookies) return handler(seen, responder);
    const loosening = respondThrough(responder, (head, body) =>
      responder.respond({ ...head, headers: withoutSecure(head.headers) }, body),
    );
    handler(seen, loosening);
  };
}

/** True for what a person opens in a browser. */
function wantsPage({ method, headers }: HttpRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && (getHeader(headers, 'Accept') ?? '').includes('text/html');
}

function hostOf({ headers }: HttpRequest): string {
  return (getHeader(headers, 'Host') ?? 'localhost').replace(/:\d+$/, '');
}

function withHost(request: HttpRequest, port: number): HeaderList {
  return request.headers.map((value, index, all) =>
    index % 2 === 1 && all[index - 1]?.toLowerCase() === 'host' ? `${hostOf(request)}:${port}` : value,
  );
}

/** Cookies whose names promise that they are secure stay so; browsers would not take them otherwise. */
function withoutSecure(headers: Readonly<HeaderList>): HeaderList {
  return headers.map((value, index, all) => {
    const isCookie = index % 2 === 1 && all[index - 1]?.toLowerCase() === 'set-cookie';
    return isCookie && !/^__(?:Host|Secure)-/.test(value) ? value.replace(/; *Secure\b/i, '') : value;
  });
}
