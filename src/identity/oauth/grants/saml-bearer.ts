import { oauthGrantTypeSamlBearer } from '#config';
import { MillraceError } from '#errors';
import { claimsOfAssertion } from '../../providers/assertion-claims.ts';
import { signatureKeys } from '../../providers/provider-keys.ts';
import type { IdentityProvider } from '../../providers/provider.ts';
import type * as signatures from '../../providers/saml-signature.ts';
import type { BearerConfirmation, SamlAssertion } from '../../providers/saml-assertion.ts';
import type * as assertions from '../../providers/saml-assertion.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { OAuthError } from '../errors.ts';
import { defineGrant } from '../grant.ts';
import { issuerOf, tenantUrl } from '../issuer.ts';
import type { OAuthServices } from '../services.ts';
import { federatedSubject, localSubject } from './assertion-subject.ts';

/** Most characters of an encoded assertion. */
const sizeLimit = 128 * 1024;

/** `saml_bearer`: a signed SAML 2.0 assertion of a trusted issuer about a user (RFC 7522 §2.1, identity 3.5). */
export const samlBearer = defineGrant({
  name: 'urn:ietf:params:oauth:grant-type:saml2-bearer',
  section: 'saml_bearer',
  keys: { enable: oauthGrantTypeSamlBearer.enable, handler: oauthGrantTypeSamlBearer.grantHandler },
  classes: ['SAML2BearerGrantHandler', 'ExtendedSAML2BearerGrantHandler', 'SAML2GrantValidator'],
  required: ['assertion'],
  subject: 'user',
  admitsPublicClients: true,
  refreshTokens: true,
  idTokens: true,
  async run({ parameters, tenant, client, scopes }, services) {
    const { settings, clock, used } = services;
    const xml = decode(parameters.get('assertion') ?? '');
    const { assertion, provider } = await openAssertion(xml, tenant, services);
    const expires = checkConditions(assertion, { tenant, provider }, services);
    const isFirst = await used.use({
      issuer: `${tenant.id} ${provider.name}`,
      id: assertion.id,
      expires: expires + settings.assertions.skew,
    });
    if (!isFirst) throw new OAuthError('invalid_grant', 'The assertion was used before');
    const isLocal = provider.isResident || settings.assertions.samlSubjects === 'local';
    const ofClient = client.lifetimes.userAccessToken;
    const configured = ofClient === undefined ? settings.userTokenLifetime : ofClient * 1000;
    const left = Math.max(0, expires - clock.now());
    return {
      subject: isLocal
        ? await localSubject(assertion.subject, tenant, services)
        : federatedSubject(assertion.subject, tenant, provider),
      scopes,
      // The token ends with the assertion, or sooner where that is configured.
      lifetime: configured < 0 ? left : Math.min(left, configured),
      claims: claimsOfAssertion(assertion.attributes, provider, {
        ...settings.assertions,
        oidcNames: services.claims.oidcNames,
      }),
    };
  },
});

/** Loaded with the first assertion: nothing else reads XML signatures. */
const load = (): Promise<[typeof signatures, typeof assertions]> =>
  Promise.all([import('../../providers/saml-signature.ts'), import('../../providers/saml-assertion.ts')]);

function decode(encoded: string): string {
  if (encoded.length > sizeLimit || !/^[\w+/\-\s]*={0,2}\s*$/.test(encoded)) {
    throw new OAuthError('invalid_grant', 'Expected an assertion in Base64');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch (cause) {
    throw new OAuthError('invalid_grant', 'The assertion is no UTF-8 text', { cause });
  }
}

/** The assertion as it was signed, and by whom. What stands outside of the signature is only used to find the keys. */
async function openAssertion(
  xml: string,
  tenant: Tenant,
  { providers }: OAuthServices,
): Promise<{ readonly assertion: SamlAssertion; readonly provider: IdentityProvider }> {
  const [{ signedAssertion }, { readSamlAssertion }] = await load();
  try {
    const { issuer } = readSamlAssertion(xml);
    const provider = await providers.ofSamlEntity(tenant, issuer);
    if (!provider) throw new OAuthError('invalid_grant', 'The issuer of the assertion is no identity provider here');
    const assertion = readSamlAssertion(signedAssertion(xml, signatureKeys(provider)));
    if (assertion.issuer !== issuer) throw new OAuthError('invalid_grant', 'The assertion has two issuers');
    return { assertion, provider };
  } catch (error) {
    if (error instanceof OAuthError || !(error instanceof MillraceError)) throw error;
    throw new OAuthError('invalid_grant', `The assertion is not accepted: ${error.message}`, { cause: error });
  }
}

interface Expected {
  readonly tenant: Tenant;
  readonly provider: IdentityProvider;
}

/** Audience, times and confirmation (RFC 7522 §3); gives when the assertion ends. */
function checkConditions(
  assertion: SamlAssertion,
  { tenant, provider }: Expected,
  { settings, clock }: OAuthServices,
): number {
  const names = ownNames(tenant, provider, settings);
  const { audiences, notBefore, notOnOrAfter, bearers } = assertion;
  const isForUs = audiences.length > 0 && audiences.every((each) => each.some((name) => names.includes(name)));
  if (!isForUs) throw new OAuthError('invalid_grant', 'The audience of the assertion is somebody else');
  const now = clock.now();
  const { skew } = settings.assertions;
  const isNow = ({
    notBefore: from,
    notOnOrAfter: to,
  }: Pick<BearerConfirmation, 'notBefore' | 'notOnOrAfter'>): boolean =>
    (from === undefined || now + skew >= from) && (to === undefined || now - skew < to);
  if (!isNow({ notBefore, notOnOrAfter })) throw new OAuthError('invalid_grant', 'The assertion is not good now');
  const bearer = bearers.find(
    (each) => (each.recipient === undefined || names.includes(each.recipient)) && isNow(each),
  );
  if (!bearer)
    throw new OAuthError('invalid_grant', 'The assertion has no bearer confirmation that is good here and now');
  const expires = notOnOrAfter ?? bearer.notOnOrAfter;
  if (expires === undefined) throw new OAuthError('invalid_grant', 'The assertion has no end');
  return expires;
}

function ownNames(tenant: Tenant, { alias }: IdentityProvider, settings: OAuthServices['settings']): readonly string[] {
  return alias === undefined ? [`${tenantUrl(settings, tenant)}/oauth2/token`, issuerOf(settings, tenant)] : [alias];
}
