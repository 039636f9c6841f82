import { appendChild, XmlElement, XmlText } from '#xml';

/** Namespace of the elements that carry text and binary payloads inside an envelope (runtime-core 6.4). */
export const payloadNamespace = 'http://ws.apache.org/commons/ns/payload';

/** `<text>` around a text payload. */
export function wrapText(text: string): XmlElement {
  return wrap('text', text);
}

/** `<binary>` around the Base64 form of a binary payload. */
export function wrapBinary(bytes: Uint8Array): XmlElement {
  return wrap('binary', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'));
}

export function isTextWrapper(element: XmlElement | undefined): element is XmlElement {
  return element?.local === 'text' && element.uri === payloadNamespace;
}

export function isBinaryWrapper(element: XmlElement | undefined): element is XmlElement {
  return element?.local === 'binary' && element.uri === payloadNamespace;
}

function wrap(local: string, content: string): XmlElement {
  const element = new XmlElement(local, payloadNamespace);
  element.declarations.push({ prefix: '', uri: payloadNamespace });
  if (content !== '') appendChild(element, new XmlText(content));
  return element;
}
