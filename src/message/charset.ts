import { decodeText, encodeText } from '#core/java';
import { parameterOf } from './content-type.ts';
import { payloadFailure } from './payload-error.ts';

/** The charset of a byte order mark at the start, and how many bytes the mark has. */
function byteOrderMark(bytes: Uint8Array): { charset: string; length: number } | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { charset: 'UTF-8', length: 3 };
  if (first === 0xfe && second === 0xff) return { charset: 'UTF-16BE', length: 2 };
  if (first === 0xff && second === 0xfe) return { charset: 'UTF-16LE', length: 2 };
  return undefined;
}

/**
 * Decodes text: a byte order mark wins and is dropped (RFC 7303 section 3 has it so for XML), then the charset of the
 * content type, then `fallback`.
 *
 * @throws MillraceError `MR_CHARSET` (415) for a charset that nobody knows
 */
export function decodeBody(bytes: Uint8Array, contentType: string, fallback = 'UTF-8'): string {
  const declared = parameterOf(contentType, 'charset');
  const mark = byteOrderMark(bytes);
  // In single-byte charsets these bytes are letters.
  const counts = mark && (declared === undefined || /^utf/i.test(declared));
  if (counts) return decodeText(bytes.subarray(mark.length), mark.charset);
  return decodeText(bytes, declared ?? fallback);
}

/**
 * Encodes text in `charset`. A charset that was only carried over from the message as received gives way to UTF-8 when
 * it lacks a character.
 *
 * @throws PayloadError 601000 for a charset that nobody knows
 */
export function encodeBody(
  text: string,
  charset: string,
  isCarriedOver: boolean,
): { body: Uint8Array; charset: string } {
  if (/^utf-?8$/i.test(charset)) return { body: Buffer.from(text), charset: 'UTF-8' };
  const body = encoded(text, charset);
  if (isCarriedOver && decodeText(body, charset) !== text) return { body: Buffer.from(text), charset: 'UTF-8' };
  return { body, charset };
}

function encoded(text: string, charset: string): Uint8Array {
  try {
    return encodeText(text, charset);
  } catch (error) {
    throw payloadFailure(error);
  }
}
