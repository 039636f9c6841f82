import { parameterOf } from '../content-type.ts';
import { getHeader, type HeaderList } from '../header-list.ts';
import { MultipartError } from './error.ts';
import { MultipartParser } from './parser.ts';

/** One part of a multipart body: header fields in order, and the bytes as they are between the boundaries. */
export interface Part {
  readonly headers: Readonly<HeaderList>;
  readonly body: Uint8Array;
}

/**
 * The parts of a body that is in memory.
 *
 * @param contentType the Content-Type, whose `boundary` separates the parts
 * @throws MultipartError
 */
export function parseMultipart(bytes: Uint8Array, contentType: string): readonly Part[] {
  const boundary = parameterOf(contentType, 'boundary');
  if (boundary === undefined) throw new MultipartError('the Content-Type has no boundary');
  const parts: Part[] = [];
  let headers: HeaderList = [];
  let chunks: Uint8Array[] = [];
  const parser = new MultipartParser(boundary, {
    part(fields) {
      headers = fields;
      chunks = [];
    },
    data: (chunk) => void chunks.push(chunk),
    end: () => void parts.push({ headers, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) }),
  });
  parser.write(bytes);
  parser.end();
  return parts;
}

/** The body of a part with its Content-Transfer-Encoding undone (RFC 2045 section 6). */
export function decodedBody({ headers, body }: Part): Uint8Array {
  const encoding = getHeader(headers, 'Content-Transfer-Encoding')?.trim().toLowerCase();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (encoding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64');
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(bytes.toString('latin1')) : body;
}

function decodeQuotedPrintable(text: string): Uint8Array {
  const joined = text.replaceAll(/[ \t]+(?=\r?\n|$)/g, '').replaceAll(/=\r?\n/g, '');
  return Buffer.from(
    joined.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );
}
