import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignedXml } from 'xml-crypto';
import type { Clock } from '#core';
import { createSelfSigned } from '#keystore';
import { basic, startTestIdentity, type TestAnswer, type TestIdentity } from './test-identity.ts';

/** An identity provider that signs assertions, for tests. */
export const samlGrant = 'urn:ietf:params:oauth:grant-type:saml2-bearer';
export const endpoint = 'https://localhost:9443/oauth2/token';
export const own = await createSelfSigned({ hostNames: ['idp.example'], days: 1 });
export const other = await createSelfSigned({ hostNames: ['evil.example'], days: 1 });

/** The file of the provider of these assertions. */
export const samlProvider = `<IdentityProvider><IdentityProviderName>saml</IdentityProviderName>
  <FederatedAuthenticatorConfigs><saml2><Name>SAMLSSOAuthenticator</Name><IsEnabled>true</IsEnabled><Properties>
  <property><Name>IdPEntityId</Name><Value>https://idp.example</Value></property></Properties></saml2>
  </FederatedAuthenticatorConfigs><Certificate>${own.certificatePem}</Certificate></IdentityProvider>`;

/** What an assertion says; good by default. */
export interface AssertionText {
  readonly id?: string;
  readonly subject?: string;
  readonly issuer?: string;
  readonly audience?: string | undefined;
  readonly conditions?: string;
  readonly confirmation?: string;
  readonly attributes?: string;
  readonly version?: string;
}

/** Who says what time it is. */
type Timed = Readonly<Record<'clock', Pick<Clock, 'now'>>>;

export const at = (server: Timed, seconds: number): string =>
  new Date(server.clock.now() + seconds * 1000).toISOString();

export function assertionText(server: Timed, facts: AssertionText = {}): string {
  const { id = `_${crypto.randomUUID()}`, subject = 'ada', issuer = 'https://idp.example', version = '2.0' } = facts;
  const audience = 'audience' in facts ? facts.audience : endpoint;
  const restriction =
    audience === undefined
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`;
  const times = facts.conditions ?? `NotBefore="${at(server, -60)}" NotOnOrAfter="${at(server, 600)}"`;
  const confirmation =
    facts.confirmation ??
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData
      NotOnOrAfter="${at(server, 300)}" Recipient="${endpoint}"/></saml:SubjectConfirmation>`;
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" IssueInstant="${at(server, 0)}" ` +
    `Version="${version}"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID>${subject}</saml:NameID>` +
    `${confirmation}</saml:Subject><saml:Conditions ${times}>${restriction}</saml:Conditions>` +
    `${facts.attributes ?? ''}</saml:Assertion>`
  );
}

export interface Signing {
  readonly key?: string;
  readonly algorithm?: string;
  readonly digest?: string;
  readonly transforms?: readonly string[];
  readonly canonicalization?: string;
  readonly xpath?: string;
}

export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

export function sign(xml: string, signing: Signing = {}): string {
  const signer = new SignedXml({
    privateKey: signing.key ?? own.privateKeyPem,
    publicCert: own.certificatePem,
    signatureAlgorithm: signing.algorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: signing.canonicalization ?? exclusive,
  });
  signer.addReference({
    xpath: signing.xpath ?? "/*[local-name()='Assertion']",
    digestAlgorithm: signing.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: [...(signing.transforms ?? [enveloped, exclusive])],
  });
  signer.computeSignature(xml, {
    location: { reference: "/*/*[local-name()='Issuer']", action: 'after' },
    prefix: 'ds',
  });
  return signer.getSignedXml();
}

export async function withServer(use: (server: TestIdentity) => Promise<void>, toml = ''): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-saml-'));
  try {
    mkdirSync(join(home, 'identity/identity-providers'), { recursive: true });
    writeFileSync(join(home, 'identity/identity-providers/saml.xml'), samlProvider);
    await using server = await startTestIdentity({ home, toml });
    await server.client('app', { grantTypes: [samlGrant, 'refresh_token'] });
    await use(server);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export function exchange(
  server: TestIdentity,
  xml: string,
  more: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  const assertion = Buffer.from(xml).toString('base64url');
  return server.call('/oauth2/token', { headers: basic('app'), form: { grant_type: samlGrant, assertion, ...more } });
}
