import type { Tenant } from '../tenants/tenant.ts';
import { findAccessToken } from './access-tokens.ts';
import type { OAuthServices } from './services.ts';
import { resolveUserName } from './user-name.ts';

/** Somebody who calls an administrative API: a user with HTTP Basic, or the bearer of a token. */
export interface Caller {
  readonly tenant: Tenant;
  /** User name without the tenant, or the id of the client. */
  readonly name: string;
  /** Whether the caller may do what the scope stands for, such as `internal_application_mgt_create`. */
  hasScope(scope: string): boolean;
}

/** What finding a caller needs of the services. */
type CallerServices = Pick<
  OAuthServices,
  'users' | 'findTenant' | 'emailNames' | 'tokens' | 'keys' | 'settings' | 'clock' | 'scopes'
>;

export interface CallerParts extends CallerServices {
  readonly tenantById: (id: number) => Promise<Tenant | undefined>;
  /** Users with this role may do everything in their tenant. */
  readonly adminRole: string;
}

/** Finds out who calls; undefined for no or wrong credentials. `tenant` is that of the path, for names without one. */
export type FindCaller = (authorization: string | undefined, tenant: Tenant) => Promise<Caller | undefined>;

export function createFindCaller(parts: CallerParts): FindCaller {
  return async (authorization, tenant) => {
    const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(authorization ?? '') ?? [];
    if (/^bearer$/i.test(scheme)) return bearer(value, parts);
    return /^basic$/i.test(scheme) ? user(value, tenant, parts) : undefined;
  };
}

async function bearer(token: string, parts: CallerParts): Promise<Caller | undefined> {
  const record = await findAccessToken(token, parts, parts.tenantById);
  if (!record) return undefined;
  const { subject, scopes } = record;
  return { tenant: subject.tenant, name: subject.name, hasScope: (scope) => scopes.includes(scope) };
}

async function user(encoded: string, tenant: Tenant, parts: CallerParts): Promise<Caller | undefined> {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const resolved = colon < 1 ? undefined : await resolveUserName(text.slice(0, colon), tenant, parts);
  if (!resolved) return undefined;
  const { user: found } = await parts.users.signIn(resolved.tenant, resolved.name, text.slice(colon + 1));
  if (!found) return undefined;
  const roles = new Set((await parts.users.roles(found)).map((role) => role.toLowerCase()));
  if (roles.has(parts.adminRole.toLowerCase())) {
    return { tenant: found.tenant, name: found.name, hasScope: () => true };
  }
  const bound = await parts.scopes.list(found.tenant);
  const granted = bound.filter((scope) => scope.roles.some((role) => roles.has(role.toLowerCase())));
  const names = new Set(granted.map(({ name }) => name));
  return { tenant: found.tenant, name: found.name, hasScope: (scope) => names.has(scope) };
}
