import { appendChild, firstChild, firstElement, XmlElement, type XmlNode } from './tree.ts';

export const soap11Namespace = 'http://schemas.xmlsoap.org/soap/envelope/';
export const soap12Namespace = 'http://www.w3.org/2003/05/soap-envelope';

export type SoapVersion = 'soap11' | 'soap12';

/** An empty envelope; the original wraps every payload in one, SOAP 1.2 unless the message says otherwise. */
export function createEnvelope(version: SoapVersion, content: readonly XmlNode[] = []): XmlElement {
  const uri = version === 'soap11' ? soap11Namespace : soap12Namespace;
  const envelope = new XmlElement('Envelope', uri, 'soapenv');
  envelope.declarations.push({ prefix: 'soapenv', uri });
  const body = new XmlElement('Body', uri, 'soapenv');
  appendChild(envelope, body);
  for (const node of content) appendChild(body, node);
  return envelope;
}

/** The version of an envelope element, or undefined when the element is no SOAP envelope. */
export function soapVersionOf(element: XmlElement): SoapVersion | undefined {
  if (element.local !== 'Envelope') return undefined;
  if (element.uri === soap11Namespace) return 'soap11';
  return element.uri === soap12Namespace ? 'soap12' : undefined;
}

/** The body of an envelope, made when it is missing. */
export function bodyOf(envelope: XmlElement): XmlElement {
  const present = firstChild(envelope, 'Body', envelope.uri);
  if (present) return present;
  const body = new XmlElement('Body', envelope.uri, envelope.prefix);
  appendChild(envelope, body);
  return body;
}

/** The header of an envelope, made as its first child when it is missing. */
export function headerOf(envelope: XmlElement): XmlElement {
  const present = firstChild(envelope, 'Header', envelope.uri);
  if (present) return present;
  const header = new XmlElement('Header', envelope.uri, envelope.prefix);
  header.parent = envelope;
  envelope.children.unshift(header);
  return header;
}

/** The fault in the body of an envelope, or undefined. */
export function faultOf(envelope: XmlElement): XmlElement | undefined {
  const body = firstChild(envelope, 'Body', envelope.uri);
  const content = body && firstElement(body);
  return content?.local === 'Fault' && content.uri === envelope.uri ? content : undefined;
}
