import { createHash } from 'node:crypto';
import type { Part } from './parts.ts';

/** A multipart body and the boundary between its parts. */
export interface WrittenMultipart {
  readonly bytes: Uint8Array;
  readonly boundary: string;
}

/**
 * Writes parts into a multipart body. The boundary is a digest of the parts, so that equal messages have equal bytes
 * and no part can contain it.
 */
export function writeMultipart(parts: readonly Part[]): WrittenMultipart {
  const heads = parts.map(({ headers }) => Buffer.from(headText(headers)));
  const boundary = boundaryFor(parts, heads);
  const pieces: Uint8Array[] = [];
  for (const [index, { body }] of parts.entries()) {
    pieces.push(Buffer.from(`--${boundary}\r\n`), heads[index] ?? Buffer.alloc(0), body, Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { bytes: Buffer.concat(pieces), boundary };
}

function headText(headers: readonly string[]): string {
  let text = '';
  for (let index = 0; index < headers.length; index += 2) {
    text += `${headers[index] ?? ''}: ${(headers[index + 1] ?? '').replaceAll(/[\r\n\0]/g, ' ')}\r\n`;
  }
  return `${text}\r\n`;
}

function boundaryFor(parts: readonly Part[], heads: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const head of heads) hash.update(head);
  for (const { body } of parts) hash.update(body);
  return `MillraceBoundary_${hash.digest('hex').slice(0, 32)}`;
}
