import type { Endpoint, EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import { jsonAnswer } from '../http/endpoint.ts';
import { devicePage } from '../pages/device-page.ts';
import { messagePage } from '../pages/message-pages.ts';
import { pageAnswer, pagesPath } from '../pages/page.ts';
import { fill, texts } from '../pages/texts.ts';
import { browserOf } from '../sessions/cookies.ts';
import { formToken, isFormToken } from '../sessions/waiting-requests.ts';
import { answerEnded } from './authorize-errors.ts';
import type { AuthorizationRequest } from './authorize-request.ts';
import type { BrowserServices } from './browser-services.ts';
import { basePathOf, knowBrowser, leadTo, parametersOfRequest } from './browser-request.ts';
import { authenticateClient } from './client-authentication.ts';
import { isUsable, type Client } from './client.ts';
import { deviceCodeLifetime, pollInterval } from './device-store.ts';
import { OAuthError } from './errors.ts';
import { deviceCode } from './grants/device-code.ts';
import { tenantUrl } from './issuer.ts';
import { readScopes } from './scopes.ts';

/** What the token of the page's form is for. */
const formName = 'device';

/** The device flow's endpoints (RFC 8628, identity 2.9). */
export function deviceEndpoints(services: BrowserServices): readonly Endpoint[] {
  return [
    {
      path: '/oauth2/device_authorize',
      methods: ['POST'],
      isOpenToScripts: true,
      handle: (request) => authorizeDevice(request, services),
    },
    {
      path: '/oauth2/device',
      methods: ['GET', 'POST'],
      handle: (request) => (request.method === 'GET' ? toPage(request) : enterCode(request, services)),
    },
    {
      path: `${pagesPath}/device.do`,
      methods: ['GET'],
      handle: (request) => showForm(request, { userCode: parametersOfRequest(request).get('user_code') ?? '' }),
    },
    {
      path: `${pagesPath}/device_success.do`,
      methods: ['GET'],
      handle(request) {
        const { done, doneLead, denied, deniedLead } = texts.device;
        const isDenied = parametersOfRequest(request).has('denied');
        return pageAnswer(isDenied ? messagePage(denied, deniedLead) : messagePage(done, doneLead));
      },
    },
  ];
}

async function authorizeDevice(request: EndpointRequest, services: BrowserServices): Promise<EndpointAnswer> {
  const parameters = parametersOfRequest(request);
  const { client } = await authenticateClient({ ...request, parameters }, services);
  if (!client.grantTypes.includes(deviceCode.name)) {
    throw new OAuthError('unauthorized_client', 'The client is not registered for devices');
  }
  const made = await services.devices.create(client.id, readScopes(parameters.get('scope')));
  const page = `${tenantUrl(services.settings, client.tenant)}${pagesPath}/device.do`;
  return jsonAnswer({
    device_code: made.deviceCode,
    user_code: made.userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${made.userCode}`,
    expires_in: deviceCodeLifetime / 1000,
    interval: pollInterval,
  });
}

function toPage(request: EndpointRequest): EndpointAnswer {
  const code = parametersOfRequest(request).get('user_code');
  const query = code === undefined ? '' : `?${new URLSearchParams({ user_code: code }).toString()}`;
  return leadTo(request, `${basePathOf(request)}${pagesPath}/device.do${query}`);
}

interface FormState {
  readonly userCode: string;
  readonly problem?: string;
  readonly status?: number;
}

function showForm(request: EndpointRequest, { userCode, problem, status = 200 }: FormState): EndpointAnswer {
  const browser = knowBrowser(request);
  const page = devicePage({
    action: `${basePathOf(request)}/oauth2/device`,
    token: formToken(browser.id, formName),
    userCode: userCode.slice(0, 20),
    problem,
  });
  return pageAnswer(page, { status, headers: browser.cookies });
}

async function enterCode(request: EndpointRequest, services: BrowserServices): Promise<EndpointAnswer> {
  const parameters = parametersOfRequest(request);
  const browser = browserOf(request.headers);
  if (browser === undefined || !isFormToken(parameters.get('formToken'), browser, formName)) return answerEnded();
  const userCode = parameters.get('user_code') ?? '';
  const guesser = [`address:${request.peer.address}`];
  const milliseconds = services.codeBackoff.wait(guesser);
  if (milliseconds > 0) {
    const seconds = Math.ceil(milliseconds / 1000);
    return showForm(request, { userCode, problem: fill(texts.login.wait, { seconds }), status: 429 });
  }
  const device = await services.devices.enter(userCode);
  const client = device && (await services.clients.findAnywhere(device.clientId));
  if (!device || !client || !isUsable(client)) {
    services.codeBackoff.failed(guesser);
    return showForm(request, { userCode, problem: texts.device.unknown });
  }
  const authorization = authorizationOf(client, device);
  const key = await services.waiting.add('login', browser, authorization);
  return leadTo(request, `${basePathOf(request)}/oauth2/authorize?sessionDataKey=${key}`);
}

/** The request that a device's code stands for, so that signing in and agreeing work as for any other. */
function authorizationOf(
  client: Client,
  { id, scopes }: { readonly id: string; readonly scopes: readonly string[] },
): AuthorizationRequest {
  return {
    clientId: client.id,
    tenantId: client.tenant.id,
    redirectUri: '',
    namesRedirectUri: false,
    responseType: 'device',
    responseMode: 'query',
    scopes,
    state: undefined,
    nonce: undefined,
    challenge: undefined,
    challengeMethod: undefined,
    prompts: [],
    maxAge: undefined,
    loginHint: undefined,
    uiLocales: undefined,
    requestedClaims: [],
    userInfoClaims: [],
    essentialClasses: undefined,
    expectedSubject: undefined,
    deviceCode: id,
  };
}
