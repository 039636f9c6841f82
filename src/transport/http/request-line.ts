import { isToken } from './field-lines.ts';
import type { Refusal } from './refusal.ts';

/** The first line of a request. */
export interface RequestLine {
  readonly method: string;
  readonly url: string;
  readonly version: '1.0' | '1.1';
}

const malformed: Refusal = { status: 400, reason: 'The request line is not valid' };
const tokenOrPart = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*(?: |$)/;

/** Reads a request line by its strict grammar: three parts and a single blank between them (RFC 9112, 3). */
export function readRequestLine(line: string): RequestLine | Refusal {
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  if (first <= 0 || last === first) return malformed;
  const method = line.slice(0, first);
  const url = line.slice(first + 1, last);
  if (!isToken(method) || url === '' || url.includes(' ')) return malformed;
  switch (line.slice(last + 1)) {
    case 'HTTP/1.1':
      return { method, url, version: '1.1' };
    case 'HTTP/1.0':
      return { method, url, version: '1.0' };
    default:
      return { status: 400, reason: 'The HTTP version is not known' };
  }
}

/** True when a text cannot be the beginning of a request line, whatever follows. */
export function cannotBegin(text: string): boolean {
  return !tokenOrPart.test(text);
}
