import { signJwt } from '../keys/sign-jwt.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { localDialect } from '../claims/local-claims.ts';
import { issuerOf } from './issuer.ts';
import type { TokenFacts } from './own-parts.ts';
import type { OAuthServices } from './services.ts';
import { shownName } from './subjects.ts';
import type { TokenRecord } from './tokens.ts';

/** Seconds that gateways may hand the token on to their back ends. */
const lifetime = 15 * 60;

/**
 * The token that tells a back end for whom a call is made (identity 4.2): a JWT with claims of the configured dialect.
 * Undefined where none is configured. `required` names further claims of the user, of this or of the local dialect.
 */
export async function contextToken(
  record: TokenRecord,
  { tenant, required }: { readonly tenant: Tenant; readonly required: readonly string[] },
  services: OAuthServices,
): Promise<string | undefined> {
  const { own, settings, keys, clock, clients, users } = services;
  if (!own.context) return undefined;
  const client = await clients.findAnywhere(record.clientId);
  if (!client) return undefined;
  const { subject, scopes } = record;
  const { dialect, generate, claims: retrieve } = own.context;
  const facts: TokenFacts = { kind: 'context', tenant, client, subject, scopes };
  const user = subject.type === 'user' ? await users.byId(subject.tenant, subject.id) : undefined;
  const declared = services.claims.dialect(dialect);
  const local = new Map(
    required.map((claim) => [claim, declared?.get(claim) ?? claim.replace(`${dialect}/`, localDialect)]),
  );
  const values = user && local.size > 0 ? await users.claims(user, [...local.values()]) : new Map<string, string>();
  const now = Math.floor(clock.now() / 1000);
  const claims = {
    ...Object.fromEntries(
      [...local].flatMap(([claim, from]) => {
        const value = values.get(from);
        return value === undefined ? [] : [[claim.replace(localDialect, `${dialect}/`), value]];
      }),
    ),
    ...(await retrieve?.(facts)),
    iss: issuerOf(settings, tenant),
    iat: now,
    exp: now + lifetime,
    [`${dialect}/subscriber`]: client.owner,
    [`${dialect}/applicationid`]: client.id,
    [`${dialect}/applicationname`]: client.name,
    [`${dialect}/enduser`]: shownName(subject),
    [`${dialect}/enduserTenantId`]: String(subject.tenant.id),
  };
  return generate
    ? await generate(claims, facts)
    : signJwt(claims, await keys.current(tenant, settings.signingAlgorithm));
}
