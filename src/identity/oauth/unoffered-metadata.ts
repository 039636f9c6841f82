import { OAuthError } from './errors.ts';

/** Members that would promise what is not done, by when they do; what a client relies on must not be ignored. */
const unoffered: Readonly<Record<string, (value: unknown) => boolean>> = {
  subject_type: (value) => value !== 'public',
  request_object_encryption_alg: () => true,
  dpop_bound_access_tokens: (value) => value === true,
  tls_client_certificate_bound_access_tokens: (value) => value === true,
  id_token_encrypted_response_alg: () => true,
  userinfo_encrypted_response_alg: () => true,
};

/**
 * Refuses metadata of a client that would get less than it asks for (RFC 7591 §3.2.2).
 *
 * @throws OAuthError `invalid_client_metadata` naming the member
 */
export function refuseUnoffered(metadata: Readonly<Record<string, unknown>>): void {
  for (const [name, isUnoffered] of Object.entries(unoffered)) {
    const value = metadata[name];
    if (value === undefined || value === null || !isUnoffered(value)) continue;
    throw new OAuthError('invalid_client_metadata', `${name}: ${JSON.stringify(value).slice(0, 100)} is not offered`);
  }
}
