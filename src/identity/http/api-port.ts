import type { HttpRequest, RequestHandler } from '#transport';

/** Paths of the API port, each with the endpoint that answers it (identity 1.1). */
const paths: Readonly<Record<string, string>> = {
  '/token': '/oauth2/token',
  '/revoke': '/oauth2/revoke',
  '/userinfo': '/oauth2/userinfo',
};

/**
 * The authorization server on the API port: `/token`, `/revoke` and `/userinfo` answer there; `/authorize` leads to the
 * server's own port, where the pages and the cookies are.
 *
 * @returns what answers each path
 */
export function apiPortHandlers(handler: RequestHandler, publicUrl: string): ReadonlyMap<string, RequestHandler> {
  const handlers = new Map<string, RequestHandler>();
  for (const [path, own] of Object.entries(paths)) {
    handlers.set(path, (request, responder) => handler({ ...request, target: own + queryOf(request) }, responder));
  }
  handlers.set('/authorize', (request, responder) => {
    request.body?.cancel();
    // 307 keeps the form of a request by POST, which has no credentials in it.
    const status = request.method === 'POST' ? 307 : 302;
    const location = `${publicUrl}/oauth2/authorize${queryOf(request)}`;
    responder.respond({ status, headers: ['Location', location, 'Cache-Control', 'no-store'] }, null);
  });
  return handlers;
}

function queryOf({ target }: HttpRequest): string {
  const start = target.indexOf('?');
  return start < 0 ? '' : target.slice(start);
}
