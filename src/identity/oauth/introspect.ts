import { decodeJwt, type JWTPayload } from 'jose';
import { getHeader } from '#message';
import { jsonAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import { readParameters, type Parameters } from '../http/parameters.ts';
import { superTenant, type Tenant } from '../tenants/tenant.ts';
import { findAccessToken, isOfActiveTenants, type TenantById } from './access-tokens.ts';
import type { FindCaller } from './callers.ts';
import { authenticateClient } from './client-authentication.ts';
import { contextToken } from './context-token.ts';
import { OAuthError } from './errors.ts';
import type { OAuthServices } from './services.ts';
import { shownName } from './subjects.ts';
import type { TokenRecord } from './tokens.ts';
import { findPair } from './revoke.ts';

/** The scope that lets a caller ask about tokens (identity 2.6). */
const askingScope = 'internal_oauth2_introspect';

export interface IntrospectionParts extends OAuthServices {
  readonly findCaller: FindCaller;
  readonly tenantById: TenantById;
  /** True when tokens of other tenants are shown, too. */
  readonly allowsCrossTenant: boolean;
}

/** `/oauth2/introspect` (RFC 7662, identity 2.6). */
export function introspectEndpoint(parts: IntrospectionParts): Endpoint {
  return {
    path: '/oauth2/introspect',
    methods: ['POST'],
    async handle(request) {
      const parameters = readParameters(request.body);
      const asker = await findAsker(request, parameters, parts);
      if (!asker) throw refusal(request);
      const token = parameters.get('token');
      if (token === undefined) {
        if (parts.settings.compat.introspectionWithoutToken) return jsonAnswer({ error: 'Invalid input' }, 400);
        throw new OAuthError('invalid_request', 'Invalid input');
      }
      const hint = parameters.get('token_type_hint');
      const required = (parameters.get('required_claims') ?? '').split(/[\s,]+/).filter((name) => name !== '');
      const shows = (record: TokenRecord): boolean =>
        parts.allowsCrossTenant || record.tenantId === asker.id || asker.id === superTenant.id;
      const access = hint === 'refresh_token' ? undefined : await findAccessToken(token, parts, parts.tenantById);
      if (access && shows(access)) return describeAccess({ token, record: access, required }, parts);
      const pair = await findPair(token, 'refresh_token', parts);
      if (pair && (await isRefreshOf(token, pair.record, parts)) && shows(pair.record)) {
        return describeRefresh(pair.record);
      }
      if (hint === 'refresh_token') {
        const late = await findAccessToken(token, parts, parts.tenantById);
        if (late && shows(late)) return describeAccess({ token, record: late, required }, parts);
      }
      return jsonAnswer({ active: false });
    },
  };
}

async function isRefreshOf(
  token: string,
  record: TokenRecord,
  { tokens, tenantById }: IntrospectionParts,
): Promise<boolean> {
  const byRefresh = await tokens.findRefresh(token);
  const isOne = byRefresh?.record.id === record.id && tokens.isRefreshGood(record);
  return isOne && isOfActiveTenants(record, tenantById);
}

interface Asked {
  readonly token: string;
  readonly record: TokenRecord;
  /** Claims of the user that the token for back ends shall have. */
  readonly required: readonly string[];
}

async function describeAccess({ token, record, required }: Asked, parts: IntrospectionParts): Promise<EndpointAnswer> {
  const { subject } = record;
  const issuedAt = Math.floor(record.issuedAt / 1000);
  const tenant = await parts.tenantById(record.tenantId);
  const context = tenant && (await contextToken(record, { tenant, required }, parts));
  return jsonAnswer({
    active: true,
    ...(record.scopes.length > 0 && { scope: record.scopes.join(' ') }),
    client_id: record.clientId,
    username: shownName(subject),
    token_type: 'Bearer',
    iat: issuedAt,
    nbf: issuedAt,
    ...(record.accessLifetime >= 0 && { exp: Math.floor((record.issuedAt + record.accessLifetime) / 1000) }),
    sub: subject.id,
    aut: subject.type === 'application' ? 'APPLICATION' : 'APPLICATION_USER',
    ...(context !== undefined && { token_string: context }),
    ...(record.form === 'jwt' && ownClaims(token)),
  });
}

/** What a JWT says of itself; its signature has been checked. */
function ownClaims(token: string): Pick<JWTPayload, 'jti' | 'iss' | 'aud'> {
  const { jti, iss, aud } = decodeJwt(token);
  return { ...(jti !== undefined && { jti }), ...(iss !== undefined && { iss }), ...(aud !== undefined && { aud }) };
}

function describeRefresh(record: TokenRecord): EndpointAnswer {
  const { refreshIssuedAt = record.issuedAt, refreshLifetime = 0 } = record;
  const issuedAt = Math.floor(refreshIssuedAt / 1000);
  return jsonAnswer({
    active: true,
    scope: record.refreshScopes.join(' '),
    client_id: record.clientId,
    username: shownName(record.subject),
    token_type: 'Refresh',
    iat: issuedAt,
    nbf: issuedAt,
    ...(refreshLifetime >= 0 && { exp: Math.floor((refreshIssuedAt + refreshLifetime) / 1000) }),
  });
}

function refusal({ headers }: EndpointRequest): OAuthError {
  const hasCredentials = getHeader(headers, 'Authorization') !== undefined;
  const message = hasCredentials ? 'These credentials may not ask about tokens' : 'Credentials are needed';
  return new OAuthError('invalid_client', message);
}

/**
 * The tenant of who asks: a confidential client with its secret, a user with HTTP Basic, or a bearer with the scope.
 * Credentials are tried as a client's first, which costs a lookup and no password hash.
 */
async function findAsker(
  request: EndpointRequest,
  parameters: Parameters,
  parts: IntrospectionParts,
): Promise<Tenant | undefined> {
  const authorization = getHeader(request.headers, 'Authorization');
  if (!/^bearer /i.test(authorization ?? '')) {
    const client = await authenticateClient({ ...request, parameters }, parts).catch(notAClient);
    if (client && client.method !== 'none') return client.client.tenant;
  }
  const caller = await parts.findCaller(authorization, request.tenant, request.peer.address);
  return caller?.hasScope(askingScope) ? caller.tenant : undefined;
}

function notAClient(error: unknown): undefined {
  if (error instanceof OAuthError && error.error === 'invalid_client') return undefined;
  throw error;
}
