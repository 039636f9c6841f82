import type { Parameters } from '../http/parameters.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { gives, type ResponseType } from './response-types.ts';

export interface Challenge {
  readonly challenge: string | undefined;
  readonly challengeMethod: 'S256' | 'plain' | undefined;
}

/**
 * Reads the proof key of a request (RFC 7636 §4.3, identity 2.1). A client without a secret needs one for a code (RFC
 * 9700 §2.1.1).
 *
 * @throws OAuthError `invalid_request`
 */
export function readChallenge(parameters: Parameters, client: Client, type: ResponseType): Challenge {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (!gives(type, 'code')) return { challenge: undefined, challengeMethod: undefined };
  if (challenge === undefined) {
    if (method !== undefined) throw refused('The code_challenge_method stands without a code_challenge');
    if (client.pkceMandatory || client.isPublic) throw refused('PKCE is mandatory for this application');
    return { challenge: undefined, challengeMethod: undefined };
  }
  if (method === 'S256') {
    if (!/^[\w-]{43}$/.test(challenge)) throw refused('A code_challenge of S256 has 43 characters of base64url');
    return { challenge, challengeMethod: 'S256' };
  }
  if (method !== undefined && method !== 'plain') throw refused('The code_challenge_method is not known');
  if (!client.pkceAllowsPlain) throw refused('The application does not allow the code_challenge_method plain');
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(challenge)) throw refused('The code_challenge has 43 to 128 characters');
  return { challenge, challengeMethod: 'plain' };
}

function refused(message: string): OAuthError {
  return new OAuthError('invalid_request', message);
}
