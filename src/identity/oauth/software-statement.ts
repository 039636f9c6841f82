import { decodeJwt, type JWTPayload } from 'jose';
import type { Clock } from '#core';
import { assertionAlgorithms, verifyWithSet } from '../keys/assertion-jwt.ts';
import type { KeySets } from '../keys/key-sets.ts';
import { verificationKeys } from '../providers/provider-keys.ts';
import type { IdentityProviders } from '../providers/provider.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { OAuthError } from './errors.ts';

export interface StatementParts {
  readonly providers: IdentityProviders;
  readonly keySets: KeySets;
  readonly clock: Clock;
}

/** Metadata of a client, by their names. */
type Metadata = Readonly<Record<string, unknown>>;

/**
 * Checks a software statement and gives the metadata that it vouches for (RFC 7591 §2.3, §3.1.1).
 *
 * @throws OAuthError `invalid_software_statement`, `unapproved_software_statement`
 */
export type ReadStatement = (statement: string, tenant: Tenant) => Promise<Metadata>;

/** Most characters of a statement that are looked at. */
const sizeLimit = 32_768;

/** Claims that are about the statement and not about the client. */
const ofStatement = new Set(['iss', 'sub', 'aud', 'iat', 'nbf', 'exp', 'jti', 'software_statement']);

/** Statements of the tenant's identity providers are approved; the server's own tokens are no statements. */
export function createStatementReader({ providers, keySets, clock }: StatementParts): ReadStatement {
  return async (statement, tenant) => {
    const issuer = issuerIn(statement);
    const provider = await providers.ofIssuer(tenant, issuer);
    if (!provider || provider.isResident) {
      throw new OAuthError('unapproved_software_statement', 'The issuer of the software statement is not trusted');
    }
    let claims: JWTPayload;
    try {
      const keys = await verificationKeys(provider, keySets);
      if (!keys) throw new Error('the identity provider has no keys');
      const options = { algorithms: [...assertionAlgorithms], issuer, currentDate: new Date(clock.now()) };
      claims = await verifyWithSet(statement, keys, options);
    } catch (cause) {
      const message = 'The software statement has ended, or is not signed by its issuer';
      throw new OAuthError('invalid_software_statement', message, { cause });
    }
    // What the server's own extensions decide, such as whose the client is, nobody else vouches for.
    const vouched = Object.entries(claims).filter(([name]) => !ofStatement.has(name) && !name.startsWith('ext_'));
    return Object.fromEntries(vouched);
  };
}

/** Who says to have made the statement; the signature decides later. */
function issuerIn(statement: string): string {
  const problem = 'software_statement: expected a signed JWT with "iss"';
  if (statement.length > sizeLimit) throw new OAuthError('invalid_software_statement', problem);
  try {
    const { iss } = decodeJwt(statement);
    if (iss !== undefined) return iss;
  } catch (cause) {
    throw new OAuthError('invalid_software_statement', problem, { cause });
  }
  throw new OAuthError('invalid_software_statement', problem);
}
