import { MillraceError } from '#errors';
import { createSite, jsonResponse, type FetchHandler, type Mount } from '#rest';
import { superTenant, type Tenant } from '../tenants/tenant.ts';

/** The tenants of requests whose path named one; others are the super tenant's. */
const tenants = new WeakMap<Request, Tenant>();

/** The tenant that the path of a request named. */
export function tenantOfRequest(request: Request): Tenant {
  return tenants.get(request) ?? superTenant;
}

/**
 * Serves APIs, which the map may gain later, below their own paths for the super tenant, and below `/t/DOMAIN` for every tenant. An unknown tenant is
 * answered with 404, an inactive one with 403 (identity 5.4).
 */
export function createTenantSite(
  apis: ReadonlyMap<string, FetchHandler>,
  findTenant: (domain: string) => Promise<Tenant | undefined>,
): FetchHandler {
  let mounted = -1;
  let inner: FetchHandler;
  // Modules add theirs as they start.
  const site: FetchHandler = (request, connection) => {
    if (mounted !== apis.size) {
      inner = createSite([...apis].map(([path, fetch]): Mount => ({ path, fetch })));
      mounted = apis.size;
    }
    return inner(request, connection);
  };
  return async (request, connection) => {
    const url = new URL(request.url);
    const match = /^\/t\/([^/]+)(\/.*)$/.exec(url.pathname);
    if (!match) return site(request, connection);
    const tenant = await findTenant(decodeURIComponent(match[1] ?? '').toLowerCase());
    if (!tenant?.isActive) {
      const error = new MillraceError({
        code: 'MR_TENANT_UNKNOWN',
        status: tenant ? 403 : 404,
        message: tenant ? 'The tenant is not active' : 'There is no such tenant',
      });
      return jsonResponse({ code: error.code, message: error.message }, error.status);
    }
    url.pathname = match[2] ?? '/';
    const below = new Request(url, request);
    tenants.set(below, tenant);
    return site(below, connection);
  };
}
