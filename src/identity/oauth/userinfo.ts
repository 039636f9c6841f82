import { getAllHeaders, getHeader, mediaTypeOf } from '#message';
import { emptyAnswer, jsonAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import { readParameters } from '../http/parameters.ts';
import { signJwt } from '../keys/sign-jwt.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { findAccessToken } from './access-tokens.ts';
import { OAuthError } from './errors.ts';
import { issuerOf } from './issuer.ts';
import type { OAuthServices } from './services.ts';

export interface UserInfoParts extends OAuthServices {
  readonly tenantById: (id: number) => Promise<Tenant | undefined>;
}

/** `/oauth2/userinfo` (OpenID Connect Core 5.3, RFC 6750, identity 2.7). */
export function userInfoEndpoint(parts: UserInfoParts): Endpoint {
  return {
    path: '/oauth2/userinfo',
    methods: ['GET', 'POST'],
    isOpenToScripts: true,
    async handle(request) {
      let token: string | undefined;
      try {
        token = readBearer(request);
        if (token === undefined) {
          if (!parts.settings.compat.userInfoWithoutCredentials) return emptyAnswer(401, bareChallenge);
          throw new OAuthError('invalid_request', 'Bearer token missing');
        }
        return await describe(token, parts);
      } catch (error) {
        if (error instanceof OAuthError) return refusal(error);
        throw error;
      }
    },
  };
}

const bareChallenge = ['WWW-Authenticate', 'Bearer realm="millrace"'];

/** The token of the header or of a form; never of the query (RFC 6750 §2.3 is not offered). */
function readBearer({ method, headers, body }: EndpointRequest): string | undefined {
  const given = getAllHeaders(headers, 'Authorization');
  const isForm = mediaTypeOf(getHeader(headers, 'Content-Type') ?? '') === 'application/x-www-form-urlencoded';
  const inBody = method === 'POST' && isForm ? readParameters(body).get('access_token') : undefined;
  if (given.length > 1 || (given.length === 1 && inBody !== undefined)) {
    throw new OAuthError('invalid_request', 'The token was sent in several ways');
  }
  const [authorization] = given;
  if (authorization === undefined) return inBody;
  const match = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization);
  if (!match) throw new OAuthError('invalid_request', 'Expected a Bearer token');
  return match[1];
}

async function describe(token: string, parts: UserInfoParts): Promise<EndpointAnswer> {
  const record = await findAccessToken(token, parts, parts.tenantById);
  if (!record) throw new OAuthError('invalid_token', 'The token is unknown, has ended or was revoked');
  if (!record.scopes.includes('openid')) throw new OAuthError('insufficient_scope', 'The scope openid is needed');
  const client = await parts.clients.findAnywhere(record.clientId);
  const { subject, scopes } = record;
  const facts = client && ({ kind: 'userinfo', tenant: client.tenant, client, subject, scopes } as const);
  const own = facts && (await parts.own.userInfoClaims?.(facts));
  const stored = async (): Promise<Readonly<Record<string, unknown>>> => {
    if (subject.type !== 'user') return {};
    return parts.claimsOf({
      userId: subject.id,
      tenant: subject.tenant,
      scopes,
      configured: client && client.claims.length > 0 ? client.claims : undefined,
      requested: await parts.tokenClaims.of(record.family),
    });
  };
  const claims = own ?? (await stored());
  const body = { ...claims, sub: subject.id };
  const wantsJwt = client?.userInfoAlgorithm !== undefined || parts.settings.userInfoResponse === 'jwt';
  if (!wantsJwt || !client) return jsonAnswer(body);
  const key = await parts.keys.current(client.tenant, client.userInfoAlgorithm);
  const jwt = await signJwt({ ...body, iss: issuerOf(parts.settings, client.tenant), aud: client.id }, key);
  return { ...emptyAnswer(200, ['Content-Type', 'application/jwt']), body: jwt };
}

/** RFC 6750 §3. */
function refusal({ error, message, status }: OAuthError): EndpointAnswer {
  const challenge = `Bearer error="${error}", error_description="${message.replaceAll('"', "'")}"`;
  return jsonAnswer({ error, error_description: message }, status, ['WWW-Authenticate', challenge]);
}
