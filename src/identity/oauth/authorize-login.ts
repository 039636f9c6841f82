import type { Endpoint, EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import { redirectAnswer } from '../http/endpoint.ts';
import type { Parameters } from '../http/parameters.ts';
import { loginPage } from '../pages/login-page.ts';
import { pageAnswer, pagesPath, recoveryPath } from '../pages/page.ts';
import { fill, texts } from '../pages/texts.ts';
import { browserOf, setSession } from '../sessions/cookies.ts';
import { formToken, isFormToken } from '../sessions/waiting-requests.ts';
import { answerEnded } from './authorize-errors.ts';
import type { AuthorizationRequest } from './authorize-request.ts';
import type { BrowserServices } from './browser-services.ts';
import { basePathOf, leadTo, parametersOfRequest, sessionOf } from './browser-request.ts';
import type { Client } from './client.ts';
import { originOf } from './response-modes.ts';

/** A request that waits for its user to sign in. */
interface Waiting {
  readonly key: string;
  readonly browser: string;
  readonly authorization: AuthorizationRequest;
  readonly client: Client;
}

/** `/commonauth` and the login page (identity 2.2). */
export function loginEndpoints(services: BrowserServices): readonly Endpoint[] {
  return [
    {
      path: '/commonauth',
      methods: ['GET', 'POST'],
      handle: (request) => (request.method === 'GET' ? toLoginPage(request, services) : signIn(request, services)),
    },
    {
      path: `${pagesPath}/login.do`,
      methods: ['GET'],
      async handle(request) {
        const parameters = parametersOfRequest(request);
        const waiting = await findWaiting(request, parameters, services);
        return waiting ? showLogin(request, waiting, stateAtFirst(services)) : answerEnded();
      },
    },
  ];
}

async function findWaiting(
  { headers }: EndpointRequest,
  parameters: Parameters,
  services: BrowserServices,
): Promise<Waiting | undefined> {
  const key = parameters.get('sessionDataKey') ?? '';
  const browser = browserOf(headers);
  const authorization = await services.waiting.find<AuthorizationRequest>('login', key, browser);
  const client = authorization && (await services.clients.findAnywhere(authorization.clientId));
  return authorization && client && browser !== undefined ? { key, browser, authorization, client } : undefined;
}

async function toLoginPage(request: EndpointRequest, services: BrowserServices): Promise<EndpointAnswer> {
  const parameters = parametersOfRequest(request);
  const waiting = await findWaiting(request, parameters, services);
  if (!waiting) return answerEnded();
  const { key, client } = waiting;
  const query = new URLSearchParams({
    sessionDataKey: key,
    relyingParty: client.id,
    type: parameters.get('type') ?? 'oauth2',
    sp: client.name,
    tenantDomain: client.tenant.domain,
    authenticators: 'BasicAuthenticator:LOCAL',
  });
  return redirectAnswer(`${basePathOf(request)}${pagesPath}/login.do?${query.toString()}`);
}

interface LoginState {
  /** Whether the page leads to account recovery. */
  readonly offersRecovery: boolean;
  readonly username?: string;
  readonly problem?: string;
  readonly status?: number;
  readonly retryAfter?: number;
}

function stateAtFirst({ browser }: BrowserServices): LoginState {
  return { offersRecovery: browser.offersRecovery };
}

function showLogin(
  request: EndpointRequest,
  { key, browser, authorization, client }: Waiting,
  { offersRecovery, username, problem, status = 200, retryAfter }: LoginState,
): EndpointAnswer {
  const page = loginPage({
    application: client.name,
    isForDevice: authorization.deviceCode !== undefined,
    action: `${basePathOf(request)}/commonauth`,
    sessionDataKey: key,
    token: formToken(browser, key),
    username: username ?? authorization.loginHint ?? '',
    problem,
    recovery: offersRecovery ? `${basePathOf(request)}${recoveryPath}/recoverpassword.do` : undefined,
  });
  return pageAnswer(page, {
    status,
    // Without a question the browser goes on to the client at once, and checks that against the page's policy.
    formTargets: authorization.redirectUri === '' ? [] : [originOf(authorization.redirectUri)],
    headers: retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)],
  });
}

async function signIn(request: EndpointRequest, services: BrowserServices): Promise<EndpointAnswer> {
  const parameters = parametersOfRequest(request);
  const waiting = await findWaiting(request, parameters, services);
  if (!waiting || !isFormToken(parameters.get('formToken'), waiting.browser, waiting.key)) return answerEnded();
  const { key, client, authorization } = waiting;
  const username = parameters.get('username')?.trim() ?? '';
  const outcome = await services.signIn({
    username,
    password: parameters.get('password') ?? '',
    tenant: client.tenant,
    takesStrangers: client.isSaas,
    address: request.peer.address,
  });
  if ('failure' in outcome)
    return showLogin(request, waiting, { ...stateAtFirst(services), username, ...stateOf(outcome) });
  const { user } = outcome;
  const former = await sessionOf(request, services);
  const isSame = former?.user.id === user.id;
  if (former && !isSame) {
    await services.notices.send(former);
    await services.sessions.end(former);
  }
  const { session, secret } = await services.sessions.begin(user, {
    isRemembered: /^(?:on|true)$/.test(parameters.get('chkRemember') ?? ''),
    methods: ['pwd'],
    ...(isSame && { continues: former }),
  });
  await services.waiting.replace(key, { ...authorization, signedIn: session.id });
  const next = `${basePathOf(request)}/oauth2/authorize?sessionDataKey=${key}`;
  return leadTo(request, next, setSession(session, secret));
}

/** What the page says of a failure, and its status. */
function stateOf(outcome: { readonly failure: string; readonly milliseconds?: number }): Partial<LoginState> {
  const { failed, unavailable, wait } = texts.login;
  if (outcome.failure === 'unavailable') return { problem: unavailable, status: 503 };
  if (outcome.failure !== 'wait') return { problem: failed };
  const seconds = Math.ceil((outcome.milliseconds ?? 0) / 1000);
  return { problem: fill(wait, { seconds }), status: 429, retryAfter: seconds };
}
