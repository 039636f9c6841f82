import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { systemClock } from '#core';
import { assertionText, own, samlProvider, sign } from '../../src/identity/test-saml.ts';

/** Files of identity providers that a server knows, and whose assertions are made here. */
export const partnerFiles: Readonly<Record<string, string>> = {
  'conf/identity/identity-providers/saml.xml': samlProvider,
  'conf/identity/identity-providers/partner.xml': `<IdentityProvider><IdentityProviderName>partner</IdentityProviderName>
    <IsEnabled>true</IsEnabled><Certificate>${own.certificatePem}</Certificate></IdentityProvider>`,
};

/** The partner's assertion that a user signed in, as JWT, for a server with this issuer (RFC 7523). */
export function jwtAssertion(issuer: string, user: string): Promise<string> {
  return new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer('partner')
    .setSubject(user)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(createPrivateKey(own.privateKeyPem));
}

/** The same as a SAML assertion, encoded for a form (RFC 7522). */
export function samlAssertion(issuer: string, user: string): string {
  const confirmation = `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
    <saml:SubjectConfirmationData Recipient="${issuer}"/></saml:SubjectConfirmation>`;
  const facts = { audience: issuer, subject: user, confirmation };
  return Buffer.from(sign(assertionText({ clock: systemClock }, facts))).toString('base64url');
}
