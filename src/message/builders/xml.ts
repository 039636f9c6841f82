import { parseXmlLazily, type XmlElement } from '#xml';
import { decodeBody } from '../charset.ts';
import { defineBuilder, type BuilderInput } from './builder.ts';

/** `application/xml`: the root element becomes the content of the body. */
export const xml = defineBuilder({
  name: 'xml',
  build: (input) => ({ form: 'content', content: [readXml(input)] }),
});

/** The root element; the document is read as far as somebody looks at it. */
export function readXml(input: BuilderInput): XmlElement {
  const allowDtd = input.allowDtd ?? false;
  return parseXmlLazily(xmlTextOf(input), input.malformed ?? ((error) => error), { allowDtd });
}

/**
 * Decodes XML: a byte order mark wins, then the charset of the content type (RFC 7303 section 3), then the encoding
 * of the XML declaration, then UTF-8.
 */
export function xmlTextOf({ bytes, contentType }: Pick<BuilderInput, 'bytes' | 'contentType'>): string {
  return decodeBody(bytes, contentType, encodingOfDeclaration(bytes));
}

function encodingOfDeclaration(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x3c || bytes[1] !== 0x3f) return undefined;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString('latin1');
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/.exec(head)?.[1];
}
