import type { Tenant } from '../tenants/tenant.ts';
import { findAccessToken } from './access-tokens.ts';
import type { OAuthServices } from './services.ts';
import type { GuardCredentials } from '../sessions/credential-guard.ts';
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
  /** Slows down who guesses passwords. */
  readonly guard: GuardCredentials;
  readonly tenantById: (id: number) => Promise<Tenant | undefined>;
  /** Users with this role may do everything in their tenant. */
  readonly adminRole: string;
}

/**
 * Finds out who calls; undefined for no or wrong credentials. `tenant` is that of the path, for names without one;
 * `address` is where the request came from.
 *
 * @throws MillraceError `MR_SIGN_IN_WAIT` (429) after too many wrong passwords
 */
export type FindCaller = (
  authorization: string | undefined,
  tenant: Tenant,
  address?: string,
) => Promise<Caller | undefined>;

export function createFindCaller(parts: CallerParts): FindCaller {
  return async (authorization, tenant, address) => {
    const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(authorization ?? '') ?? [];
    if (/^bearer$/i.test(scheme)) return bearer(value, parts);
    return /^basic$/i.test(scheme) ? user(value, { tenant, address }, parts) : undefined;
  };
}

async function bearer(token: string, parts: CallerParts): Promise<Caller | undefined> {
  const record = await findAccessToken(token, parts, parts.tenantById);
  if (!record) return undefined;
  const { subject, scopes } = record;
  return { tenant: subject.tenant, name: subject.name, hasScope: (scope) => scopes.includes(scope) };
}

interface Where {
  readonly tenant: Tenant;
  readonly address: string | undefined;
}

async function user(encoded: string, { tenant, address }: Where, parts: CallerParts): Promise<Caller | undefined> {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)];
  const found = await parts.guard({ tenantId: tenant.id, username, password, address }, async () => {
    const resolved = await resolveUserName(username, tenant, parts);
    return resolved && (await parts.users.signIn(resolved.tenant, resolved.name, password)).user;
  });
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
