import { MillraceError } from '#errors';
import { childElements, deepText, firstChild, getAttribute, parseXml, type XmlElement } from '#xml';
import { samlNamespace } from './saml-signature.ts';

/** What an assertion says; times are in milliseconds since the epoch. */
export interface SamlAssertion {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: number | undefined;
  /** The end of its conditions. */
  readonly notOnOrAfter: number | undefined;
  /** One list per AudienceRestriction: each of them has to name us. */
  readonly audiences: readonly (readonly string[])[];
  /** Confirmations by whoever bears the assertion. */
  readonly bearers: readonly BearerConfirmation[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface BearerConfirmation {
  readonly recipient: string | undefined;
  readonly notBefore: number | undefined;
  readonly notOnOrAfter: number | undefined;
}

const bearerMethod = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/**
 * Reads an assertion (SAML 2.0 Core 2.3), its signature apart.
 *
 * @throws MillraceError `MR_SAML_ASSERTION`, XmlError
 */
export function readSamlAssertion(xml: string): SamlAssertion {
  const { root } = parseXml(xml, { maxDepth: 64 });
  if (root.local !== 'Assertion' || root.uri !== samlNamespace || getAttribute(root, 'Version') !== '2.0') {
    throw wrong('expected an Assertion of version 2.0');
  }
  const subject = child(root, 'Subject');
  const name = subject && child(subject, 'NameID');
  const conditions = child(root, 'Conditions');
  if (!subject || !name || textOf(name) === '') throw wrong('expected a Subject with a NameID');
  if (!conditions) throw wrong('expected Conditions');
  return {
    id: getAttribute(root, 'ID') ?? '',
    issuer: textOf(child(root, 'Issuer')),
    subject: textOf(name),
    notBefore: timeOf(conditions, 'NotBefore'),
    notOnOrAfter: timeOf(conditions, 'NotOnOrAfter'),
    audiences: children(conditions, 'AudienceRestriction').map((each) => children(each, 'Audience').map(textOf)),
    bearers: children(subject, 'SubjectConfirmation')
      .filter((each) => getAttribute(each, 'Method') === bearerMethod)
      .map(readBearer),
    attributes: attributesOf(root),
  };
}

function readBearer(confirmation: XmlElement): BearerConfirmation {
  const data = child(confirmation, 'SubjectConfirmationData');
  return {
    recipient: data && getAttribute(data, 'Recipient'),
    notBefore: data && timeOf(data, 'NotBefore'),
    notOnOrAfter: data && timeOf(data, 'NotOnOrAfter'),
  };
}

/** Attributes by name; several values become a list. */
function attributesOf(root: XmlElement): Readonly<Record<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const statement of children(root, 'AttributeStatement')) {
    for (const attribute of children(statement, 'Attribute')) {
      const name = getAttribute(attribute, 'Name');
      const values = children(attribute, 'AttributeValue').map(textOf);
      if (name !== undefined && values.length > 0) found.set(name, values.length === 1 ? values[0] : values);
    }
  }
  return Object.fromEntries(found);
}

function child(element: XmlElement, local: string): XmlElement | undefined {
  return firstChild(element, local, samlNamespace);
}

function children(element: XmlElement, local: string): XmlElement[] {
  return childElements(element).filter((each) => each.local === local && each.uri === samlNamespace);
}

/** All of the text: a comment in the middle of a name must not cut it. */
function textOf(element: XmlElement | undefined): string {
  return element ? deepText(element).trim() : '';
}

function timeOf(element: XmlElement, name: string): number | undefined {
  const text = getAttribute(element, name);
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(time)) throw wrong(`expected a time in ${name}, found "${text}"`);
  return time;
}

function wrong(message: string): MillraceError {
  return new MillraceError({ code: 'MR_SAML_ASSERTION', status: 400, message });
}
