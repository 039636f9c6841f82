import { decodeText } from '#core/java';
import { parseXml } from '#xml';
import { parameterOf } from '../content-type.ts';
import { defineBuilder, type BuilderInput } from './builder.ts';

/** `application/xml`: the root element becomes the content of the body. */
export const xml = defineBuilder({
  name: 'xml',
  mediaTypes: ['application/xml'],
  build: (input) => ({ form: 'content', content: [parseXml(xmlTextOf(input)).root] }),
});

/**
 * Decodes XML: a byte order mark wins, then the charset of the content type (RFC 7303 section 3), then the encoding
 * of the XML declaration, then UTF-8.
 */
export function xmlTextOf({ bytes, contentType }: BuilderInput): string {
  const [first, second] = bytes;
  if (first === 0xfe && second === 0xff) return decodeText(bytes, 'UTF-16BE');
  if (first === 0xff && second === 0xfe) return decodeText(bytes, 'UTF-16LE');
  const declared = parameterOf(contentType, 'charset') ?? encodingOfDeclaration(bytes);
  return decodeText(bytes, declared ?? 'UTF-8');
}

function encodingOfDeclaration(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x3c || bytes[1] !== 0x3f) return undefined;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString('latin1');
  return /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/.exec(head)?.[1];
}
