import {
  appendChild,
  cloneNode,
  getAttribute,
  lookupNamespace,
  namespacesInScope,
  XmlElement,
  type XmlNode,
} from '#xml';

export const wsdl11 = 'http://schemas.xmlsoap.org/wsdl/';
export const wsdl20 = 'http://www.w3.org/ns/wsdl';
export const wsdl20Soap = 'http://www.w3.org/ns/wsdl/soap';
export const wsdl20Http = 'http://www.w3.org/ns/wsdl/http';
export const soapBinding11 = 'http://schemas.xmlsoap.org/wsdl/soap/';
export const soapBinding12 = 'http://schemas.xmlsoap.org/wsdl/soap12/';
export const httpBinding = 'http://schemas.xmlsoap.org/wsdl/http/';
export const mimeBinding = 'http://schemas.xmlsoap.org/wsdl/mime/';
export const schemaNamespace = 'http://www.w3.org/2001/XMLSchema';

/** A name in a namespace. */
export interface QualifiedName {
  readonly uri: string;
  readonly local: string;
}

/** The name that an attribute of `element` holds as `prefix:local`; undefined when the attribute is absent. */
export function nameIn(element: XmlElement, attribute: string): QualifiedName | undefined {
  const text = getAttribute(element, attribute);
  if (text === undefined || text === '') return undefined;
  const [prefix, local] = text.includes(':') ? text.split(':', 2) : ['', text];
  return { uri: lookupNamespace(element, prefix ?? '') ?? '', local: local ?? '' };
}

/** Makes an element with attributes; those without a value are left out. */
export function make(
  [prefix, uri, local]: readonly [prefix: string, uri: string, local: string],
  attributes: Readonly<Record<string, string | undefined>> = {},
  children: readonly XmlNode[] = [],
): XmlElement {
  const element = new XmlElement(local, uri, prefix);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.attributes.push({ prefix: '', local: name, uri: '', value });
  }
  for (const child of children) appendChild(element, child);
  return element;
}

/** Declares a namespace on an element and gives its prefix: one that stands there already, else one that is free. */
export function declare(element: XmlElement, uri: string, wanted: string): string {
  const known = element.declarations.find((declaration) => declaration.uri === uri && declaration.prefix !== '');
  if (known) return known.prefix;
  const taken = new Set(element.declarations.map(({ prefix }) => prefix));
  let prefix = wanted;
  for (let count = 1; taken.has(prefix); count++) prefix = `${wanted}${count}`;
  element.declarations.push({ prefix, uri });
  return prefix;
}

/** A copy of an element with the prefixes that were declared around it. */
export function standingAlone(element: XmlElement): XmlElement {
  const copy = cloneNode(element);
  for (const [prefix, uri] of namespacesInScope(element)) {
    if (prefix === '' || copy.declarations.some((declaration) => declaration.prefix === prefix)) continue;
    copy.declarations.push({ prefix, uri });
  }
  return copy;
}
