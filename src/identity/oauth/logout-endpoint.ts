import type { Endpoint, EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import type { Parameters } from '../http/parameters.ts';
import { leavingPage, loggedOutPage, logoutQuestionPage, stillSignedInPage } from '../pages/logout-pages.ts';
import { pageAnswer, pagesPath } from '../pages/page.ts';
import { browserOf, clearSession } from '../sessions/cookies.ts';
import type { Session } from '../sessions/session.ts';
import { formToken, isFormToken } from '../sessions/waiting-requests.ts';
import { answerEnded, answerOnErrorPage } from './authorize-errors.ts';
import { isRegistered } from './authorize-redirect-uri.ts';
import type { BrowserServices } from './browser-services.ts';
import { basePathOf, knowBrowser, leadTo, parametersOfRequest, sessionOf } from './browser-request.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { readIdTokenHint, type IdTokenHint } from './id-token-hint.ts';
import { originOf } from './response-modes.ts';

/** A logout that waits for the user's word, or goes on at once. */
interface LogoutRequest {
  readonly clientId: string | undefined;
  /** Registered for the client; undefined ends on our own page. */
  readonly returnTo: string | undefined;
  readonly state: string | undefined;
  /** The user of the hint, whose own client asks. */
  readonly hinted: string | undefined;
}

/** `/oidc/logout` and its pages (OpenID Connect RP-Initiated Logout 1.0, identity 2.8). */
export function logoutEndpoints(services: BrowserServices): readonly Endpoint[] {
  return [
    {
      path: '/oidc/logout',
      methods: ['GET', 'POST'],
      async handle(request) {
        try {
          const parameters = parametersOfRequest(request);
          if (request.method === 'POST' && parameters.has('sessionDataKey')) {
            return await decide(request, parameters, services);
          }
          const key = parameters.get('sessionDataKey');
          return key === undefined ? await begin(request, parameters, services) : await resume(request, key, services);
        } catch (error) {
          if (error instanceof OAuthError) return answerOnErrorPage(error, request, services);
          throw error;
        }
      },
    },
    {
      path: `${pagesPath}/oauth2_logout_consent.do`,
      methods: ['GET'],
      handle: (request) => showQuestion(request, services),
    },
    { path: `${pagesPath}/oauth2_logout.do`, methods: ['GET'], handle: () => pageAnswer(loggedOutPage()) },
  ];
}

async function begin(
  request: EndpointRequest,
  parameters: Parameters,
  services: BrowserServices,
): Promise<EndpointAnswer> {
  const hint = await readHint(request, parameters, services);
  const client = await findClient(request, parameters.get('client_id'), { hint, services });
  const logout: LogoutRequest = {
    clientId: client?.id,
    returnTo: readReturn(client, parameters.get('post_logout_redirect_uri')),
    state: parameters.get('state'),
    hinted: hint?.subject,
  };
  if (request.method === 'GET') return consider(request, { logout, client }, services);
  // A POST of another site comes without the session's cookie; the way through our own address brings it.
  const browser = knowBrowser(request);
  const key = await services.waiting.add('logout', browser.id, logout);
  return leadTo(request, `${basePathOf(request)}/oidc/logout?sessionDataKey=${key}`, browser.cookies);
}

async function resume(request: EndpointRequest, key: string, services: BrowserServices): Promise<EndpointAnswer> {
  const logout = await services.waiting.take<LogoutRequest>('logout', key, browserOf(request.headers));
  if (!logout) return answerEnded();
  const client = logout.clientId === undefined ? undefined : await services.clients.findAnywhere(logout.clientId);
  return consider(request, { logout, client }, services);
}

/** Asks the user, unless the client has shown that it is theirs. */
async function consider(
  request: EndpointRequest,
  { logout, client }: { readonly logout: LogoutRequest; readonly client: Client | undefined },
  services: BrowserServices,
): Promise<EndpointAnswer> {
  const session = await sessionOf(request, services);
  if (!session) return goOn(request, logout, services);
  if (logout.hinted === session.user.id || client?.skipsLogoutConsent) {
    return end(request, { logout, session }, services);
  }
  const browser = knowBrowser(request);
  const key = await services.waiting.add('logout', browser.id, logout);
  const configured = services.browser.pages['oidc_logout_consent'];
  const page = configured ?? `${basePathOf(request)}${pagesPath}/oauth2_logout_consent.do`;
  const address = withParameters(page, {
    sessionDataKey: key,
    // A page of somebody else's has to send it back as we do.
    formToken: configured === undefined ? undefined : formToken(browser.id, key),
  });
  return leadTo(request, address, browser.cookies);
}

/** @throws OAuthError `access_denied` for a hint that is not ours, by which somebody could be signed out */
async function readHint(
  request: EndpointRequest,
  parameters: Parameters,
  services: BrowserServices,
): Promise<IdTokenHint | undefined> {
  const given = parameters.get('id_token_hint');
  if (given === undefined) return undefined;
  const named = parameters.get('client_id');
  const tenant = named === undefined ? undefined : (await services.clients.findAnywhere(named))?.tenant;
  const hint = await readIdTokenHint(given, tenant ?? request.tenant, services);
  if (!hint) throw new OAuthError('access_denied', 'The id_token_hint is no ID token of this server');
  return hint;
}

async function findClient(
  request: EndpointRequest,
  named: string | undefined,
  { hint, services }: { readonly hint: IdTokenHint | undefined; readonly services: BrowserServices },
): Promise<Client | undefined> {
  if (hint && named !== undefined && hint.clientId !== named) {
    throw new OAuthError('access_denied', 'The client_id is not that of the id_token_hint');
  }
  const id = named ?? hint?.clientId;
  if (id === undefined) return undefined;
  const { clients } = services;
  const client = request.namesTenant ? await clients.find(request.tenant, id) : await clients.findAnywhere(id);
  if (!client) throw new OAuthError('access_denied', 'The application is not known');
  return client;
}

/** @throws OAuthError `access_denied` for an address that is not the client's: nobody is sent there (I8) */
function readReturn(client: Client | undefined, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (!client)
    throw new OAuthError('access_denied', 'A post_logout_redirect_uri needs an id_token_hint or a client_id');
  const { postLogoutRedirectUris, redirectUris } = client;
  const registered = postLogoutRedirectUris.length > 0 ? postLogoutRedirectUris : redirectUris;
  if (isRegistered(registered, given)) return given;
  throw new OAuthError('access_denied', 'The post_logout_redirect_uri is not registered for the application');
}

async function showQuestion(request: EndpointRequest, services: BrowserServices): Promise<EndpointAnswer> {
  const key = parametersOfRequest(request).get('sessionDataKey') ?? '';
  const browser = browserOf(request.headers);
  const logout = await services.waiting.find<LogoutRequest>('logout', key, browser);
  if (!logout || browser === undefined) return answerEnded();
  const client = logout.clientId === undefined ? undefined : await services.clients.findAnywhere(logout.clientId);
  const page = logoutQuestionPage({
    application: client?.name,
    action: `${basePathOf(request)}/oidc/logout`,
    sessionDataKey: key,
    token: formToken(browser, key),
  });
  return pageAnswer(page, { formTargets: logout.returnTo === undefined ? [] : [originOf(logout.returnTo)] });
}

async function decide(
  request: EndpointRequest,
  parameters: Parameters,
  services: BrowserServices,
): Promise<EndpointAnswer> {
  const key = parameters.get('sessionDataKey') ?? '';
  const browser = browserOf(request.headers);
  if (!isFormToken(parameters.get('formToken'), browser, key)) return answerEnded();
  const logout = await services.waiting.take<LogoutRequest>('logout', key, browser);
  if (!logout) return answerEnded();
  const session = await sessionOf(request, services);
  if (!session) return goOn(request, logout, services);
  if (parameters.get('consent') === 'approve') return end(request, { logout, session }, services);
  const { returnTo } = logout;
  if (returnTo === undefined) return pageAnswer(stillSignedInPage());
  return leadTo(request, withParameters(returnTo, { error: 'access_denied', state: logout.state }));
}

async function end(
  request: EndpointRequest,
  { logout, session }: { readonly logout: LogoutRequest; readonly session: Session },
  services: BrowserServices,
): Promise<EndpointAnswer> {
  const frames = await services.notices.frames(session);
  await services.sessions.end(session);
  await services.notices.send(session);
  if (frames.length === 0) {
    const answer = goOn(request, logout, services);
    return { ...answer, headers: [...answer.headers, ...clearSession()] };
  }
  const next = nextAddress(request, logout, services);
  const origins = [...new Set(frames.map((address) => new URL(address).origin))];
  return pageAnswer(leavingPage(frames, next), { frames: origins, headers: clearSession() });
}

function goOn(request: EndpointRequest, logout: LogoutRequest, services: BrowserServices): EndpointAnswer {
  return leadTo(request, nextAddress(request, logout, services));
}

function nextAddress(request: EndpointRequest, { returnTo, state }: LogoutRequest, services: BrowserServices): string {
  if (returnTo !== undefined) return withParameters(returnTo, { state });
  return services.browser.pages['oidc_logout'] ?? `${basePathOf(request)}${pagesPath}/oauth2_logout.do`;
}

function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  if (given.length === 0) return uri;
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given).toString()}`;
}
