import type { Parameters } from '../http/parameters.ts';
import type { Client } from './client.ts';
import { readClaims } from './authorize-claims.ts';
import { readChallenge } from './authorize-pkce.ts';
import { OAuthError } from './errors.ts';
import { readResponseMode, type ResponseMode } from './response-modes.ts';
import { gives, readResponseType, type ResponseType } from './response-types.ts';
import { readScopes } from './scopes.ts';
import type { OAuthServices } from './services.ts';

export type Prompt = 'none' | 'login' | 'consent' | 'select_account';

/** An authorization request that has been checked, as it is kept while a user signs in (identity 2.1). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly tenantId: number;
  /** Where the answer goes; it is registered. Empty for a device, which asks for its tokens itself. */
  readonly redirectUri: string;
  /** True when the request named it: then the token request must, too. */
  readonly namesRedirectUri: boolean;
  readonly responseType: ResponseType;
  readonly responseMode: ResponseMode;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  readonly challenge: string | undefined;
  readonly challengeMethod: 'S256' | 'plain' | undefined;
  readonly prompts: readonly Prompt[];
  /** Milliseconds. */
  readonly maxAge: number | undefined;
  readonly loginHint: string | undefined;
  readonly uiLocales: string | undefined;
  /** Claims that were asked for one by one. */
  readonly requestedClaims: readonly string[];
  /** The same for user info. */
  readonly userInfoClaims: readonly string[];
  /** Classes of sign-ins that will do; undefined when all will. */
  readonly essentialClasses: readonly string[] | undefined;
  /** The user whom the client expects: of `id_token_hint`, or of `sub` in `claims`. */
  readonly expectedSubject: string | undefined;
  /** The device whose user code was entered. */
  readonly deviceCode?: string;
  /** The session of a sign-in that this request caused. */
  readonly signedIn?: string;
}

/** What the checks of a request see. */
interface Checked {
  readonly client: Client;
  readonly parameters: Parameters;
  readonly redirectUri: string;
}

/**
 * Checks the parameters of a request whose client and address are known. Unknown parameters are left alone.
 *
 * @throws OAuthError with the code that the client is told
 */
export async function readAuthorizationRequest(
  { client, parameters, redirectUri }: Checked,
  services: Pick<OAuthServices, 'grants'>,
  readHint: (token: string) => Promise<string>,
): Promise<AuthorizationRequest> {
  if (parameters.get('registration') !== undefined) {
    throw new OAuthError('registration_not_supported', 'The parameter registration is not supported');
  }
  const responseType = readResponseType(parameters.get('response_type'), client, services.grants);
  const responseMode = readResponseMode(parameters.get('response_mode'), responseType);
  const scopes = readScopes(parameters.get('scope'));
  const nonce = parameters.get('nonce');
  checkIdToken(responseType, scopes, nonce);
  const claims = readClaims(parameters.get('claims'));
  const hint = parameters.get('id_token_hint');
  return {
    clientId: client.id,
    tenantId: client.tenant.id,
    redirectUri,
    namesRedirectUri: parameters.get('redirect_uri') !== undefined,
    responseType,
    responseMode,
    scopes,
    state: parameters.get('state'),
    nonce,
    ...readChallenge(parameters, client, responseType),
    prompts: readPrompts(parameters.get('prompt')),
    maxAge: readMaxAge(parameters.get('max_age')),
    loginHint: parameters.get('login_hint')?.slice(0, 200),
    uiLocales: parameters.get('ui_locales'),
    requestedClaims: claims.names,
    userInfoClaims: claims.ofUserInfo,
    essentialClasses: claims.classes,
    expectedSubject: hint === undefined ? claims.subject : await readHint(hint),
  };
}

/** OpenID Connect Core 3.2.2.1: whoever gets an ID token by the browser needs `openid` and a nonce. */
function checkIdToken(type: ResponseType, scopes: readonly string[], nonce: string | undefined): void {
  if (!gives(type, 'id_token')) return;
  if (!scopes.includes('openid')) throw new OAuthError('invalid_request', 'An ID token needs the scope openid');
  if (nonce === undefined) throw new OAuthError('invalid_request', 'An ID token by the browser needs a nonce');
}

const prompts: readonly Prompt[] = ['none', 'login', 'consent', 'select_account'];

function readPrompts(given: string | undefined): readonly Prompt[] {
  const words = (given ?? '').split(' ').filter((word) => word !== '');
  const found = words.map((word) => prompts.find((known) => known === word));
  const known = found.filter((prompt) => prompt !== undefined);
  if (known.length < words.length) throw new OAuthError('invalid_request', 'The prompt has a value that is not known');
  if (known.includes('none') && known.length > 1) {
    throw new OAuthError('invalid_request', 'The prompt none excludes every other one');
  }
  return known;
}

function readMaxAge(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,10}$/.test(given)) throw new OAuthError('invalid_request', 'The max_age is no number of seconds');
  return Number(given) * 1000;
}
