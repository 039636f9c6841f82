import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { Tenant } from '../tenants/tenant.ts';
import { aliasOf } from './revoke.ts';
import type { OAuthServices } from './services.ts';
import type { TokenRecord } from './tokens.ts';

/** Finds a tenant by its number. */
export type TenantById = (id: number) => Promise<Tenant | undefined>;

/**
 * The record of an access token that is good now; undefined for everything else. A JWT counts only with a signature of
 * a key of its tenant, and as long as it is stored: so a revoked one is not good. No token of a tenant that was stopped is.
 */
export async function findAccessToken(
  token: string,
  { tokens, keys, settings, clock }: Pick<OAuthServices, 'tokens' | 'keys' | 'settings' | 'clock'>,
  tenantOf: TenantById,
): Promise<TokenRecord | undefined> {
  const alias = aliasOf(token);
  const record = await tokens.findAccess(alias);
  if (!record || !(await isOfActiveTenants(record, tenantOf))) return undefined;
  if (record.form === 'opaque') return alias === token ? record : undefined;
  const tenant = await tenantOf(record.tenantId);
  if (!tenant) return undefined;
  const now = clock.now() - settings.tokens.skew;
  const isSigned = await hasOurSignature(token, await keys.published(tenant), now);
  return isSigned ? record : undefined;
}

/** Whether both the tenant of the client and that of the user work. */
export async function isOfActiveTenants(
  { tenantId, subject }: Pick<TokenRecord, 'tenantId' | 'subject'>,
  tenantOf: TenantById,
): Promise<boolean> {
  if (!(await tenantOf(tenantId))?.isActive) return false;
  return subject.tenant.id === tenantId || (await tenantOf(subject.tenant.id))?.isActive === true;
}

async function hasOurSignature(
  token: string,
  keys: Awaited<ReturnType<OAuthServices['keys']['published']>>,
  now: number,
): Promise<boolean> {
  try {
    const { kid } = decodeProtectedHeader(token);
    const key = keys.find(({ id }) => id === kid);
    if (!key) return false;
    await jwtVerify(token, key.publicKey, {
      algorithms: [key.algorithm],
      currentDate: new Date(now),
      clockTolerance: 1,
    });
    return true;
  } catch {
    // Whatever is wrong with it, the token is not good; the caller answers so.
    return false;
  }
}
