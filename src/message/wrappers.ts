import { appendChild, XmlElement, XmlText } from '#xml';

/** Namespace of the elements that carry text and binary payloads inside an envelope (runtime-core 6.4). */
export const payloadNamespace = 'http://ws.apache.org/commons/ns/payload';

/** The element around a payload where a service wants another one than the usual. */
export interface WrapperName {
  readonly uri: string;
  readonly local: string;
}

/** `<text>` around a text payload. */
export function wrapText(text: string, name: WrapperName = { uri: payloadNamespace, local: 'text' }): XmlElement {
  return wrap(name, text);
}

/** `<binary>` around the Base64 form of a binary payload. */
export function wrapBinary(
  bytes: Uint8Array,
  name: WrapperName = { uri: payloadNamespace, local: 'binary' },
): XmlElement {
  return wrap(name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'));
}

export function isTextWrapper(element: XmlElement | undefined): element is XmlElement {
  return element?.local === 'text' && element.uri === payloadNamespace;
}

export function isBinaryWrapper(element: XmlElement | undefined): element is XmlElement {
  return element?.local === 'binary' && element.uri === payloadNamespace;
}

function wrap({ uri, local }: WrapperName, content: string): XmlElement {
  const element = new XmlElement(local, uri);
  element.declarations.push({ prefix: '', uri });
  if (content !== '') appendChild(element, new XmlText(content));
  return element;
}
