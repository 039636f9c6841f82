import { compactVerify, decodeProtectedHeader } from 'jose';
import type { Tenant } from '../tenants/tenant.ts';
import { issuerOf } from './issuer.ts';
import type { OAuthServices } from './services.ts';

/** What an ID token of ours says, that a client sends back as a hint. */
export interface IdTokenHint {
  readonly subject: string;
  /** Client to which it was issued. */
  readonly clientId: string;
  readonly sessionId: string | undefined;
}

/** Reads a hint: it must have a signature of the tenant's, and may have ended long ago (identity 2.8). Else undefined. */
export async function readIdTokenHint(
  token: string,
  tenant: Tenant,
  { keys, settings }: Pick<OAuthServices, 'keys' | 'settings'>,
): Promise<IdTokenHint | undefined> {
  let payload: Readonly<Record<string, unknown>>;
  try {
    const { kid, typ } = decodeProtectedHeader(token);
    const key = (await keys.published(tenant)).find(({ id }) => id === kid);
    // Access tokens have a type of their own and are no hint.
    if (!key || (typ !== undefined && typ !== 'JWT')) return undefined;
    const verified = await compactVerify(token, key.publicKey, { algorithms: [key.algorithm] });
    payload = JSON.parse(Buffer.from(verified.payload).toString('utf8')) as Record<string, unknown>;
  } catch {
    // A token that cannot be read or was not signed by us is no hint; callers answer so.
    return undefined;
  }
  const { iss, sub, aud, azp, sid } = payload;
  const clientId = azp ?? (Array.isArray(aud) ? (aud as unknown[])[0] : aud);
  if (iss !== issuerOf(settings, tenant) || typeof sub !== 'string' || typeof clientId !== 'string') return undefined;
  return { subject: sub, clientId, sessionId: typeof sid === 'string' ? sid : undefined };
}
