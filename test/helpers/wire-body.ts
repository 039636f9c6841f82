import { gunzipSync, gzipSync } from 'node:zlib';
import { decodeText, encodeText, isCharset } from '#core/java';
import { getHeader, mediaTypeOf, parameterOf, type HeaderList } from '#message';

/**
 * The bytes that a body of a case has on the wire: in the charset and content coding that its headers name, with CRLF
 * between the lines of multipart bodies.
 */
export function wireBytes(headers: HeaderList, text: string): Uint8Array {
  const contentType = getHeader(headers, 'Content-Type') ?? '';
  const isMultipart = mediaTypeOf(contentType).startsWith('multipart/');
  const bytes = encodeText(isMultipart ? text.replaceAll('\n', '\r\n') : text, charsetOf(contentType));
  return getHeader(headers, 'Content-Encoding') === 'gzip' ? gzipSync(bytes) : bytes;
}

/** A body as a case shows it: the reverse of `wireBytes`. */
export function wireText(headers: HeaderList, bytes: Uint8Array): string {
  const isEncoded = bytes.length > 0 && getHeader(headers, 'Content-Encoding') === 'gzip';
  const plain = isEncoded ? gunzipSync(bytes) : bytes;
  return decodeText(plain, charsetOf(getHeader(headers, 'Content-Type') ?? '')).replaceAll('\r\n', '\n');
}

function charsetOf(contentType: string): string {
  const charset = parameterOf(contentType, 'charset');
  return charset !== undefined && isCharset(charset) ? charset : 'UTF-8';
}
