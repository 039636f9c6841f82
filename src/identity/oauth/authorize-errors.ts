import { getLogger } from '#core';
import { toError } from '#errors';
import type { EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import { redirectAnswer } from '../http/endpoint.ts';
import { endedPage, errorPage } from '../pages/message-pages.ts';
import { pageAnswer, pagesPath } from '../pages/page.ts';
import type { BrowserServices } from './browser-services.ts';
import { OAuthError } from './errors.ts';
import { answerToClient, type ResponseRoute } from './response-modes.ts';
import { basePathOf } from './browser-request.ts';

const log = getLogger('identity');

/** An error whose request cannot be led back to a client goes to the error page (identity 2.3). */
export function answerOnErrorPage(
  error: OAuthError,
  request: EndpointRequest,
  { browser, application }: Pick<BrowserServices, 'browser'> & { readonly application?: string | undefined },
): EndpointAnswer {
  log.info({ error: error.error, reason: error.message, path: request.path }, 'a request of a browser was refused');
  if (!browser.redirectsToErrorPage) return pageAnswer(errorPage(error.error, error.message), { status: 400 });
  const page = browser.pages['oauth2_error'] ?? `${basePathOf(request)}${pagesPath}/oauth2_error.do`;
  const parameters = new URLSearchParams({
    oauthErrorCode: error.error,
    oauthErrorMsg: error.message,
    ...(browser.addsErrorParameters && {
      ...(application !== undefined && { sp: application }),
      tenantDomain: request.tenant.domain,
    }),
  });
  const answer = redirectAnswer(`${page}${page.includes('?') ? '&' : '?'}${parameters.toString()}`);
  return request.method === 'POST' ? { ...answer, status: 303 } : answer;
}

/** An error whose client and address are known goes back to the client; what is not ours to tell becomes `server_error`. */
export async function answerErrorToClient(
  thrown: unknown,
  route: ResponseRoute,
  services: BrowserServices,
): Promise<EndpointAnswer> {
  const isKnown = thrown instanceof OAuthError;
  if (!isKnown) log.error({ client: route.client.id, err: toError(thrown) }, 'an authorization request failed');
  const error = isKnown ? thrown.error : 'server_error';
  const description = isKnown ? thrown.message : 'The server could not answer the request';
  return answerToClient(route, { error, error_description: description }, services);
}

/** The page for keys that are unknown, have ended, or belong to another browser (`session_time_out`). */
export function answerEnded(): EndpointAnswer {
  return pageAnswer(endedPage(), { status: 400 });
}
