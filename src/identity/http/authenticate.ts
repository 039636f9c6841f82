import { RestError, type Connection, type Principal } from '#rest';
import type { FindCaller } from '../oauth/callers.ts';
import { tenantOfRequest } from './tenant-site.ts';

/** Finds out who calls an administrative API; callers stay within the tenant that the path names. */
export function authenticateBy(
  findCaller: FindCaller,
): (request: Request, connection: Connection | undefined) => Promise<Principal | undefined> {
  return async (request, connection) => {
    const authorization = request.headers.get('Authorization') ?? undefined;
    if (authorization === undefined) return undefined;
    const tenant = tenantOfRequest(request);
    const caller = await findCaller(authorization, tenant, connection?.peer.address);
    if (!caller) {
      throw new RestError({ code: 'MR_REST_UNAUTHENTICATED', status: 401, message: 'The credentials are wrong' });
    }
    if (caller.tenant.id !== tenant.id) {
      throw new RestError({ code: 'MR_REST_FORBIDDEN', status: 403, message: 'This belongs to another tenant' });
    }
    return { name: caller.name, tenant: caller.tenant.domain, hasScope: (scope) => caller.hasScope(scope) };
  };
}
