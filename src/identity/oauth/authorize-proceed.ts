import type { EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import type { Session } from '../sessions/session.ts';
import { formToken } from '../sessions/waiting-requests.ts';
import { pagesPath } from '../pages/page.ts';
import { classOf } from './authentication.ts';
import { finishAuthorization, routeOf } from './authorize-finish.ts';
import { answerErrorToClient } from './authorize-errors.ts';
import type { AuthorizationRequest } from './authorize-request.ts';
import type { BrowserServices } from './browser-services.ts';
import { basePathOf, knowBrowser, leadTo, sessionOf } from './browser-request.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { shownName, userSubject } from './subjects.ts';

/** A request on its way to an answer. */
export interface AuthorizationLeg {
  readonly request: EndpointRequest;
  readonly authorization: AuthorizationRequest;
  readonly client: Client;
  /** The key under which it waits for a sign-in. */
  readonly key?: string;
}

/** What waits for the user's decision. */
export interface ConsentRequest {
  readonly authorization: AuthorizationRequest;
  readonly scopes: readonly string[];
  readonly sessionId: string;
}

/** Goes on as far as it can: to the login page, to the consent page, or back to the client (identity 2.2). */
export async function proceed(leg: AuthorizationLeg, services: BrowserServices): Promise<EndpointAnswer> {
  const { request, authorization, client, key } = leg;
  try {
    const session = await sessionOf(request, services);
    if (!session || needsSignIn(leg, session, services)) return await askToSignIn(leg, services);
    checkSubject(authorization, session);
    checkClass(authorization, session);
    const scopes = await services.scopes.grant({
      tenant: client.tenant,
      client,
      subject: userSubject(session.user),
      wanted: authorization.scopes,
      allowsIdToken: true,
    });
    if (await needsConsent(leg, { session, scopes }, services)) {
      return await askForConsent(leg, { session, scopes }, services);
    }
    if (key !== undefined) await services.waiting.take('login', key, knowBrowser(request).id);
    return await finishAuthorization({ ...leg, session, scopes }, services);
  } catch (error) {
    if (authorization.deviceCode !== undefined) throw error;
    return answerErrorToClient(error, routeOf(leg), services);
  }
}

function needsSignIn(
  { authorization, client }: AuthorizationLeg,
  session: Session,
  { clock }: BrowserServices,
): boolean {
  if (session.tenant.id !== client.tenant.id && !client.isSaas) return true;
  if (authorization.signedIn === session.id) return false;
  if (!isClassGood(authorization, session)) return true;
  if (authorization.prompts.includes('login')) return true;
  const { maxAge, expectedSubject } = authorization;
  if (maxAge !== undefined && clock.now() - session.authenticatedAt >= Math.max(maxAge, 1)) return true;
  return expectedSubject !== undefined && expectedSubject !== session.user.id;
}

/** Somebody else than the client expects has signed in (OpenID Connect Core 3.1.2.1, 5.5.1). */
function checkSubject({ expectedSubject }: AuthorizationRequest, { user }: Session): void {
  if (expectedSubject !== undefined && expectedSubject !== user.id) {
    throw new OAuthError('login_required', 'Another user than the expected one is signed in');
  }
}

function isClassGood({ essentialClasses }: AuthorizationRequest, session: Session): boolean {
  return essentialClasses === undefined || essentialClasses.includes(classOf(session));
}

/** OpenID Connect Core 5.5.1.1: a sign-in without an essential class is a failed one. */
function checkClass(authorization: AuthorizationRequest, session: Session): void {
  if (isClassGood(authorization, session)) return;
  throw new OAuthError('access_denied', 'The sign-in has none of the classes that the request calls essential');
}

async function askToSignIn(leg: AuthorizationLeg, services: BrowserServices): Promise<EndpointAnswer> {
  const { request, authorization } = leg;
  if (authorization.prompts.includes('none')) throw new OAuthError('login_required', 'The user has to sign in');
  const browser = knowBrowser(request);
  const key = leg.key ?? (await services.waiting.add('login', browser.id, authorization));
  const type = authorization.scopes.includes('openid') ? 'oidc' : 'oauth2';
  const parameters = new URLSearchParams({ sessionDataKey: key, type });
  return leadTo(request, `${basePathOf(request)}/commonauth?${parameters.toString()}`, browser.cookies);
}

interface Granted {
  readonly session: Session;
  readonly scopes: readonly string[];
}

async function needsConsent(
  { authorization, client }: AuthorizationLeg,
  { session, scopes }: Granted,
  { settings, consents }: BrowserServices,
): Promise<boolean> {
  // A device may belong to somebody else, who wants this user to confirm a code (RFC 8628 §5.4).
  if (authorization.deviceCode !== undefined || authorization.prompts.includes('consent')) return true;
  if (!settings.promptsConsent || client.skipsConsent) return false;
  return !(await consents.covers(session.user, client.id, scopes));
}

async function askForConsent(
  { request, authorization, client, key }: AuthorizationLeg,
  { session, scopes }: Granted,
  services: BrowserServices,
): Promise<EndpointAnswer> {
  if (authorization.prompts.includes('none')) throw new OAuthError('consent_required', 'The user has to agree first');
  const browser = knowBrowser(request);
  if (key !== undefined) await services.waiting.take('login', key, browser.id);
  const waiting: ConsentRequest = { authorization, scopes, sessionId: session.id };
  const consentKey = await services.waiting.add('consent', browser.id, waiting);
  const isOidc = scopes.includes('openid');
  const configured = services.browser.pages[isOidc ? 'oidc_consent' : 'oauth2_consent'];
  const own = `${basePathOf(request)}${pagesPath}/${isOidc ? 'oauth2_consent' : 'oauth2_authz'}.do`;
  const parameters = new URLSearchParams({
    loggedInUser: shownName(userSubject(session.user)),
    application: client.name,
    tenantDomain: client.tenant.domain,
    scope: scopes.join(' '),
    sessionDataKeyConsent: consentKey,
    // A page of somebody else's has to send it back as we do.
    ...(configured !== undefined && { formToken: formToken(browser.id, consentKey) }),
  });
  const page = configured ?? own;
  return leadTo(request, `${page}${page.includes('?') ? '&' : '?'}${parameters.toString()}`, browser.cookies);
}
