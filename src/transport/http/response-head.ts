import type { HeaderList } from '#message';
import { copyHeaders } from '../hop-by-hop.ts';

export interface ResponseFraming {
  readonly headers: HeaderList;
  /** Declared length; `undefined` when chunked or delimited by the end of the connection. */
  readonly length: number | undefined;
  readonly hasBody: boolean;
}

/** Reads the raw fields of a response: decoded, without hop-by-hop fields, and with what they say of the body. */
export function readResponseHead(raw: unknown, status: number, method: string): ResponseFraming {
  const all = textsOf(raw);
  let length: number | undefined;
  let isChunked = false;
  for (let index = 0; index < all.length; index += 2) {
    const name = all[index] ?? '';
    if (name.length === 14 && name.toLowerCase() === 'content-length') length = Number(all[index + 1]);
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') isChunked = true;
  }
  const isBodiless = method === 'HEAD' || status === 204 || status === 304;
  return {
    headers: copyHeaders(all),
    length: isChunked ? undefined : length,
    hasBody: !isBodiless && (isChunked || length !== 0),
  };
}

/** Header fields are bytes; ISO-8859-1 keeps each of them. */
function textsOf(raw: unknown): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((part: unknown) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part)));
}
