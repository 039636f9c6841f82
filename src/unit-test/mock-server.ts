import { getHeader, readBody } from '#message';
import { startHttpListener, type HttpRequest, type HttpResponder } from '#transport';
import { comparable } from './comparable.ts';
import { typeOf } from './payload-type.ts';
import type { MockResource, MockService } from './suite.ts';

/** A mock service that listens. */
export interface MockServer extends AsyncDisposable {
  /** What endpoints are pointed at: origin and context. */
  readonly address: string;
}

/** Most bytes of a request that a mock service compares. */
const largestRequest = 16 * 1024 * 1024;

/** Starts a mock service on a free port of the loopback interface (mediators 17). */
export async function startMockServer(service: MockService): Promise<MockServer> {
  const listener = await startHttpListener({ host: '127.0.0.1', port: 0 }, (request, responder) => {
    void serve(service, request, responder);
  });
  return {
    address: `http://127.0.0.1:${listener.port}${service.context}`,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

async function serve(service: MockService, request: HttpRequest, responder: HttpResponder): Promise<void> {
  let body: string;
  try {
    const bytes = request.body ? await readBody(request.body, largestRequest) : new Uint8Array();
    body = Buffer.from(bytes).toString('utf8');
  } catch {
    // Whoever sent the request has gone, or sent more than anybody compares.
    responder.respond({ status: 413, headers: [] }, null);
    return;
  }
  const resource = findResource(service, request, body);
  if (!resource) {
    const text = `The mock service ${service.name} has no resource for ${request.method} ${request.target}\n`;
    responder.respond({ status: 404, headers: ['Content-Type', 'text/plain; charset=UTF-8'] }, Buffer.from(text));
    return;
  }
  const { status, response } = resource;
  const headers = response.headers.flat();
  const payload = response.payload ?? '';
  if (payload !== '' && getHeader(headers, 'Content-Type') === undefined) headers.push('Content-Type', typeOf(payload));
  responder.respond({ status, headers: headers.filter(isNoFraming) }, payload === '' ? null : Buffer.from(payload));
}

/** Framing is the transport's: what a suite says about it could contradict what is sent. */
function isNoFraming(_: string, index: number, headers: readonly string[]): boolean {
  const name = headers[index - (index % 2)] ?? '';
  return !/^(content-length|transfer-encoding|connection)$/i.test(name);
}

/** The first resource that fits; one at the context itself also answers what goes below it. */
function findResource(service: MockService, request: HttpRequest, body: string): MockResource | undefined {
  const { target } = request;
  const path = (target.split('?', 1)[0] ?? '').replace(/\/+$/, '');
  const fitting = service.resources.filter((resource) => fits(resource, request, body));
  const at = (wanted: string): MockResource | undefined => fitting.find((resource) => resource.path === wanted);
  if (!path.startsWith(service.context)) return undefined;
  const rest = path.slice(service.context.length);
  return at(target.slice(service.context.length)) ?? at(rest) ?? at('');
}

function fits({ method, request: wanted }: MockResource, request: HttpRequest, body: string): boolean {
  if (method !== request.method) return false;
  const { headers, payload } = wanted;
  if (!headers.every(([name, value]) => getHeader(request.headers, name) === value)) return false;
  return payload === undefined || method === 'GET' || comparable(payload) === comparable(body);
}
