import type { Audit } from '#core';
import { createRestApi, jsonResponse, type FetchHandler, type Principal } from '#rest';
import type { SenderService } from '../senders/sender-service.ts';
import type { NotifyTenant } from '../tenant.ts';
import { errorBodyFor } from './error-body.ts';
import { senderOperations } from './sender-operations.ts';

/** Somebody who calls, as the authorization server knows them. */
export interface SenderCaller {
  readonly tenant: NotifyTenant;
  readonly name: string;
  hasScope(scope: string): boolean;
}

export interface SenderApiOptions {
  readonly senders: SenderService;
  /** Who calls; undefined for no or wrong credentials. */
  readonly findCaller: (authorization: string | undefined, tenant: NotifyTenant) => Promise<SenderCaller | undefined>;
  /** The tenant that the path of a request named, which stands below `/t/DOMAIN` on the server's ports. */
  readonly tenantOf: (request: Request) => NotifyTenant;
  /** Scheme and authority at which callers reach the server. */
  readonly publicUrl: () => string;
  readonly audit?: Audit;
}

/** Where the API is, below the tenant's path. */
export const senderApiPath = '/api/server/v1/notification-senders';

/**
 * The notification senders of tenants; to the super tenant all of them are refused (identity 6.2). The definition is at
 * `/api/server/v1/notification-senders/openapi.json`.
 */
export function createSenderApi(options: SenderApiOptions): FetchHandler {
  const { senders, findCaller, tenantOf, publicUrl, audit } = options;
  const api = createRestApi({
    title: 'Notification senders',
    version: 'v1',
    basePath: '/api/server/v1',
    operations: senderOperations({ senders, tenantOf, publicUrl }),
    challenge: 'Basic realm="millrace"',
    errorBody: errorBodyFor,
    ...(audit && { audit }),
    async authenticate(request): Promise<Principal | undefined> {
      const tenant = tenantOf(request);
      const caller = await findCaller(request.headers.get('Authorization') ?? undefined, tenant);
      if (!caller) return undefined;
      // Whoever belongs to another tenant may do nothing in this one.
      const isOwn = caller.tenant.id === tenant.id;
      return { name: caller.name, tenant: tenant.domain, hasScope: (scope) => isOwn && caller.hasScope(scope) };
    },
  });
  return async (request, connection) => {
    const isDefinition = new URL(request.url).pathname === `${senderApiPath}/openapi.json`;
    return isDefinition && request.method === 'GET'
      ? jsonResponse(await api.openapi())
      : api.fetch(request, connection);
  };
}
