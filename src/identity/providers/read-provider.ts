import { X509Certificate } from 'node:crypto';
import { MillraceError, messageOf } from '#errors';
import {
  childElements,
  deepText,
  firstChild,
  parseXml,
  positionOfElement,
  type XmlDocument,
  type XmlElement,
} from '#xml';
import type { IdentityProvider, KerberosService } from './provider.ts';

/** A file of a provider, read into its parts. */
interface ProviderFile {
  readonly document: XmlDocument;
  readonly root: XmlElement;
}

/**
 * Reads an `identity-providers/*.xml` file of the original.
 *
 * @throws MillraceError `MR_IDENTITY_PROVIDER` with the place, XmlError
 */
export function readProvider(text: string, file: string): IdentityProvider {
  const document = parseXml(text, { file, positions: true });
  const { root } = document;
  const provider = { document, root };
  if (root.local !== 'IdentityProvider')
    throw problem(provider, root, `expected <IdentityProvider>, found <${root.name}>`);
  const name = textOf(root, 'IdentityProviderName');
  if (name === undefined) throw problem(provider, root, 'expected a text in <IdentityProviderName>');
  const saml = authenticator(root, 'SAMLSSOAuthenticator');
  const kerberos = authenticator(root, 'IWAKerberosAuthenticator');
  const properties = propertiesOf(firstChild(root, 'IdpProperties'));
  const claimConfig = firstChild(root, 'ClaimConfig');
  return {
    name,
    isEnabled: textOf(root, 'IsEnabled') !== 'false',
    isResident: false,
    alias: textOf(root, 'Alias'),
    issuer: properties.get('idpIssuerName') ?? name,
    samlEntityId: saml?.get('IdPEntityId'),
    jwksUri: addressOf(provider, properties.get('jwksUri')),
    certificates: certificatesOf(provider),
    keys: [],
    claims: claimsOf(claimConfig),
    roleClaim: claimConfig && textOf(claimConfig, 'RoleClaimURI'),
    roles: rolesOf(firstChild(root, 'PermissionAndRoleConfig')),
    kerberos: kerberos && kerberosOf(provider, kerberos),
  };
}

/** The properties of an authenticator that is switched on; elements around it are called differently by version. */
function authenticator(root: XmlElement, name: string): ReadonlyMap<string, string> | undefined {
  const configs = firstChild(root, 'FederatedAuthenticatorConfigs');
  const found = configs && childElements(configs).find((each) => textOf(each, 'Name') === name);
  if (!found || textOf(found, 'IsEnabled') === 'false') return undefined;
  return propertiesOf(firstChild(found, 'Properties'));
}

function propertiesOf(element: XmlElement | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const child of element ? childElements(element) : []) {
    const [name, value] = [textOf(child, 'Name'), textOf(child, 'Value')];
    if (name !== undefined && value !== undefined) found.set(name, value);
  }
  return found;
}

function claimsOf(config: XmlElement | undefined): ReadonlyMap<string, string> {
  const mappings = config && firstChild(config, 'ClaimMappings');
  const found = new Map<string, string>();
  for (const mapping of mappings ? childElements(mappings) : []) {
    const [local, remote] = ['LocalClaim', 'RemoteClaim'].map((side) => {
      const claim = firstChild(mapping, side);
      return claim && textOf(claim, 'ClaimUri');
    });
    if (local !== undefined && remote !== undefined) found.set(remote, local);
  }
  return found;
}

/** Roles are mapped by pairs; a local role may stand below its store. */
function rolesOf(config: XmlElement | undefined): ReadonlyMap<string, string> {
  const mappings = config && firstChild(config, 'RoleMappings');
  const found = new Map<string, string>();
  for (const mapping of mappings ? childElements(mappings) : []) {
    const [local, remote] = [childText(mapping, /^localrole$/i), childText(mapping, /^remoterole$/i)];
    if (local !== undefined && remote !== undefined) found.set(remote, local);
  }
  return found;
}

function childText(element: XmlElement, name: RegExp): string | undefined {
  const child = childElements(element).find(({ local }) => name.test(local));
  const text = child && deepText(child).trim();
  return text === '' ? undefined : text;
}

/** One or several certificates: PEM as it is, or in Base64 once more, as exports have it. */
function certificatesOf(provider: ProviderFile): readonly X509Certificate[] {
  const element = firstChild(provider.root, 'Certificate');
  const text = element ? deepText(element).trim() : '';
  if (!element || text === '') return [];
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('latin1');
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  try {
    if (blocks) return blocks.map((block) => new X509Certificate(block));
    return [new X509Certificate(Buffer.from(text, 'base64'))];
  } catch (error) {
    throw problem(provider, element, `expected a certificate in PEM in <Certificate>: ${messageOf(error)}`);
  }
}

function addressOf(provider: ProviderFile, text: string | undefined): string | undefined {
  if (text === undefined || URL.canParse(text)) return text;
  throw problem(provider, provider.root, `jwksUri: expected an absolute URL, found "${text}"`);
}

function kerberosOf(provider: ProviderFile, properties: ReadonlyMap<string, string>): KerberosService {
  const principal = properties.get('SPNName');
  if (principal === undefined) {
    throw problem(provider, provider.root, 'expected the property SPNName of IWAKerberosAuthenticator');
  }
  const domains = properties.get('UserStoreDomains') ?? '';
  const storeDomains = domains.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
  return { principal, password: properties.get('SPNPassword'), storeDomains };
}

function textOf(element: XmlElement, local: string): string | undefined {
  const child = firstChild(element, local);
  const text = child && deepText(child).trim();
  return text === '' ? undefined : text;
}

function problem({ document }: ProviderFile, element: XmlElement, message: string): MillraceError {
  const { line, column } = positionOfElement(document, element);
  return new MillraceError({
    code: 'MR_IDENTITY_PROVIDER',
    message: `${document.file}:${line}:${column}: ${message}`,
  });
}
