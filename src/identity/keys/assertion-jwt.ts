import {
  errors,
  jwtVerify,
  type CryptoKey,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type KeyObject,
} from 'jose';

/** Algorithms of other people's assertions: asymmetric ones only, of today's strength (RFC 8725 §3.1, identity 3.6). */
export const assertionAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** What an assertion is checked against. */
export interface AssertionRules {
  readonly keys: JWTVerifyGetKey | KeyObject | CryptoKey;
  readonly issuer: string;
  readonly subject?: string;
  /** Names under which we are meant; one of them has to be there. */
  readonly audiences: readonly string[];
  /** Milliseconds. */
  readonly now: number;
  readonly skew: number;
}

/** An assertion that holds: its claims, and when it ends, in milliseconds since the epoch. */
export interface GoodAssertion {
  readonly claims: JWTPayload;
  readonly expires: number;
}

/** Most characters of an assertion that are looked at. */
const sizeLimit = 32_768;

/**
 * Checks signature, issuer, subject, audience and times of a JWT (RFC 7523 §3).
 *
 * @throws AssertionProblem that says which of them is wrong
 */
export async function checkAssertionJwt(assertion: string, rules: AssertionRules): Promise<GoodAssertion> {
  if (assertion.length > sizeLimit) throw new AssertionProblem('The assertion is too long');
  const options = {
    algorithms: [...assertionAlgorithms],
    issuer: rules.issuer,
    ...(rules.subject !== undefined && { subject: rules.subject }),
    audience: [...rules.audiences],
    currentDate: new Date(rules.now),
    clockTolerance: Math.ceil(rules.skew / 1000),
    requiredClaims: ['iss', 'sub', 'aud', 'exp'],
  };
  try {
    const { keys } = rules;
    const claims =
      typeof keys === 'function'
        ? await verifyWithSet(assertion, keys, options)
        : await verify(assertion, keys, options);
    return { claims, expires: (claims.exp ?? 0) * 1000 };
  } catch (error) {
    throw new AssertionProblem(describe(error), error);
  }
}

async function verify(assertion: string, key: KeyObject | CryptoKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  return (await jwtVerify(assertion, key, options)).payload;
}

/**
 * The claims of a JWT that one of the keys has signed. With several that may be meant, each is tried.
 *
 * @throws one of the errors of `jose`
 */
export async function verifyWithSet(
  assertion: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(assertion, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await verify(assertion, key, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Why an assertion is refused; the text may be shown to whoever sent it. */
export class AssertionProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'AssertionProblem';
  }
}

function describe(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The assertion has ended';
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim "${error.claim}" of the assertion is wrong`;
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'The assertion is signed with an algorithm that is not accepted';
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey) {
    return 'The signature of the assertion is wrong';
  }
  if (error instanceof errors.JOSEError) return 'The assertion is no signed JWT';
  return 'The keys of the issuer cannot be had';
}
