import type { Audit } from '#core';
import { MillraceError } from '#errors';
import { changeOf } from './audited.ts';
import { type BodyLimits, formFields, readRequestBody } from './body.ts';
import { corsHeaders, type CorsOptions, preflightHeaders } from './cors.ts';
import { errorBodyOf, RestError, toRestError } from './errors.ts';
import type { AuditedCall, Connection, Operation, OperationInput, Principal } from './operation.ts';
import { jsonResponse } from './responses.ts';
import { compileRoutes, type RouteMatch } from './routes.ts';
import { validateParts } from './validate.ts';

/** Answers one request; never rejects. */
export type FetchHandler = (request: Request, connection?: Connection) => Promise<Response>;

export interface RestApiOptions {
  readonly title: string;
  readonly version: string;
  /** Such as `/api/am/publisher/v4`; empty for the root. */
  readonly basePath: string;
  readonly operations: readonly Operation[];
  /** The address before `basePath` at which callers reach the API, for its definition. */
  readonly publicUrl?: string;
  /**
   * Finds out who calls. Undefined means without credentials; wrong ones are thrown as a `MillraceError` (401).
   * Needed as soon as an operation has a scope.
   */
  readonly authenticate?: (
    request: Request,
    connection: Connection | undefined,
  ) => Promise<Principal | undefined> | Principal | undefined;
  /** `WWW-Authenticate` of 401 answers; `Bearer` when absent. */
  readonly challenge?: string;
  /** The tenant of a request; the caller's, else the super tenant, when absent. */
  readonly resolveTenant?: (request: Request, principal: Principal | undefined) => string;
  readonly audit?: Audit;
  readonly cors?: CorsOptions;
  readonly limits?: BodyLimits;
  /** Another body for errors, where clients of the original parse it; undefined means an empty one. */
  readonly errorBody?: (error: MillraceError, request: Request) => unknown;
}

export interface RestApi {
  readonly basePath: string;
  readonly fetch: FetchHandler;
  /** The OpenAPI 3.1 document of the API. */
  openapi(): Promise<Readonly<Record<string, unknown>>>;
}

interface Call {
  readonly request: Request;
  readonly connection: Connection | undefined;
  readonly url: URL;
}

type CallInput = Pick<OperationInput<unknown, unknown, unknown>, 'path' | 'query' | 'body'>;

const superTenant = 'carbon.super';

/**
 * Makes an API of operations. An operation is refused to everybody unless it names a scope or says that it is public.
 *
 * @throws MillraceError `MR_REST_SCOPE` for an operation with neither or both, `MR_REST_DUPLICATE`
 */
export function createRestApi(options: RestApiOptions): RestApi {
  for (const operation of options.operations) checkProtection(operation, options);
  const findRoute = compileRoutes(options.basePath, options.operations);

  const answer = async (call: Call): Promise<Response> => {
    const { request, url } = call;
    const route = findRoute(url.pathname);
    if (!route) {
      throw new RestError({ code: 'MR_REST_NOT_FOUND', status: 404, message: `Nothing is at ${url.pathname}` });
    }
    if (request.method === 'OPTIONS') return answerOptions(route, options.cors);
    const isHead = request.method === 'HEAD';
    const operation = route.methods.get(isHead ? 'GET' : request.method);
    if (!operation) throw wrongMethod(request.method, route);
    const response = await perform(operation, route, call);
    return isHead ? new Response(null, response) : response;
  };

  const perform = async (operation: Operation, route: RouteMatch, call: Call): Promise<Response> => {
    let principal: Principal | undefined;
    // As far as it was sent, until it has been read.
    let input: CallInput = { path: route.path, query: formFields(call.url.search), body: undefined };
    try {
      principal = await options.authenticate?.(call.request, call.connection);
      const tenant = options.resolveTenant?.(call.request, principal) ?? principal?.tenant ?? superTenant;
      checkAccess(operation, principal, tenant);
      const read = await readInput(operation, route, { ...call, principal, tenant });
      input = read;
      const response = toResponse(operation, await operation.handle(read));
      record(operation, call, { input, principal, tenant, status: response.status });
      return response;
    } catch (error) {
      const { status } = toFailure(error);
      record(operation, call, { input, principal, tenant: principal?.tenant ?? superTenant, status });
      throw error;
    }
  };

  const readInput = async (
    operation: Operation,
    route: RouteMatch,
    context: Pick<OperationInput<unknown, unknown, unknown>, 'request' | 'url' | 'connection' | 'principal' | 'tenant'>,
  ): Promise<OperationInput<unknown, unknown, unknown>> => {
    const { request, url, connection, principal, tenant } = context;
    const takesBody = operation.body !== undefined || operation.bodyForm !== undefined;
    const [path, query, body] = await validateParts([
      { name: 'path', schema: operation.parameters?.path, value: route.path },
      { name: 'query', schema: operation.parameters?.query, value: formFields(url.search) },
      {
        name: 'body',
        schema: operation.body,
        value: takesBody
          ? await readRequestBody(request, operation.bodyForm ?? 'json', options.limits ?? {})
          : undefined,
      },
    ]);
    return { path, query, body, request, url, connection, principal, tenant };
  };

  const record = (
    operation: Operation,
    call: Call,
    outcome: { input: CallInput; principal: Principal | undefined; tenant: string; status: number },
  ): void => {
    const { input, principal, tenant, status } = outcome;
    const change = changeOf(operation, { ...input, url: call.url } as AuditedCall<unknown, unknown, unknown>);
    if (!change) return;
    const { method } = call.request;
    options.audit?.record({
      actor: operation.actor?.({ request: call.request, body: input.body }) ?? principal?.name ?? 'anonymous',
      tenant,
      ...change,
      outcome: status < 400 ? 'success' : 'failure',
      detail: {
        status,
        call: `${method} ${call.url.pathname}`,
        ...(call.connection && { address: call.connection.peer.address }),
      },
    });
  };

  const answerError = (error: MillraceError, request: Request): Response => {
    const headers = {
      ...(error instanceof RestError && error.headers),
      ...(error.status === 401 && { 'WWW-Authenticate': options.challenge ?? 'Bearer' }),
    };
    const body = options.errorBody ? options.errorBody(error, request) : errorBodyOf(error);
    return body === undefined
      ? new Response(null, { status: error.status, headers: { 'Content-Length': '0', ...headers } })
      : jsonResponse(body, error.status, headers);
  };

  return {
    basePath: options.basePath,
    async fetch(request, connection) {
      let response: Response;
      try {
        response = await answer({ request, connection, url: new URL(request.url) });
      } catch (thrown) {
        response = answerError(toRestError(thrown, request), request);
        if (request.method === 'HEAD') response = new Response(null, response);
      }
      return withHeaders(response, corsHeaders(options.cors, request.headers.get('Origin')));
    },
    async openapi() {
      const { describeApi } = await import('./openapi.ts');
      return describeApi(options);
    },
  };
}

function checkProtection(operation: Operation, options: RestApiOptions): void {
  const { id, scope } = operation;
  const fault =
    (scope === undefined) === (operation.public === undefined)
      ? 'must name a scope or say that it is public, one of the two'
      : scope !== undefined && !options.authenticate && 'has a scope, but the API authenticates nobody';
  if (fault) throw new MillraceError({ code: 'MR_REST_SCOPE', message: `The operation ${id} ${fault}` });
}

function checkAccess(operation: Operation, principal: Principal | undefined, tenant: string): void {
  const { scope } = operation;
  if (scope !== undefined) {
    if (!principal) throw new RestError({ code: 'MR_REST_UNAUTHENTICATED', status: 401, message: 'Sign in first' });
    if (!principal.hasScope(scope)) throw forbidden(`This needs the scope ${scope}`);
  }
  if (operation.tenant === 'super' && tenant !== superTenant) throw forbidden('Only the super tenant may do this');
  if (operation.tenant === 'notSuper' && tenant === superTenant) {
    throw new RestError({ code: 'MR_REST_TENANT', status: 405, message: 'The super tenant may not do this' });
  }
}

function toFailure(error: unknown): { readonly status: number } {
  return error instanceof MillraceError ? error : { status: 500 };
}

function toResponse(operation: Operation, result: unknown): Response {
  if (result instanceof Response) return result;
  if (result === undefined) return new Response(null, { status: 204 });
  const status = Object.keys(operation.responses).find((code) => code.startsWith('2'));
  return jsonResponse(result, Number(status ?? 200));
}

function answerOptions(route: RouteMatch, cors: CorsOptions | undefined): Response {
  const allowed = allowedMethods(route);
  const headers = { Allow: allowed.join(', '), ...(cors && preflightHeaders(cors, allowed)) };
  return new Response(null, {
    status: cors ? 200 : 204,
    headers: cors ? { ...headers, 'Content-Length': '0' } : headers,
  });
}

function allowedMethods(route: RouteMatch): string[] {
  const methods = [...route.methods.keys()];
  return [...methods, ...(route.methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

function wrongMethod(method: string, route: RouteMatch): RestError {
  const allow = allowedMethods(route).join(', ');
  return new RestError({
    code: 'MR_REST_METHOD',
    status: 405,
    message: `${method} is not possible here; possible are ${allow}`,
    headers: { Allow: allow },
  });
}

function forbidden(message: string): RestError {
  return new RestError({ code: 'MR_REST_FORBIDDEN', status: 403, message });
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const names = Object.keys(headers);
  if (names.length === 0) return response;
  const changed = new Response(response.body, response);
  for (const name of names) changed.headers.append(name, headers[name] ?? '');
  return changed;
}
