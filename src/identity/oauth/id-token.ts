import { hash, randomUUID } from 'node:crypto';
import { signJwt } from '../keys/sign-jwt.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { classOf } from './authentication.ts';
import type { Client } from './client.ts';
import type { GrantResult } from './grant.ts';
import { issuerOf } from './issuer.ts';
import type { OAuthServices } from './services.ts';
import type { TokenRecord } from './tokens.ts';

export interface IdTokenFacts {
  readonly record: Pick<TokenRecord, 'subject' | 'scopes' | 'issuedAt' | 'authenticatedAt'>;
  readonly client: Client;
  readonly tenant: Tenant;
  /** For `at_hash`. */
  readonly accessToken?: string;
  /** For `c_hash`. */
  readonly code?: string;
  /** For `s_hash`, where the token comes by the browser (FAPI 1.0 Advanced 5.1.1). */
  readonly state?: string;
  readonly grant: Pick<GrantResult, 'nonce' | 'sessionId' | 'requestedClaims' | 'authentication'>;
}

/** Signs an ID token (OpenID Connect Core 2, identity 4.2). */
export async function signIdToken(facts: IdTokenFacts, services: OAuthServices): Promise<string> {
  const { record, client, tenant, grant, accessToken, code, state } = facts;
  const { settings, clock, keys, own } = services;
  const key = await keys.current(tenant, client.idTokenAlgorithm ?? settings.signingAlgorithm);
  const now = Math.floor(clock.now() / 1000);
  const described = { kind: 'id_token', tenant, client, subject: record.subject, scopes: record.scopes } as const;
  const lifetime = client.lifetimes.idToken ?? Math.floor(settings.idTokenLifetime / 1000);
  const claims = {
    ...(await claimsOf(facts, services)),
    ...(await own.addClaims?.(described)),
    iss: issuerOf(settings, tenant),
    sub: record.subject.id,
    aud: [client.id, ...client.audiences],
    azp: client.id,
    iat: now,
    exp: now + lifetime,
    jti: randomUUID(),
    ...(record.authenticatedAt !== undefined && { auth_time: Math.floor(record.authenticatedAt / 1000) }),
    ...(grant.authentication && { amr: grant.authentication.methods, acr: classOf(grant.authentication) }),
    ...(grant.nonce !== undefined && { nonce: grant.nonce }),
    ...(grant.sessionId !== undefined && { sid: grant.sessionId }),
    ...(accessToken !== undefined && { at_hash: leftHalf(accessToken) }),
    ...(code !== undefined && { c_hash: leftHalf(code) }),
    ...(state !== undefined && { s_hash: leftHalf(state) }),
  };
  const built = own.buildIdToken ? await own.buildIdToken(claims, described) : claims;
  return typeof built === 'string' ? built : signJwt(built, key);
}

function claimsOf(
  { record, client, grant }: IdTokenFacts,
  services: OAuthServices,
): ReturnType<OAuthServices['claimsOf']> {
  const { subject, scopes } = record;
  if (subject.type !== 'user') return Promise.resolve({});
  return services.claimsOf({
    userId: subject.id,
    tenant: subject.tenant,
    scopes,
    configured: client.claims.length === 0 ? undefined : client.claims,
    requested: grant.requestedClaims ?? [],
  });
}

/** `at_hash`, `c_hash` and `s_hash`: both signing algorithms that we have go with SHA-256 (OpenID Connect Core 3.1.3.6). */
function leftHalf(value: string): string {
  return hash('sha256', value, 'buffer').subarray(0, 16).toString('base64url');
}
