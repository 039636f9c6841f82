import type { Endpoint, EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import type { Parameters } from '../http/parameters.ts';
import { browserOf } from '../sessions/cookies.ts';
import { decideConsent } from './authorize-consent.ts';
import { answerEnded, answerOnErrorPage } from './authorize-errors.ts';
import { proceed } from './authorize-proceed.ts';
import type { AuthorizationRequest } from './authorize-request.ts';
import { startAuthorization } from './authorize-start.ts';
import type { BrowserServices } from './browser-services.ts';
import { basePathOf, knowBrowser, leadTo, parametersOfRequest } from './browser-request.ts';
import { isUsable } from './client.ts';
import { OAuthError } from './errors.ts';

/**
 * `/oauth2/authorize` (RFC 6749 §3.1, OpenID Connect Core 3, identity 2.1–2.3). Three legs come here: the client's
 * request, the way back from signing in (`sessionDataKey`), and the user's decision (`sessionDataKeyConsent`).
 */
export function authorizeEndpoint(services: BrowserServices): Endpoint {
  return {
    path: '/oauth2/authorize',
    methods: ['GET', 'POST'],
    async handle(request) {
      const own = ownParameters(request);
      if (request.method === 'POST' && own?.has('sessionDataKeyConsent')) return decideConsent(request, own, services);
      const key = own?.get('sessionDataKey');
      if (key !== undefined) return resume(request, key, services);
      return begin(request, services);
    },
  };
}

/** The parameters, unless they are malformed: then it is the client's request, and its reading says what is wrong. */
function ownParameters(request: EndpointRequest): Parameters | undefined {
  try {
    return parametersOfRequest(request);
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}

async function begin(request: EndpointRequest, services: BrowserServices): Promise<EndpointAnswer> {
  const started = await startAuthorization(request, services);
  if (started.answer) return started.answer;
  const { authorization, client } = started;
  if (request.method === 'GET') return proceed({ request, authorization, client }, services);
  // A POST of another site comes without the session's cookie; the way through our own address brings it.
  const browser = knowBrowser(request);
  const key = await services.waiting.add('login', browser.id, authorization);
  return leadTo(request, `${basePathOf(request)}/oauth2/authorize?sessionDataKey=${key}`, browser.cookies);
}

async function resume(request: EndpointRequest, key: string, services: BrowserServices): Promise<EndpointAnswer> {
  const authorization = await services.waiting.find<AuthorizationRequest>('login', key, browserOf(request.headers));
  if (!authorization) return answerEnded();
  const client = await services.clients.findAnywhere(authorization.clientId);
  if (!client || !isUsable(client)) {
    const error = new OAuthError('invalid_client', 'The application is not active');
    return answerOnErrorPage(error, request, services);
  }
  return proceed({ request, authorization, client, key }, services);
}
