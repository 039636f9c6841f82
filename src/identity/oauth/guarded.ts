import { getHeader } from '#message';
import { emptyAnswer, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import type { Caller, FindCaller } from './callers.ts';

/**
 * Lets only callers of the request's tenant pass who have the scope of the method: 401 without good credentials, 403
 * without the scope.
 */
export function guarded(
  findCaller: FindCaller,
  scopes: Readonly<Record<string, string>>,
  handle: (request: EndpointRequest, caller: Caller) => Promise<EndpointAnswer>,
): (request: EndpointRequest) => Promise<EndpointAnswer> {
  return async (request) => {
    const caller = await findCaller(getHeader(request.headers, 'Authorization'), request.tenant);
    if (!caller) return emptyAnswer(401, ['WWW-Authenticate', 'Basic realm="millrace", Bearer']);
    const isOfTenant = caller.tenant.id === request.tenant.id;
    if (!isOfTenant || !caller.hasScope(scopes[request.method] ?? '')) return emptyAnswer(403);
    return handle(request, caller);
  };
}
