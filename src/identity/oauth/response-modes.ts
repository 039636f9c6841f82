import { redirectAnswer, type EndpointAnswer } from '../http/endpoint.ts';
import { signJwt } from '../keys/sign-jwt.ts';
import { formPostPage } from '../pages/form-post-page.ts';
import { pageAnswer } from '../pages/page.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { issuerOf } from './issuer.ts';
import { gives, type ResponseType } from './response-types.ts';
import type { OAuthServices } from './services.ts';

/** How the answer travels through the browser (identity 2.1). */
export const responseModes = [
  'query',
  'fragment',
  'form_post',
  'jwt',
  'query.jwt',
  'fragment.jwt',
  'form_post.jwt',
] as const;

export type ResponseMode = Exclude<(typeof responseModes)[number], 'jwt'>;

/** Milliseconds that a signed answer is good for. */
const answerLifetime = 10 * 60_000;

/**
 * Reads `response_mode`. Without one a code comes in the query and everything else in the fragment, which servers and
 * logs do not see (OAuth 2.0 Multiple Response Types 2.1).
 *
 * @throws OAuthError `invalid_request` for an unknown mode, and for tokens in a query
 */
export function readResponseMode(given: string | undefined, type: ResponseType): ResponseMode {
  const hasTokens = gives(type, 'token') || gives(type, 'id_token');
  const usual = hasTokens ? 'fragment' : 'query';
  if (given === undefined) return usual;
  if (given === 'jwt') return `${usual}.jwt`;
  const mode = responseModes.find((known) => known === given);
  if (mode === undefined) throw new OAuthError('invalid_request', 'The response_mode is not known');
  if (mode === 'query' && hasTokens) {
    throw new OAuthError('invalid_request', 'Tokens do not travel in a query; the response_mode cannot be query');
  }
  return mode as ResponseMode;
}

/** The mode for an error that comes before the request was understood: what the request seems to want. */
export function guessResponseMode(mode: string | undefined, type: string | undefined): ResponseMode {
  const isFront = /\b(?:id_token|token)\b/.test(type ?? '');
  const usual = isFront ? 'fragment' : 'query';
  if (mode === 'jwt') return `${usual}.jwt`;
  const found = responseModes.find((known) => known === mode);
  return found === undefined || (found === 'query' && isFront) ? usual : (found as ResponseMode);
}

export interface ResponseRoute {
  readonly client: Client;
  /** Matched with the client's registration. */
  readonly redirectUri: string;
  readonly mode: ResponseMode;
  readonly state: string | undefined;
  /** True after a form: then 303, so that no browser sends the form on (RFC 9700 §4.12). */
  readonly isAfterForm: boolean;
}

export type ResponseParameters = Readonly<Record<string, string | number | undefined>>;

/** Sends the browser back to the client; every answer names its issuer (RFC 9207). */
export async function answerToClient(
  route: ResponseRoute,
  given: ResponseParameters,
  services: Pick<OAuthServices, 'settings' | 'keys' | 'clock'>,
): Promise<EndpointAnswer> {
  const { client, redirectUri, mode, state, isAfterForm } = route;
  const issuer = issuerOf(services.settings, client.tenant);
  const all: ResponseParameters = { ...given, state };
  const parameters = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const [way, isSigned] = mode.split('.') as ['query' | 'fragment' | 'form_post', 'jwt'?];
  const fields: [string, string][] = isSigned
    ? [['response', await signAnswer(Object.fromEntries(parameters), client, { issuer, ...services })]]
    : [...parameters, ['iss', issuer]];
  if (way === 'form_post') {
    return pageAnswer(formPostPage(redirectUri, fields), { formTargets: [originOf(redirectUri)] });
  }
  const encoded = new URLSearchParams(fields).toString();
  const joint = way === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
  return { ...redirectAnswer(redirectUri + joint + encoded), ...(isAfterForm && { status: 303 }) };
}

/** JWT Secured Authorization Response Mode 2.1. */
async function signAnswer(
  claims: Readonly<Record<string, string>>,
  client: Client,
  { issuer, keys, clock }: Pick<OAuthServices, 'keys' | 'clock'> & { readonly issuer: string },
): Promise<string> {
  const key = await keys.current(client.tenant, client.idTokenAlgorithm);
  const exp = Math.floor((clock.now() + answerLifetime) / 1000);
  const { expires_in: lifetime, ...texts } = claims;
  const all = {
    ...texts,
    ...(lifetime !== undefined && { expires_in: Number(lifetime) }),
    iss: issuer,
    aud: client.id,
  };
  return signJwt({ ...all, exp }, key);
}

/** What a page's policy names so that its form may lead to an address: the origin, or the scheme of an app's own. */
export function originOf(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return /^https?:$/.test(protocol) ? origin : protocol;
}
