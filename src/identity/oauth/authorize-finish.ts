import type { EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import { pagesPath } from '../pages/page.ts';
import { browserStateOf, setBrowserState } from '../sessions/cookies.ts';
import type { Session } from '../sessions/session.ts';
import type { Authentication } from './authentication.ts';
import type { AuthorizationRequest } from './authorize-request.ts';
import type { BrowserServices } from './browser-services.ts';
import { basePathOf, leadTo } from './browser-request.ts';
import { sessionState } from './check-session.ts';
import type { Client } from './client.ts';
import { signIdToken } from './id-token.ts';
import { answerToClient, type ResponseRoute } from './response-modes.ts';
import { gives } from './response-types.ts';
import { userSubject } from './subjects.ts';
import { lifetimeOf } from './token-endpoint.ts';
import { formOf, tokenValues } from './token-values.ts';
import type { IssuedTokens } from './tokens.ts';
import { secondsLeft } from './validity.ts';

/** A request to which the user has agreed. */
export interface AgreedAuthorization {
  readonly request: EndpointRequest;
  readonly authorization: AuthorizationRequest;
  readonly client: Client;
  readonly session: Session;
  readonly scopes: readonly string[];
}

export function routeOf(leg: Pick<AgreedAuthorization, 'request' | 'authorization' | 'client'>): ResponseRoute {
  const { request, authorization, client } = leg;
  const { redirectUri, responseMode, state } = authorization;
  return { client, redirectUri, mode: responseMode, state, isAfterForm: request.method === 'POST' };
}

/** Issues what was asked for and goes back with it; a device is told by its own question. */
export async function finishAuthorization(
  agreed: AgreedAuthorization,
  services: BrowserServices,
): Promise<EndpointAnswer> {
  const { request, authorization, client, session, scopes } = agreed;
  await services.sessions.addClient(session, client.id);
  if (authorization.deviceCode !== undefined) {
    await services.devices.approve(authorization.deviceCode, {
      subject: userSubject(session.user),
      scopes,
      authenticatedAt: session.authenticatedAt,
      sessionId: session.id,
      authentication: authenticationOf(session),
    });
    return leadTo(request, `${basePathOf(request)}${pagesPath}/device_success.do`);
  }
  const parameters = await issueParameters(agreed, services);
  const isOidc = scopes.includes('openid');
  const answer = await answerToClient(
    routeOf(agreed),
    { ...parameters, ...(isOidc && { session_state: sessionState(session, authorization) }) },
    services,
  );
  const knowsState = !isOidc || browserStateOf(request.headers) === session.browserState;
  return knowsState ? answer : { ...answer, headers: [...answer.headers, ...setBrowserState(session)] };
}

async function issueParameters(
  agreed: AgreedAuthorization,
  services: BrowserServices,
): Promise<Readonly<Record<string, string | number | undefined>>> {
  const { authorization, client, session, scopes } = agreed;
  const { responseType, nonce, state, requestedClaims } = authorization;
  const code = gives(responseType, 'code') ? await createCode(agreed, services) : undefined;
  const issued = gives(responseType, 'token') ? await issueToken(agreed, services) : undefined;
  const idToken = gives(responseType, 'id_token')
    ? await signIdToken(
        {
          record: {
            subject: userSubject(session.user),
            scopes,
            issuedAt: services.clock.now(),
            authenticatedAt: session.authenticatedAt,
          },
          client,
          tenant: client.tenant,
          ...(issued && { accessToken: issued.accessToken }),
          ...(code !== undefined && { code }),
          ...(state !== undefined && { state }),
          grant: {
            requestedClaims,
            authentication: authenticationOf(session),
            sessionId: session.id,
            ...(nonce !== undefined && { nonce }),
          },
        },
        services,
      )
    : undefined;
  return {
    code,
    ...(issued && {
      access_token: issued.accessToken,
      token_type: 'Bearer',
      expires_in: secondsLeft(issued.record.issuedAt, issued.record.accessLifetime, services.clock.now()),
      scope: scopes.join(' ') === authorization.scopes.join(' ') ? undefined : scopes.join(' '),
    }),
    id_token: idToken,
  };
}

function authenticationOf({ methods, isRemembered }: Session): Authentication {
  return { methods, isRemembered };
}

function createCode(agreed: AgreedAuthorization, { codes }: BrowserServices): Promise<string> {
  const { authorization, client, session, scopes } = agreed;
  return codes.create(client.tenant, {
    clientId: client.id,
    subject: userSubject(session.user),
    scopes,
    redirectUri: authorization.namesRedirectUri ? authorization.redirectUri : undefined,
    challenge: authorization.challenge,
    challengeMethod: authorization.challengeMethod,
    nonce: authorization.nonce,
    authenticatedAt: session.authenticatedAt,
    sessionId: session.id,
    requestedClaims: authorization.requestedClaims,
    userInfoClaims: authorization.userInfoClaims,
    authentication: authenticationOf(session),
  });
}

/** An access token that comes by the browser; a refresh token never does (RFC 6749 §4.2.2). */
async function issueToken(
  { authorization, client, session, scopes }: AgreedAuthorization,
  services: BrowserServices,
): Promise<IssuedTokens> {
  const { settings, tokens, tokenClaims } = services;
  const order = {
    tenant: client.tenant,
    clientId: client.id,
    subject: userSubject(session.user),
    grantType: 'implicit',
    scopes,
    accessLifetime: lifetimeOf(client.lifetimes.userAccessToken, settings.userTokenLifetime),
    refreshLifetime: undefined,
    binding: 'implicit',
    form: formOf(client, settings),
    authenticatedAt: session.authenticatedAt,
  } as const;
  const issued = await tokens.issue(order, tokenValues(order, client, services));
  await tokenClaims.note(issued.record.family, authorization.userInfoClaims);
  return issued;
}
