import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { MillraceError } from '#errors';

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const gzip: Decode = promisify(gunzip);
const zlib: Decode = promisify(inflate);
const raw: Decode = promisify(inflateRaw);

/** Content codings (RFC 9110 section 8.4.1); `deflate` is meant as zlib, but some senders leave its header out. */
const codings: Readonly<Record<string, Decode>> = {
  gzip,
  'x-gzip': gzip,
  br: promisify(brotliDecompress),
  deflate: (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? zlib(bytes, options) : raw(bytes, options)),
};

const maxCodings = 2;
/** Most bytes out for one byte in, above a size that every body may have. */
const maxRatio = 100;
const freeBytes = 1_048_576;

/**
 * Undoes the codings of a Content-Encoding, last one first.
 *
 * @param limit most bytes of the result
 * @throws MillraceError `MR_CONTENT_ENCODING`: 413 beyond the limit or a ratio of 100 to 1, 415 for codings that are
 *   not known or too many, 400 for bytes that are malformed
 */
export async function decodeContent(bytes: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  const names = encoding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > maxCodings) throw failure(415, `more than ${maxCodings} content codings`);
  const maxOutputLength = Math.min(limit, Math.max(freeBytes, bytes.length * maxRatio));
  let decoded = bytes;
  for (const name of names.reverse()) {
    const decode = Object.hasOwn(codings, name) ? codings[name] : undefined;
    if (!decode) throw failure(415, `the content coding ${JSON.stringify(name.slice(0, 40))} is not known`);
    try {
      decoded = await decode(decoded, { maxOutputLength });
    } catch (error) {
      const isTooLarge = error instanceof RangeError;
      throw isTooLarge
        ? failure(413, `the decoded body is larger than ${maxOutputLength} bytes`, error)
        : failure(400, `the body is not encoded as ${name}`, error);
    }
  }
  return decoded;
}

function failure(status: 400 | 413 | 415, message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code: 'MR_CONTENT_ENCODING', status, message, cause });
}
