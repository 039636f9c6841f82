import type { Endpoint, EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import type { Parameters } from '../http/parameters.ts';
import { consentPage } from '../pages/consent-page.ts';
import { pageAnswer, pagesPath } from '../pages/page.ts';
import { scopeTexts } from '../pages/texts.ts';
import { browserOf } from '../sessions/cookies.ts';
import { formToken, isFormToken } from '../sessions/waiting-requests.ts';
import { finishAuthorization, routeOf } from './authorize-finish.ts';
import { answerEnded, answerErrorToClient } from './authorize-errors.ts';
import type { ConsentRequest } from './authorize-proceed.ts';
import type { BrowserServices } from './browser-services.ts';
import { basePathOf, leadTo, parametersOfRequest, sessionOf } from './browser-request.ts';
import { isUsable } from './client.ts';
import { OAuthError } from './errors.ts';
import { originOf } from './response-modes.ts';
import { shownName, userSubject } from './subjects.ts';

/** The consent page, at the two paths of the original (identity 1.1). What it shows comes from the waiting request. */
export function consentPageEndpoints(services: BrowserServices): readonly Endpoint[] {
  return ['oauth2_authz', 'oauth2_consent'].map((name) => ({
    path: `${pagesPath}/${name}.do`,
    methods: ['GET'],
    handle: (request) => showConsent(request, services),
  }));
}

async function showConsent(request: EndpointRequest, services: BrowserServices): Promise<EndpointAnswer> {
  const key = parametersOfRequest(request).get('sessionDataKeyConsent') ?? '';
  const browser = browserOf(request.headers);
  const waiting = await services.waiting.find<ConsentRequest>('consent', key, browser);
  const client = waiting && (await services.clients.findAnywhere(waiting.authorization.clientId));
  const session = await sessionOf(request, services);
  if (!waiting || !client || session?.id !== waiting.sessionId || browser === undefined) return answerEnded();
  const { redirectUri, deviceCode } = waiting.authorization;
  const isForDevice = deviceCode !== undefined;
  const registered = await services.scopes.list(client.tenant);
  const scopes = waiting.scopes.map((name) => {
    const known = registered.find((scope) => scope.name === name);
    return { name, description: scopeTexts[name] ?? (known?.description || known?.displayName || name) };
  });
  const page = consentPage({
    application: client.name,
    user: shownName(userSubject(session.user)),
    isForDevice,
    scopes,
    returnsTo: isForDevice ? undefined : originOf(redirectUri),
    action: `${basePathOf(request)}/oauth2/authorize`,
    sessionDataKeyConsent: key,
    token: formToken(browser, key),
  });
  return pageAnswer(page, { formTargets: isForDevice ? [] : [originOf(redirectUri)] });
}

/** What the user has decided. A form without the token of its page is one that another site has sent. */
export async function decideConsent(
  request: EndpointRequest,
  parameters: Parameters,
  services: BrowserServices,
): Promise<EndpointAnswer> {
  const key = parameters.get('sessionDataKeyConsent') ?? '';
  const browser = browserOf(request.headers);
  if (!isFormToken(parameters.get('formToken'), browser, key)) return answerEnded();
  const waiting = await services.waiting.take<ConsentRequest>('consent', key, browser);
  const client = waiting && (await services.clients.findAnywhere(waiting.authorization.clientId));
  const session = await sessionOf(request, services);
  if (!waiting || !client || !isUsable(client) || session?.id !== waiting.sessionId) return answerEnded();
  const { authorization, scopes } = waiting;
  const agreed = { request, authorization, client, session, scopes };
  const decision = parameters.get('consent');
  if (decision !== 'approve' && decision !== 'approveAlways') {
    if (authorization.deviceCode !== undefined) {
      await services.devices.deny(authorization.deviceCode);
      return leadTo(request, `${basePathOf(request)}${pagesPath}/device_success.do?denied=true`);
    }
    const denied = new OAuthError('access_denied', 'The user did not agree');
    return answerErrorToClient(denied, routeOf(agreed), services);
  }
  const remembers = decision === 'approveAlways' || /^(?:on|true)$/.test(parameters.get('hasApprovedAlways') ?? '');
  try {
    if (remembers && authorization.deviceCode === undefined) {
      await services.consents.remember(session.user, client.id, scopes);
    }
    return await finishAuthorization(agreed, services);
  } catch (error) {
    if (authorization.deviceCode !== undefined) throw error;
    return answerErrorToClient(error, routeOf(agreed), services);
  }
}
