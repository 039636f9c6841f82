import { getHeader, mediaTypeOf } from '#message';
import { jsonAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import { readJsonParameters, readParameters, type Parameters } from '../http/parameters.ts';
import { authenticateClient, type AuthenticatedClient } from './client-authentication.ts';
import { OAuthError } from './errors.ts';
import type { Grant, GrantRequest, GrantResult } from './grant.ts';
import { signIdToken } from './id-token.ts';
import { readScopes } from './scopes.ts';
import type { OAuthServices } from './services.ts';
import { formOf, tokenValues } from './token-values.ts';
import type { IssuedTokens, TokenOrder } from './tokens.ts';
import { secondsLeft } from './validity.ts';

/** Credentials that must not stand in an address, where logs keep them (identity 2.4, row 2). */
const restrictedInQuery = ['username', 'password', 'client_secret', 'client_assertion'] as const;

/** `/oauth2/token`: from credentials to tokens, step by step (RFC 6749 §3.2, identity 2.4). */
export function tokenEndpoint(services: OAuthServices): Endpoint {
  return {
    path: '/oauth2/token',
    methods: ['POST'],
    isOpenToScripts: true,
    async handle(request) {
      const parameters = readTokenRequest(request);
      const caller = await authenticateClient({ ...request, parameters }, services);
      const grant = chooseGrant(parameters, caller, services);
      checkParameters(grant, parameters);
      const scopes = readScopes(parameters.get('scope'));
      const grantRequest: GrantRequest = {
        ...caller,
        parameters,
        tenant: caller.client.tenant,
        headers: request.headers,
        address: request.peer.address,
        scopes,
      };
      const result = await grant.run(grantRequest, services);
      await checkTenant(result, grantRequest, services);
      const granted = await grantScopes(grant, grantRequest, { result, services });
      const order = orderOf(grant, grantRequest, { result, scopes: granted, services });
      const issued = await issue(order, grantRequest, { result, services });
      await result.issued?.(issued.record);
      return answerOf(issued, grantRequest, { result, grant, services });
    },
  };
}

/** The body as a form or a JSON object. */
function readTokenRequest({ headers, body, query }: EndpointRequest): Parameters {
  const inQuery = readParameters(query);
  const leaked = restrictedInQuery.find((name) => inQuery.has(name));
  if (leaked !== undefined) throw new OAuthError('invalid_request', `"${leaked}" must not stand in the URL`);
  const type = mediaTypeOf(getHeader(headers, 'Content-Type') ?? '');
  if (type === 'application/json') return readJsonParameters(body);
  if (type !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'Expected a body of type application/x-www-form-urlencoded');
  }
  return readParameters(body);
}

function chooseGrant(parameters: Parameters, { client, method }: AuthenticatedClient, services: OAuthServices): Grant {
  const name = parameters.get('grant_type');
  if (name === undefined) throw new OAuthError('invalid_request', 'Missing grant_type parameter value');
  const grant = services.grants.get(name);
  if (!grant) throw new OAuthError('unsupported_grant_type', `Unsupported grant_type value: ${printable(name)}`);
  const isRefused = method === 'none' && !grant.admitsPublicClients;
  if (isRefused || !client.grantTypes.includes(name)) {
    throw new OAuthError('unauthorized_client', 'The authenticated client is not authorized to use this grant type');
  }
  return grant;
}

function checkParameters(grant: Grant, parameters: Parameters): void {
  const missing = grant.required.filter((name) => parameters.get(name) === undefined);
  if (missing.length > 0) throw new OAuthError('invalid_request', `Missing parameters: ${missing.join(', ')}`);
  grant.check?.(parameters);
}

/** Users of other tenants get tokens while their own tenant works; that of the client was looked at with the client. */
async function checkTenant(
  { subject }: GrantResult,
  { tenant }: GrantRequest,
  { findTenant }: OAuthServices,
): Promise<void> {
  if (subject.tenant.id === tenant.id) return;
  if ((await findTenant(subject.tenant.domain))?.isActive) return;
  throw new OAuthError('invalid_grant', 'The tenant of the user is not active');
}

interface Outcome {
  readonly result: GrantResult;
  readonly services: OAuthServices;
}

async function grantScopes(
  grant: Grant,
  request: GrantRequest,
  { result, services }: Outcome,
): Promise<readonly string[]> {
  if (result.scopesAreFinal) return result.scopes;
  const { tenant, client } = request;
  const facts = { tenant, client, subject: result.subject, wanted: result.scopes, allowsIdToken: grant.idTokens };
  return services.scopes.grant(facts);
}

function orderOf(
  grant: Grant,
  { client, tenant }: GrantRequest,
  { result, scopes, services }: Outcome & { readonly scopes: readonly string[] },
): TokenOrder {
  const { settings } = services;
  const { lifetimes } = client;
  const accessLifetime =
    grant.subject === 'application'
      ? lifetimeOf(lifetimes.applicationAccessToken, settings.applicationTokenLifetime)
      : lifetimeOf(lifetimes.userAccessToken, settings.userTokenLifetime);
  const givesRefresh =
    grant.refreshTokens && services.grants.has('refresh_token') && client.grantTypes.includes('refresh_token');
  return {
    tenant,
    clientId: client.id,
    subject: result.subject,
    grantType: grant.name,
    scopes,
    accessLifetime: result.lifetime ?? accessLifetime,
    refreshLifetime: givesRefresh ? lifetimeOf(lifetimes.refreshToken, settings.refreshTokenLifetime) : undefined,
    binding: result.binding ?? '',
    form: formOf(client, settings),
    authenticatedAt: result.authenticatedAt,
    ...(result.claims && { claims: result.claims }),
    ...(result.renewal && { refreshScopes: result.renewal.former.record.refreshScopes }),
  };
}

/** Milliseconds: the client's seconds win over the server's milliseconds. */
export function lifetimeOf(ofClient: number | undefined, ofServer: number): number {
  return ofClient === undefined ? ofServer : ofClient < 0 ? -1 : ofClient * 1000;
}

function issue(order: TokenOrder, { client }: GrantRequest, { result, services }: Outcome): Promise<IssuedTokens> {
  const { tokens, settings } = services;
  const values = tokenValues(order, client, services);
  const { renewal } = result;
  if (!renewal) return tokens.issue(order, values);
  const { former, refreshToken } = renewal;
  const { refreshIssuedAt, refreshLifetime } = former.record;
  const keepsEnd = refreshToken !== undefined || !settings.extendsRefreshToken;
  return tokens.renew({
    former,
    order: keepsEnd && refreshLifetime !== undefined ? { ...order, refreshLifetime } : order,
    values,
    refreshToken,
    ...(keepsEnd && refreshIssuedAt !== undefined && { refreshIssuedAt }),
  });
}

async function answerOf(
  issued: IssuedTokens,
  { client, tenant }: GrantRequest,
  { result, grant, services }: Outcome & { readonly grant: Grant },
): Promise<EndpointAnswer> {
  const { record, accessToken, refreshToken } = issued;
  const wantsIdToken = grant.idTokens && record.scopes.includes('openid');
  const idToken = wantsIdToken
    ? await signIdToken({ record, client, tenant, accessToken, grant: result }, services)
    : undefined;
  return jsonAnswer({
    access_token: accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(record.scopes.length > 0 && { scope: record.scopes.join(' ') }),
    ...(idToken !== undefined && { id_token: idToken }),
    token_type: 'Bearer',
    expires_in: secondsLeft(record.issuedAt, record.accessLifetime, services.clock.now()),
  });
}

/** Text of a request in an answer: only what RFC 6749 §5.2 allows in a description. */
function printable(text: string): string {
  return text.slice(0, 100).replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
}
