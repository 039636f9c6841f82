import { appendChild, childElements, getAttribute, parseXml, soapVersionOf, XmlText, type XmlElement } from '#xml';
import { attachmentOf, contentIdOf, type Attachment } from '../attachments.ts';
import { mediaTypeOf, parameterOf } from '../content-type.ts';
import { getHeader } from '../header-list.ts';
import { decodedBody, MultipartError, parseMultipart, type Part } from '../mime/index.ts';
import { defineBuilder } from './builder.ts';
import { xmlTextOf } from './xml.ts';

const xopNamespace = 'http://www.w3.org/2004/08/xop/include';

/** Bytes that inclusions may add beyond twice the size of the message, so that one part cannot be multiplied. */
const freeExpansion = 65_536;

/**
 * `multipart/related` (RFC 2387): the root part is the envelope, the others are attachments. Of MTOM messages the parts
 * that `xop:Include` refers to stand as Base64 text in the envelope.
 */
export const multipartRelated = defineBuilder({
  name: 'multipart-related',
  build({ bytes, contentType }) {
    const parts = parseMultipart(bytes, contentType);
    const root = rootOf(parts, contentType);
    const rootType = getHeader(root.headers, 'Content-Type') ?? parameterOf(contentType, 'type') ?? 'text/xml';
    const element = parseXml(xmlTextOf({ bytes: decodedBody(root), contentType: rootType })).root;
    const others = parts.filter((part) => part !== root);
    const isXop = mediaTypeOf(rootType).toLowerCase() === 'application/xop+xml';
    const attachments = isXop
      ? include(element, others, bytes.length * 2 + freeExpansion)
      : others.map((part) => attachmentOf(part, false));
    return soapVersionOf(element)
      ? { form: 'envelope', envelope: element, attachments }
      : { form: 'content', content: [element], attachments };
  },
});

function rootOf(parts: readonly Part[], contentType: string): Part {
  const start = parameterOf(contentType, 'start')?.replace(/^<(.*)>$/, '$1');
  const root = start === undefined ? parts[0] : parts.find((part) => contentIdOf(part) === start);
  if (!root) throw new MultipartError(start === undefined ? 'there is no part' : 'there is no part named by "start"');
  return root;
}

/** Puts the parts where the envelope includes them (XOP section 3.2) and gives all parts as attachments. */
function include(root: XmlElement, parts: readonly Part[], maxBytes: number): readonly Attachment[] {
  const byId = new Map(parts.map((part) => [contentIdOf(part), part] as const));
  const included = new Set<Part>();
  let expanded = 0;
  const visit = (element: XmlElement): void => {
    for (const child of childElements(element)) {
      if (child.local !== 'Include' || child.uri !== xopNamespace) {
        visit(child);
        continue;
      }
      const part = byId.get(includedId(child));
      if (!part) throw new MultipartError('xop:Include names a part that is not there');
      const bytes = decodedBody(part);
      expanded += Math.ceil(bytes.length / 3) * 4;
      if (expanded > maxBytes) throw new MultipartError('the included parts are too large', 413);
      included.add(part);
      element.children = [];
      appendChild(element, new XmlText(Buffer.from(bytes).toString('base64')));
    }
  };
  visit(root);
  return parts.map((part) => attachmentOf(part, included.has(part)));
}

function includedId(element: XmlElement): string {
  const href = getAttribute(element, 'href') ?? '';
  try {
    return decodeURIComponent(href.replace(/^cid:/i, ''));
  } catch {
    return '';
  }
}
