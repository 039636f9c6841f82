import { isUtf8 } from 'node:buffer';
import { getLogger } from '#core';
import { MillraceError, toError } from '#errors';
import { getHeader, readBody, type HeaderList } from '#message';
import type { HttpRequest, HttpResponder, RequestHandler } from '#transport';
import { superTenant, type Tenant } from '../tenants/tenant.ts';
import { answerForError } from './answer-error.ts';
import { emptyAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from './endpoint.ts';

const log = getLogger('identity');

/** Most bytes of a request body. */
const bodyLimit = 256 * 1024;

export interface ServeOptions {
  readonly endpoints: readonly Endpoint[];
  /** The tenant of a domain, undefined when there is none; an inactive one is refused. */
  readonly findTenant: (domain: string) => Promise<Tenant | undefined>;
  /** Takes requests to other paths; they are answered with 404 when absent. */
  readonly otherwise?: RequestHandler;
  /** Address of the server, which answers show when the request has no Host; pages are below its path. */
  readonly publicUrl: string;
}

interface Routed {
  readonly endpoint: Endpoint;
  readonly domain: string | undefined;
  readonly path: string;
}

/** Serves the endpoints at their paths, and below `/t/DOMAIN` for tenants. */
export function serveEndpoints(options: ServeOptions): RequestHandler {
  const route = createRouter(options.endpoints);
  const { origin, pathname } = new URL(options.publicUrl);
  const site = { ...options, origin, publicPath: pathname.replace(/\/$/, '') };
  return (request, responder) => {
    const queryStart = request.target.indexOf('?');
    const path = queryStart < 0 ? request.target : request.target.slice(0, queryStart);
    const routed = route(path);
    if (!routed && options.otherwise) options.otherwise(request, responder);
    else
      void answer(site, request, {
        routed,
        responder,
        query: queryStart < 0 ? '' : request.target.slice(queryStart + 1),
      });
  };
}

/** A path of a tenant; metadata stand between the host and the path of its issuer, too (RFC 8414 §3.1). */
const tenantPattern = /^(\/\.well-known\/[^/]+)?\/t\/([^/]+)(\/.*)$/;

/** Finds the endpoint of a path; exact paths first, then the longest folder. */
function createRouter(endpoints: readonly Endpoint[]): (path: string) => Routed | undefined {
  const exact = new Map<string, Endpoint>();
  const folders: (readonly [folder: string, endpoint: Endpoint])[] = [];
  for (const endpoint of endpoints) {
    if (endpoint.path.endsWith('/*')) folders.push([endpoint.path.slice(0, -1), endpoint]);
    else exact.set(endpoint.path, endpoint);
  }
  folders.sort(([left], [right]) => right.length - left.length);
  const find = (path: string): Endpoint | undefined =>
    exact.get(path) ?? folders.find(([folder]) => path.startsWith(folder))?.[1];
  return (full) => {
    const [, before = '', domain, after] = tenantPattern.exec(full) ?? [];
    const path = after === undefined ? full : before + after;
    const endpoint = find(path);
    return endpoint && { endpoint, domain, path };
  };
}

interface Call {
  readonly routed: Routed | undefined;
  readonly responder: HttpResponder;
  readonly query: string;
}

interface Site extends ServeOptions {
  readonly origin: string;
  readonly publicPath: string;
}

async function answer(options: Site, request: HttpRequest, call: Call): Promise<void> {
  let given: EndpointAnswer;
  try {
    given = await respondTo(options, request, call);
  } catch (thrown) {
    given = answerForError(thrown);
    const fields = { method: request.method, path: call.routed?.path, err: toError(thrown) };
    if (given.status >= 500) log.error(fields, 'a request failed');
  }
  if (call.responder.finished) return;
  const body = given.body === '' || request.method === 'HEAD' ? null : Buffer.from(given.body);
  call.responder.respond({ status: given.status, headers: [...given.headers] }, body);
}

async function respondTo(options: Site, request: HttpRequest, call: Call): Promise<EndpointAnswer> {
  const { routed, query } = call;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (!routed) return refuse(request, 404);
  const { endpoint, domain, path } = routed;
  const cors: HeaderList = endpoint.isOpenToScripts ? ['Access-Control-Allow-Origin', '*'] : [];
  if (method === 'OPTIONS') return preflight(request, endpoint, cors);
  if (!endpoint.methods.includes(method as Endpoint['methods'][number])) {
    return refuse(request, 405, ['Allow', [...endpoint.methods, 'OPTIONS'].join(', ')]);
  }
  const tenant = domain === undefined ? superTenant : await options.findTenant(domain.toLowerCase());
  if (!tenant) return refuse(request, 404);
  if (!tenant.isActive) return refuse(request, 403);
  const body = request.body === null ? '' : textOf(await readBody(request.body, bodyLimit));
  const host = getHeader(request.headers, 'Host');
  const given = await endpoint.handle({
    method,
    path,
    query,
    headers: request.headers,
    body,
    tenant,
    publicPath: options.publicPath,
    namesTenant: domain !== undefined,
    peer: request.peer,
    origin: host === undefined ? options.origin : `${request.scheme}://${host}`,
  });
  return cors.length === 0 ? given : { ...given, headers: [...given.headers, ...cors] };
}

function preflight(request: HttpRequest, { methods }: Endpoint, cors: HeaderList): EndpointAnswer {
  request.body?.cancel();
  const asked = getHeader(request.headers, 'Access-Control-Request-Headers');
  const allowed: HeaderList = cors.length === 0 ? [] : ['Access-Control-Allow-Methods', methods.join(', ')];
  if (cors.length > 0 && asked !== undefined && /^[\w\s,-]+$/.test(asked)) {
    allowed.push('Access-Control-Allow-Headers', asked);
  }
  return emptyAnswer(204, ['Allow', [...methods, 'OPTIONS'].join(', '), ...cors, ...allowed]);
}

function refuse(request: HttpRequest, status: number, headers: HeaderList = []): EndpointAnswer {
  request.body?.cancel();
  return emptyAnswer(status, headers);
}

function textOf(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  throw new MillraceError({ code: 'invalid_request', status: 400, message: 'The body is no UTF-8 text' });
}

export type { EndpointRequest };
