import { getLogger } from '#core';
import { toError } from '#errors';
import { getHeader, type HeaderList } from '#message';
import type { HttpRequest, HttpResponder, RequestHandler } from '#transport';
import type { FetchHandler } from './api.ts';
import { sourceOf, streamOf } from './body-stream.ts';
import { jsonResponse } from './responses.ts';

const log = getLogger('rest');

/** Lets a fetch-shaped handler answer the requests of a listener. */
export function serveRest(fetch: FetchHandler): RequestHandler {
  return (request, responder) => void answer(fetch, request, responder);
}

async function answer(fetch: FetchHandler, request: HttpRequest, responder: HttpResponder): Promise<void> {
  const gone = new AbortController();
  responder.onGone(() => gone.abort());
  let response: Response;
  try {
    response = await respondTo(fetch, request, gone.signal);
  } catch (error) {
    log.error({ method: request.method, err: toError(error) }, 'request failed');
    response = refusal(500, 'MR_REST_INTERNAL', 'The server failed to answer');
  }
  if (responder.finished) {
    await response.body?.cancel();
    return;
  }
  send(response, responder);
}

function respondTo(fetch: FetchHandler, request: HttpRequest, signal: AbortSignal): Promise<Response> | Response {
  if (request.method === 'TRACE' || request.method === 'CONNECT') {
    return refusal(405, 'MR_REST_METHOD', `${request.method} is not possible here`);
  }
  const url = urlOf(request);
  if (!url) return refusal(400, 'MR_REST_PATH', 'The request target cannot be read in one way only');
  const headers = new Headers();
  for (let index = 0; index < request.headers.length; index += 2) {
    headers.append(request.headers[index] ?? '', request.headers[index + 1] ?? '');
  }
  const hasBody = request.body !== null && request.method !== 'GET' && request.method !== 'HEAD';
  if (request.body !== null && !hasBody) request.body.cancel();
  const body = hasBody && request.body ? streamOf(request.body) : null;
  const init = { method: request.method, headers, body, signal, ...(body && { duplex: 'half' as const }) };
  return fetch(new Request(url, init), { peer: request.peer, localPort: request.localPort });
}

/** The URL of a request, or undefined when the URL parser would change what the target says. */
function urlOf(request: HttpRequest): string | undefined {
  const { target } = request;
  const path = target.split('?', 1)[0] ?? '';
  if (!path.startsWith('/') || /[\\#]/.test(target) || /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) return undefined;
  const host = getHeader(request.headers, 'Host') ?? 'localhost';
  const url = `${request.scheme}://${host}${target}`;
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(url) ? url : undefined;
}

function send(response: Response, responder: HttpResponder): void {
  const headers: HeaderList = [];
  for (const [name, value] of response.headers) {
    if (name !== 'content-length' && name !== 'transfer-encoding') headers.push(name, value);
  }
  const declared = response.headers.get('Content-Length');
  const body = response.body && sourceOf(response.body, declared === null ? undefined : Number(declared));
  responder.respond({ status: response.status, headers }, body);
}

function refusal(status: number, code: string, message: string): Response {
  return jsonResponse({ code, message }, status);
}
