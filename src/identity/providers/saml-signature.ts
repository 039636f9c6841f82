import type { KeyObject } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { MillraceError } from '#errors';

export const samlNamespace = 'urn:oasis:names:tc:SAML:2.0:assertion';
const signatureNamespace = 'http://www.w3.org/2000/09/xmldsig#';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

/** Algorithms that are accepted; SHA-1 is not (RFC 9231, identity 3.5). */
const signatureAlgorithms: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]);
const digestAlgorithms: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);

/**
 * Checks the signature of an assertion and gives the text that was signed: nothing but this text may be believed.
 * The signature must be the only one, a child of the assertion that it covers, and cover it as a whole.
 *
 * @throws MillraceError `MR_SAML_SIGNATURE` that says what is wrong
 */
export function signedAssertion(xml: string, keys: readonly KeyObject[]): string {
  const document = parse(xml);
  const root = document.documentElement;
  if (root?.localName !== 'Assertion' || root.namespaceURI !== samlNamespace)
    throw wrong('expected one SAML 2.0 Assertion');
  const id = root.getAttribute('ID') ?? '';
  if (!/^[A-Za-z_][\w.-]*$/.test(id)) throw wrong('expected an ID of the assertion');
  const everything = [...elementsBelow(root)];
  const signature = onlySignature(root, everything);
  checkIds(everything);
  checkProfile(signature, id);
  for (const key of keys) {
    const text = verified(xml, signature, key);
    if (text !== undefined) return text;
  }
  throw wrong('the signature does not fit any key of the identity provider');
}

function parse(xml: string): Document {
  // The reader below would take declarations and give entities their values.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw wrong('a document type declaration is not accepted');
  const refuse = (message: unknown): never => {
    throw wrong('the assertion is no well-formed XML', message);
  };
  const parser = new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } });
  return parser.parseFromString(xml, 'text/xml');
}

function* elementsBelow(element: Element): Generator<Element> {
  yield element;
  for (const child of childrenOf(element)) yield* elementsBelow(child);
}

function childrenOf(node: Node): Element[] {
  const found: Element[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.nodeType === 1) found.push(child as Element);
  }
  return found;
}

/** Further assertions and signatures anywhere are how signatures are wrapped; there is no use for them here. */
function onlySignature(root: Element, everything: readonly Element[]): Element {
  const assertions = everything.filter(
    ({ localName }) => localName === 'Assertion' || localName === 'EncryptedAssertion',
  );
  if (assertions.length > 1) throw wrong('expected one assertion, found one within another');
  const signatures = everything.filter(
    ({ localName, namespaceURI }) => localName === 'Signature' && namespaceURI === signatureNamespace,
  );
  const [signature] = signatures;
  if (!signature) throw wrong('the assertion is not signed');
  if (signatures.length > 1) throw wrong('expected one signature, found several');
  if (signature.parentNode !== root) throw wrong('expected the signature as a child of the assertion');
  return signature;
}

/** What a reference could mean must be one element. */
function checkIds(everything: readonly Element[]): void {
  const seen = new Set<string>();
  for (const element of everything) {
    for (const attribute of Array.from(element.attributes)) {
      if (!/^id$/i.test(attribute.localName ?? attribute.name)) continue;
      if (seen.has(attribute.value)) throw wrong('an ID occurs twice');
      seen.add(attribute.value);
    }
  }
}

/** The signature profile of SAML 2.0 (Core 5.4), and nothing more. */
function checkProfile(signature: Element, id: string): void {
  for (const { localName } of childrenOf(signature)) {
    if (!['SignedInfo', 'SignatureValue', 'KeyInfo'].includes(localName ?? '')) {
      throw wrong(`<${localName}> is not accepted in a signature`);
    }
  }
  const info = only(signature, 'SignedInfo');
  only(signature, 'SignatureValue');
  expectAlgorithm(only(info, 'CanonicalizationMethod'), new Set([exclusive]));
  expectAlgorithm(only(info, 'SignatureMethod'), signatureAlgorithms);
  const reference = only(info, 'Reference');
  if (reference.getAttribute('URI') !== `#${id}`) throw wrong('the signature does not cover the assertion');
  expectAlgorithm(only(reference, 'DigestMethod'), digestAlgorithms);
  only(reference, 'DigestValue');
  const transforms = childrenOf(only(reference, 'Transforms')).map((each) => each.getAttribute('Algorithm'));
  if (transforms.length !== 2 || transforms[0] !== enveloped || transforms[1] !== exclusive) {
    throw wrong('expected the transforms enveloped-signature and exclusive canonicalization');
  }
}

function only(parent: Element, name: string): Element {
  const found = childrenOf(parent).filter(({ localName }) => localName === name);
  const [element] = found;
  if (!element || found.length > 1 || element.namespaceURI !== signatureNamespace) {
    throw wrong(`expected one <${name}> in <${parent.localName}>`);
  }
  return element;
}

function expectAlgorithm(element: Element, allowed: ReadonlySet<string>): void {
  const algorithm = element.getAttribute('Algorithm') ?? '';
  if (!allowed.has(algorithm)) throw wrong(`the algorithm "${algorithm}" is not accepted`);
}

/** The signed text when the key fits; undefined when it does not. */
function verified(xml: string, signature: Element, key: KeyObject): string | undefined {
  if (key.asymmetricKeyType !== 'rsa') return undefined;
  const publicCert = key.export({ type: 'spki', format: 'pem' });
  // Keys come from the identity provider alone, never from the message.
  const checker = new SignedXml({ publicCert, getCertFromKeyInfo: () => null });
  try {
    checker.loadSignature(signature);
    if (!checker.checkSignature(xml)) return undefined;
  } catch (error) {
    if (/invalid signature/i.test(String(error))) return undefined;
    throw wrong('the signature cannot be checked', error);
  }
  const [text, ...others] = checker.getSignedReferences();
  if (text === undefined || others.length > 0) throw wrong('expected one signed element');
  return text;
}

function wrong(message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code: 'MR_SAML_SIGNATURE', status: 400, message, cause });
}
