import { isUtf8 } from 'node:buffer';
import type { HeaderList } from '../header-list.ts';
import { MultipartError } from './error.ts';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Reads the header block of a part, without the empty line at its end: UTF-8, or ISO-8859-1 where it is none; folded
 * lines are joined.
 *
 * @throws MultipartError
 */
export function parsePartHeaders(block: Uint8Array, maxFields: number): HeaderList {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  if (text.trim() === '') return [];
  const headers: HeaderList = [];
  for (const line of text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!token.test(name)) throw new MultipartError('a part has a malformed header');
    if (/[\r\n\0]/.test(line)) throw new MultipartError('a part has a control character in a header');
    headers.push(name, line.slice(colon + 1).trim());
    if (headers.length / 2 > maxFields) throw new MultipartError(`a part has more than ${maxFields} headers`, 413);
  }
  return headers;
}

/**
 * The parameters of a header value such as `form-data; name="a"; filename="b"`, by lower-cased name. Of
 * `filename*=UTF-8''…` (RFC 8187) the decoded form counts, under the name without the star.
 */
export function headerParameters(value: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const pattern = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^;"]*))/g;
  for (const match of value.matchAll(pattern)) {
    const name = (match[1] ?? '').toLowerCase();
    const isExtended = name.endsWith('*');
    const text = match[2]?.replaceAll(/\\(["\\])/g, '$1') ?? (match[3] ?? '').trim();
    const decoded = isExtended ? decodeExtended(text) : text;
    const plain = isExtended ? name.slice(0, -1) : name;
    if (decoded !== undefined && (isExtended || !parameters.has(plain))) parameters.set(plain, decoded);
  }
  return parameters;
}

function decodeExtended(text: string): string | undefined {
  const match = /^utf-8'[^']*'(.*)$/i.exec(text);
  try {
    return match ? decodeURIComponent(match[1] ?? '') : undefined;
  } catch {
    return undefined;
  }
}

/** A parameter value as a quoted string; line ends, which no header may hold, become their percent forms. */
export function quoted(text: string): string {
  return `"${text
    .replaceAll(/["\\]/g, '\\$&')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll('\0', '%00')}"`;
}
