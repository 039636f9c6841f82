import type { ClientMetadata } from './client-metadata.ts';
import { OAuthError, type OAuthErrorCode } from './errors.ts';

/** What members of a registration may not say together. */
interface Rule {
  readonly error: OAuthErrorCode;
  readonly message: string;
  readonly isBroken: (metadata: ClientMetadata) => boolean;
}

const grantsOf = ({ grant_types: given }: ClientMetadata): readonly string[] => given ?? ['authorization_code'];

/** The addresses that can be looked at: what a pattern will admit cannot be said. */
const addressesOf = ({ redirect_uris: uris }: ClientMetadata): readonly URL[] =>
  (uris ?? []).filter((uri) => !uri.startsWith('regexp=')).map((uri) => new URL(uri));

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

const isOfApp = (url: URL): boolean => !/^https?:$/.test(url.protocol) || isLoopback(url);

const isHttps = (text: string | undefined): boolean => text === undefined || new URL(text).protocol === 'https:';

/**
 * The rules of RFC 7591 §2 and of OpenID Connect Registration 2 that look at more than one member, or at what an address
 * is for. Those of `application_type` count for registrations that name it: clients of the original do not.
 */
const rules: readonly Rule[] = [
  {
    error: 'invalid_client_metadata',
    message: 'jwks and jwks_uri: expected one of them',
    isBroken: ({ jwks, jwks_uri: uri }) => jwks !== undefined && uri !== undefined,
  },
  {
    error: 'invalid_client_metadata',
    message: 'token_endpoint_auth_method: private_key_jwt needs jwks or jwks_uri',
    isBroken: ({ token_endpoint_auth_method: method, jwks, jwks_uri: uri }) =>
      method === 'private_key_jwt' && uri === undefined && (jwks?.keys ?? []).length === 0,
  },
  {
    error: 'invalid_client_metadata',
    message: 'require_signed_request_object: signed requests need jwks or jwks_uri',
    isBroken: ({ require_signed_request_object: isSigned, jwks, jwks_uri: uri }) =>
      isSigned === true && uri === undefined && (jwks?.keys ?? []).length === 0,
  },
  {
    error: 'invalid_redirect_uri',
    message: 'redirect_uris: a web application with the implicit grant needs https, and no localhost',
    isBroken: (metadata) =>
      metadata.application_type === 'web' &&
      grantsOf(metadata).includes('implicit') &&
      addressesOf(metadata).some(({ protocol, hostname }) => protocol !== 'https:' || hostname === 'localhost'),
  },
  {
    error: 'invalid_redirect_uri',
    message: 'redirect_uris: a native application needs a scheme of its own, or http on localhost, 127.0.0.1 or [::1]',
    isBroken: (metadata) =>
      metadata.application_type === 'native' && addressesOf(metadata).some((url) => !isOfApp(url)),
  },
  {
    error: 'invalid_client_metadata',
    message: 'initiate_login_uri: expected an https address',
    isBroken: ({ initiate_login_uri: uri }) => !isHttps(uri),
  },
  {
    error: 'invalid_client_metadata',
    message: 'sector_identifier_uri: expected an https address',
    isBroken: ({ sector_identifier_uri: uri }) => !isHttps(uri),
  },
];

/**
 * Checks what the members of a registration say together.
 *
 * @throws OAuthError `invalid_client_metadata` or `invalid_redirect_uri` with the first rule that is broken
 */
export function checkRegistrationRules(metadata: ClientMetadata): void {
  const broken = rules.find(({ isBroken }) => isBroken(metadata));
  if (broken) throw new OAuthError(broken.error, broken.message);
}
