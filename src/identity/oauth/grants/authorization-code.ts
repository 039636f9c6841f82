import { createHash, timingSafeEqual } from 'node:crypto';
import { oauthGrantTypeAuthorizationCode } from '#config';
import { OAuthError } from '../errors.ts';
import { defineGrant, type GrantRequest } from '../grant.ts';
import type { CodeGrant } from '../codes.ts';

/** `authorization_code`: what the browser brought back from the authorization endpoint (RFC 6749 §4.1, identity 3.1). */
export const authorizationCode = defineGrant({
  name: 'authorization_code',
  section: 'authorization_code',
  keys: { enable: oauthGrantTypeAuthorizationCode.enable, handler: oauthGrantTypeAuthorizationCode.grantHandler },
  classes: ['AuthorizationCodeGrantHandler', 'AuthorizationCodeGrantValidator'],
  required: ['code'],
  subject: 'user',
  admitsPublicClients: true,
  refreshTokens: true,
  idTokens: true,
  async run(request, services) {
    const code = request.parameters.get('code') ?? '';
    const taken = await services.codes.take(code);
    if (!taken) throw new OAuthError('invalid_grant', 'Invalid authorization code received from token request');
    if (taken.state === 'expired') throw new OAuthError('invalid_grant', 'Expired or revoked authorization code');
    if (taken.state === 'used') {
      // RFC 6749 §4.1.2: a code that comes twice was stolen from one of the two; what it gave is revoked.
      if (taken.family !== undefined) await services.tokens.revokeFamily(taken.family);
      throw new OAuthError('invalid_grant', 'Inactive authorization code received from token request');
    }
    const { grant } = taken;
    if (grant.clientId !== request.client.id) {
      throw new OAuthError('invalid_grant', 'Invalid authorization code received from token request');
    }
    checkRedirect(grant, request);
    checkVerifier(grant, request);
    return {
      subject: grant.subject,
      scopes: grant.scopes,
      scopesAreFinal: true,
      authenticatedAt: grant.authenticatedAt,
      requestedClaims: grant.requestedClaims,
      ...(grant.authentication && { authentication: grant.authentication }),
      ...(grant.nonce !== undefined && { nonce: grant.nonce }),
      ...(grant.sessionId !== undefined && { sessionId: grant.sessionId }),
      async issued(record) {
        await services.codes.gave(code, record.family);
        await services.tokenClaims.note(record.family, grant.userInfoClaims ?? []);
      },
    };
  },
});

function checkRedirect({ redirectUri }: CodeGrant, { parameters }: GrantRequest): void {
  if (redirectUri !== undefined && parameters.get('redirect_uri') !== redirectUri) {
    throw new OAuthError('invalid_grant', 'Callback url mismatch');
  }
}

/** RFC 7636 §4.6, and RFC 9700 §2.1.1: a verifier without a challenge is an attempt to go around it. */
function checkVerifier({ challenge, challengeMethod }: CodeGrant, { parameters }: GrantRequest): void {
  const verifier = parameters.get('code_verifier');
  if (challenge === undefined) {
    if (verifier !== undefined) throw new OAuthError('invalid_grant', 'PKCE validation failed');
    return;
  }
  if (verifier === undefined || !/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) {
    throw new OAuthError('invalid_grant', 'PKCE validation failed');
  }
  const derived = challengeMethod === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  const isRight = derived.length === challenge.length && timingSafeEqual(Buffer.from(derived), Buffer.from(challenge));
  if (!isRight) throw new OAuthError('invalid_grant', 'PKCE validation failed');
}
