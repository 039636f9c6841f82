import { decodeProtectedHeader, type JWTPayload } from 'jose';
import { assertionAlgorithms, verifyWithSet } from '../keys/assertion-jwt.ts';
import { parametersOf, type Parameters } from '../http/parameters.ts';
import { audiencesOf } from './client-assertion.ts';
import { clientKeys } from './client-keys.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { tenantUrl } from './issuer.ts';
import type { OAuthServices } from './services.ts';

type Services = Pick<OAuthServices, 'keySets' | 'settings' | 'clock'>;

/** Most characters of a request object that are looked at. */
const sizeLimit = 32_768;

/** Claims of the JWT itself, which are no parameters of the request. */
const ofJwt = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']);

/** `typ` of request objects; other JWTs that a client signs are something else (RFC 9101 §10.8, RFC 8725 §3.11). */
const types: readonly (string | undefined)[] = [
  undefined,
  'jwt',
  'oauth-authz-req+jwt',
  'application/oauth-authz-req+jwt',
];

/**
 * The parameters of an authorization request that its client has signed (RFC 9101, OpenID Connect Core 6.1): those of the
 * object and no others. What is not signed, or not with a key of the client, is refused.
 *
 * @throws OAuthError `invalid_request_object`
 */
export async function readRequestObject(text: string, client: Client, services: Services): Promise<Parameters> {
  const claims = await verify(text, client, services);
  if (claims['client_id'] !== client.id) throw wrong('its client_id is not that of the request');
  if (claims.iss !== undefined && claims.iss !== client.id) throw wrong('its "iss" is not the application');
  const own = [
    ...audiencesOf(client.tenant, services.settings),
    `${tenantUrl(services.settings, client.tenant)}/oauth2/authorize`,
  ];
  const audiences = claims.aud === undefined ? undefined : [claims.aud].flat();
  if (audiences && !audiences.some((name) => own.includes(name))) throw wrong('its "aud" is another server');
  for (const name of ['request', 'request_uri']) {
    if (claims[name] !== undefined) throw wrong(`it must not have a "${name}"`);
  }
  const parameters = Object.entries(claims).filter(([name]) => !ofJwt.has(name));
  return parametersOf(new Map(parameters.map(([name, value]) => [name, valueOf(value)])));
}

async function verify(text: string, client: Client, { keySets, clock, settings }: Services): Promise<JWTPayload> {
  if (text.length > sizeLimit) throw wrong('it is too long');
  if (text.split('.').length === 5) throw wrong('it is encrypted, which is not offered');
  const keys = await clientKeys(client, keySets).catch((cause: unknown) => {
    throw wrong('the keys of the application cannot be had', cause);
  });
  if (!keys) throw wrong('the application has registered no keys');
  const algorithms =
    client.requestObjectAlgorithm === undefined ? [...assertionAlgorithms] : [client.requestObjectAlgorithm];
  try {
    if (!types.includes(decodeProtectedHeader(text).typ?.toLowerCase())) throw new Error('typ is another one');
    return await verifyWithSet(text, keys, {
      algorithms,
      currentDate: new Date(clock.now()),
      clockTolerance: Math.ceil(settings.assertions.skew / 1000),
    });
  } catch (cause) {
    throw wrong('it has ended, or is not signed with a key of the application', cause);
  }
}

/** Numbers such as `max_age`, and objects such as `claims`, stand as what they are in JSON (RFC 9101 §4). */
function valueOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function wrong(reason: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_request_object', `The request object is refused: ${reason}`, { cause });
}
