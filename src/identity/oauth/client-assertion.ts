import { decodeJwt, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '#core';
import { AssertionProblem, checkAssertionJwt, type GoodAssertion } from '../keys/assertion-jwt.ts';
import type { KeySets } from '../keys/key-sets.ts';
import type { IdentitySettings } from '../settings.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { AssertionCheck } from './client-authentication.ts';
import { clientKeys } from './client-keys.ts';
import type { Client, Clients } from './client.ts';
import { OAuthError } from './errors.ts';
import { issuerOf, tenantUrl } from './issuer.ts';
import type { UsedAssertions } from './used-assertions.ts';

export interface ClientAssertionParts {
  readonly clients: Clients;
  readonly keySets: KeySets;
  readonly used: UsedAssertions;
  readonly settings: IdentitySettings;
  readonly clock: Clock;
}

/** Longest life of a client's assertion: what may come once is remembered for as long. */
const longestLife = 24 * 60 * 60_000;

/** Paths whose address a client may name as the audience (RFC 7523 §3, RFC 9126 §2). */
const audiencePaths = [
  '/oauth2/token',
  '/oauth2/par',
  '/oauth2/revoke',
  '/oauth2/introspect',
  '/oauth2/device_authorize',
];

/** `private_key_jwt`: a client shows that it has the key that it registered (RFC 7523 §2.2, §3, identity 2.5). */
export function createAssertionCheck(parts: ClientAssertionParts): AssertionCheck {
  const { clients, used, settings, clock } = parts;
  return async (assertion, { tenant, namesTenant, parameters }) => {
    const id = issuerIn(assertion);
    const claimed = parameters.get('client_id');
    if (claimed !== undefined && claimed !== id) {
      throw new OAuthError('invalid_client', 'The client_id is not the issuer of the assertion');
    }
    const client = namesTenant ? await clients.find(tenant, id) : await clients.findAnywhere(id);
    const keys = client && (await keysOf(client, parts));
    if (!client || !keys) throw new OAuthError('invalid_client', 'Client Authentication failed.');
    const good = await check(assertion, {
      keys,
      issuer: id,
      subject: id,
      audiences: audiencesOf(client.tenant, settings),
      now: clock.now(),
      skew: settings.assertions.skew,
    });
    const { jti } = good.claims;
    if (jti === undefined) throw new OAuthError('invalid_client', 'The assertion has no "jti"');
    if (good.expires - clock.now() > longestLife)
      throw new OAuthError('invalid_client', 'The assertion lives too long');
    if (!(await used.use({ issuer: id, id: jti, expires: good.expires + settings.assertions.skew }))) {
      throw new OAuthError('invalid_client', 'The assertion was used before');
    }
    return client;
  };
}

/** The names by which assertions may mean the authorization server of a tenant. */
export function audiencesOf(tenant: Tenant, settings: IdentitySettings): readonly string[] {
  const base = tenantUrl(settings, tenant);
  return [...new Set([issuerOf(settings, tenant), ...audiencePaths.map((path) => base + path)])];
}

async function check(assertion: string, rules: Parameters<typeof checkAssertionJwt>[1]): Promise<GoodAssertion> {
  try {
    return await checkAssertionJwt(assertion, rules);
  } catch (error) {
    if (error instanceof AssertionProblem)
      throw new OAuthError('invalid_client', error.message, { cause: error.cause });
    throw error;
  }
}

/** Whose assertion it says it is; the signature decides later. */
function issuerIn(assertion: string): string {
  try {
    const { iss, sub } = decodeJwt(assertion);
    if (iss !== undefined && iss === sub) return iss;
  } catch (cause) {
    throw new OAuthError('invalid_client', 'The client_assertion is no JWT', { cause });
  }
  throw new OAuthError('invalid_client', 'Expected the client id as "iss" and "sub" of the client_assertion');
}

function keysOf(client: Client, { keySets }: ClientAssertionParts): Promise<JWTVerifyGetKey | undefined> {
  return clientKeys(client, keySets).catch((cause: unknown) => {
    throw new OAuthError('invalid_client', 'The keys of the client cannot be had', { cause });
  });
}
