import { mediaTypeOf, getHeader, type HeaderList } from '#message';
import type { EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import { redirectAnswer } from '../http/endpoint.ts';
import { readParameters, type Parameters } from '../http/parameters.ts';
import { browserOf, sessionSecretOf, setBrowser } from '../sessions/cookies.ts';
import type { Session, Sessions } from '../sessions/session.ts';
import { newBrowser } from '../sessions/waiting-requests.ts';
import { tenantPath } from '../tenants/tenant.ts';
import { OAuthError } from './errors.ts';

/** The path before our own paths: that of a proxy in front, then that of the tenant when the request named it. */
export function basePathOf({ publicPath, namesTenant, tenant }: EndpointRequest): string {
  return publicPath + (namesTenant ? tenantPath(tenant) : '');
}

/** The text of a request's parameters: the query, or the form of a POST. @throws OAuthError for another body */
export function parameterText({ method, query, headers, body }: EndpointRequest): string {
  if (method === 'GET') return query;
  const type = mediaTypeOf(getHeader(headers, 'Content-Type') ?? '');
  if (type === 'application/x-www-form-urlencoded') return body;
  throw new OAuthError('invalid_request', 'Expected a body of type application/x-www-form-urlencoded');
}

/** @throws OAuthError for repeated parameters, wrong escapes and other bodies */
export function parametersOfRequest(request: EndpointRequest): Parameters {
  return readParameters(parameterText(request));
}

/** The browser's own value, and the cookie that a new one is told it by. */
export function knowBrowser({ headers }: EndpointRequest): { readonly id: string; readonly cookies: HeaderList } {
  const known = browserOf(headers);
  if (known !== undefined) return { id: known, cookies: [] };
  const id = newBrowser();
  return { id, cookies: setBrowser(id) };
}

/** The living session of the request's cookie. */
export async function sessionOf(
  { headers }: EndpointRequest,
  { sessions }: { readonly sessions: Sessions },
): Promise<Session | undefined> {
  const secret = sessionSecretOf(headers);
  return secret === undefined ? undefined : sessions.find(secret);
}

/** Leads a browser to one of our addresses, after a form by 303 (RFC 9700 §4.12). */
export function leadTo(request: EndpointRequest, location: string, headers: HeaderList = []): EndpointAnswer {
  const answer = redirectAnswer(location, headers);
  return request.method === 'POST' ? { ...answer, status: 303 } : answer;
}
