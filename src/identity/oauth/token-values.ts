import { fillRandom, newRowId } from '#core';
import { signJwt } from '../keys/sign-jwt.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { IdentitySettings } from '../settings.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Client } from './client.ts';
import { issuerOf } from './issuer.ts';
import type { OwnParts, TokenFacts } from './own-parts.ts';
import type { TokenValues } from './token-store-parts.ts';
import type { TokenOrder } from './tokens.ts';

/** A new opaque value of 43 characters: the time in milliseconds, which keeps an index in order, and 208 random bits. */
export function newOpaqueValue(now: number): string {
  const bytes = Buffer.allocUnsafe(32);
  bytes.writeUIntBE(now, 0, 6);
  fillRandom(bytes, 6);
  return bytes.toString('base64url');
}

export interface ValueParts {
  readonly keys: SigningKeys;
  readonly settings: IdentitySettings;
  readonly own?: OwnParts;
}

/** The form of the tokens of a client: that of its kind of token, else of the server's. */
export function formOf({ tokenType }: Pick<Client, 'tokenType'>, settings: IdentitySettings): 'jwt' | 'opaque' {
  const kind = tokenType ?? settings.tokenType;
  return (settings.tokenTypes.get(kind) ?? kind) === 'JWT' ? 'jwt' : 'opaque';
}

/** What makes the values of the tokens that were ordered, in their form (identity 4.1). */
export function tokenValues(order: TokenOrder, client: Client, parts: ValueParts): TokenValues {
  const refresh = (issuedAt: number): string => newOpaqueValue(issuedAt);
  if (order.form === 'jwt') {
    return { access: (issuedAt) => signAccessToken({ order, client, issuedAt }, parts), refresh };
  }
  const issuer = client.tokenType === undefined ? undefined : parts.own?.issuers.get(client.tokenType);
  if (issuer) {
    return {
      async access() {
        const value = await issuer(factsOf(order, client));
        return { value, alias: value };
      },
      refresh,
    };
  }
  return {
    access(issuedAt) {
      const value = newOpaqueValue(issuedAt);
      return { value, alias: value };
    },
    refresh,
  };
}

interface AccessTokenFacts {
  readonly order: TokenOrder;
  readonly client: Client;
  readonly issuedAt: number;
}

/** A signed access token (RFC 9068 §2.2, identity 4.1); it is found again by its `jti`. */
async function signAccessToken(
  { order, client, issuedAt }: AccessTokenFacts,
  { keys, settings, own }: ValueParts,
): Promise<{ value: string; alias: string }> {
  const { subject } = order;
  const key = await keys.current(order.tenant, settings.signingAlgorithm);
  const alias = newRowId();
  const seconds = Math.floor(issuedAt / 1000);
  const isApplication = subject.type === 'application';
  const claims = {
    ...order.claims,
    ...(await own?.addClaims?.(factsOf(order, client))),
    iss: issuerOf(settings, order.tenant),
    sub: isApplication ? client.id : subject.id,
    aud: client.audiences.length === 0 ? client.id : [client.id, ...client.audiences],
    azp: client.id,
    client_id: client.id,
    aut: isApplication ? 'APPLICATION' : 'APPLICATION_USER',
    ...(order.scopes.length > 0 && { scope: order.scopes.join(' ') }),
    iat: seconds,
    nbf: seconds,
    exp: order.accessLifetime < 0 ? endOfTime : seconds + Math.ceil(order.accessLifetime / 1000),
    jti: alias,
  };
  return { value: await signJwt(claims, key, 'at+jwt'), alias };
}

function factsOf({ tenant, subject, scopes }: TokenOrder, client: Client): TokenFacts {
  return { kind: 'access_token', tenant, client, subject, scopes };
}

/** `exp` of a token that never ends: the largest that readers with 32 bits take. */
const endOfTime = 0x7fff_ffff;

/** The subject as other parts name it: the user of a tenant other than the client's keeps its tenant. */
export function subjectName(name: string, { storeDomain, tenant }: { storeDomain: string; tenant: Tenant }): string {
  const stored = storeDomain === 'PRIMARY' || storeDomain === '' ? name : `${storeDomain}/${name}`;
  return `${stored}@${tenant.domain}`;
}
