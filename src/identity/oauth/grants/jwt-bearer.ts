import { decodeJwt } from 'jose';
import { oauthGrantTypeJwtBearer } from '#config';
import { AssertionProblem, checkAssertionJwt, type GoodAssertion } from '../../keys/assertion-jwt.ts';
import { claimsOfAssertion } from '../../providers/assertion-claims.ts';
import { verificationKeys } from '../../providers/provider-keys.ts';
import type { IdentityProvider } from '../../providers/provider.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { OAuthError } from '../errors.ts';
import { defineGrant } from '../grant.ts';
import { issuerOf, tenantUrl } from '../issuer.ts';
import type { OAuthServices } from '../services.ts';
import { federatedSubject, localSubject } from './assertion-subject.ts';

/** `jwt_bearer`: a signed statement of a trusted issuer about a user (RFC 7523 §2.1, identity 3.6). */
export const jwtBearer = defineGrant({
  name: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  section: 'jwt_bearer',
  keys: {
    enable: oauthGrantTypeJwtBearer.enable,
    handler: oauthGrantTypeJwtBearer.grantHandler,
    validator: oauthGrantTypeJwtBearer.grantValidator,
  },
  classes: ['JWTBearerGrantHandler', 'JWTGrantValidator'],
  required: ['assertion'],
  subject: 'user',
  admitsPublicClients: true,
  refreshTokens: true,
  idTokens: true,
  async run({ parameters, tenant, scopes }, services) {
    const assertion = parameters.get('assertion') ?? '';
    const issuer = issuerIn(assertion);
    const provider = await services.providers.ofIssuer(tenant, issuer);
    if (!provider) throw new OAuthError('invalid_grant', 'The issuer of the assertion is no identity provider here');
    const { claims, expires } = await check(assertion, { issuer, provider, tenant }, services);
    checkAge(claims.iat, services);
    const { sub = '', jti } = claims;
    if (jti !== undefined) {
      const isFirst = await services.used.use({
        issuer: `${tenant.id} ${provider.name}`,
        id: jti,
        expires: expires + services.settings.assertions.skew,
      });
      if (!isFirst) throw new OAuthError('invalid_grant', 'The assertion was used before');
    }
    return {
      subject: provider.isResident
        ? await localSubject(sub, tenant, services)
        : federatedSubject(sub, tenant, provider),
      scopes,
      claims: claimsOfAssertion(claims, provider, {
        ...services.settings.assertions,
        oidcNames: services.claims.oidcNames,
      }),
    };
  },
});

interface Expected {
  readonly issuer: string;
  readonly provider: IdentityProvider;
  readonly tenant: Tenant;
}

async function check(
  assertion: string,
  { issuer, provider, tenant }: Expected,
  { keySets, settings, clock }: OAuthServices,
): Promise<GoodAssertion> {
  try {
    const keys = await verificationKeys(provider, keySets).catch((error: unknown) => {
      throw new AssertionProblem('The keys of the issuer cannot be had', error);
    });
    if (!keys) throw new AssertionProblem('The identity provider has no keys');
    const ownNames = [issuerOf(settings, tenant), `${tenantUrl(settings, tenant)}/oauth2/token`];
    return await checkAssertionJwt(assertion, {
      keys,
      issuer,
      audiences: provider.alias === undefined ? ownNames : [provider.alias],
      now: clock.now(),
      skew: settings.assertions.skew,
    });
  } catch (error) {
    if (!(error instanceof AssertionProblem)) throw error;
    throw new OAuthError('invalid_grant', error.message, { cause: error.cause });
  }
}

/** How long ago an assertion may have been made, when it says so. */
function checkAge(iat: number | undefined, { settings, clock }: OAuthServices): void {
  const { longestAge } = settings.assertions;
  if (iat === undefined || longestAge === undefined) return;
  const age = clock.now() - iat * 1000;
  if (age > longestAge + settings.assertions.skew)
    throw new OAuthError('invalid_grant', 'The assertion was made too long ago');
  if (age < -Math.max(settings.assertions.skew, 60_000)) {
    throw new OAuthError('invalid_grant', 'The assertion is made in the future');
  }
}

/** Who says to have made the assertion; the signature decides later. */
function issuerIn(assertion: string): string {
  try {
    const { iss } = decodeJwt(assertion);
    if (iss !== undefined) return iss;
  } catch (cause) {
    throw new OAuthError('invalid_grant', 'The assertion is no JWT', { cause });
  }
  throw new OAuthError('invalid_grant', 'The assertion has no "iss"');
}
