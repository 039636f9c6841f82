import type { Audit } from '#core';
import { getHeader } from '#message';
import { messageOf } from '#errors';
import { emptyAnswer, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import type { Caller, FindCaller } from './callers.ts';

export interface GuardParts {
  readonly findCaller: FindCaller;
  /** Takes a record of each change, whoever asked for it and however it ended. */
  readonly audit: Audit;
}

/**
 * Lets only callers of the request's tenant pass who have the scope of the method: 401 without good credentials, 403
 * without the scope.
 */
export function guarded(
  { findCaller, audit }: GuardParts,
  scopes: Readonly<Record<string, string>>,
  handle: (request: EndpointRequest, caller: Caller) => Promise<EndpointAnswer>,
): (request: EndpointRequest) => Promise<EndpointAnswer> {
  const answer = async (request: EndpointRequest, caller: Caller | undefined): Promise<EndpointAnswer> => {
    if (!caller) return emptyAnswer(401, ['WWW-Authenticate', 'Basic realm="millrace", Bearer']);
    const isOfTenant = caller.tenant.id === request.tenant.id;
    if (!isOfTenant || !caller.hasScope(scopes[request.method] ?? '')) return emptyAnswer(403);
    return handle(request, caller);
  };
  return async (request) => {
    const caller = await findCaller(getHeader(request.headers, 'Authorization'), request.tenant, request.peer.address);
    if (request.method === 'GET') return answer(request, caller);
    const record = (outcome: 'success' | 'failure', detail: Readonly<Record<string, unknown>>): void =>
      audit.record({
        actor: caller?.name ?? 'anonymous',
        tenant: request.tenant.domain,
        action: actions[request.method] ?? request.method,
        target: request.path,
        outcome,
        detail: { ...detail, address: request.peer.address },
      });
    try {
      const answered = await answer(request, caller);
      record(answered.status < 400 ? 'success' : 'failure', { status: answered.status });
      return answered;
    } catch (error) {
      record('failure', { error: messageOf(error) });
      throw error;
    }
  };
}

const actions: Readonly<Record<string, string>> = { POST: 'created', PUT: 'updated', DELETE: 'deleted' };
