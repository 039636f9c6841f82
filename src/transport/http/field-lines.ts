import type { HeaderList } from '#message';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What no head may have: control characters, line ends other than CRLF, folded lines (RFC 9112, 2.2 and 5.2). */
const forbiddenInHead = /[^\t\n\r\x20-\x7e\x80-\xff]|\r[^\n]|[^\r]\n|\n[ \t]/;
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/;
const blank = 0x20;
const tab = 0x09;

/** True when the text of a head has a character or a line end that none may have. */
export function isMalformedHead(text: string): boolean {
  return forbiddenInHead.test(text);
}

/** True for a name of a method or a field (RFC 9110, 5.6.2). */
export function isToken(text: string): boolean {
  return token.test(text);
}

/**
 * Reads field lines, each with its CRLF, from `position` to the end of a text that is not malformed as a head.
 *
 * @returns names and values in wire order, or undefined when a line is no field
 */
export function readFieldLines(text: string, position: number): HeaderList | undefined {
  const fields: HeaderList = [];
  while (position < text.length) {
    const colon = text.indexOf(':', position);
    const end = text.indexOf('\r\n', position);
    if (colon <= position || colon > end) return undefined;
    const name = text.slice(position, colon);
    if (!token.test(name)) return undefined;
    let first = colon + 1;
    let last = end;
    while (first < last && isBlank(text.charCodeAt(first))) first++;
    while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
    const value = text.slice(first, last);
    if (isFraming(name) && text.slice(colon, end).includes('\t')) return undefined;
    fields.push(name, value);
    position = end + 2;
  }
  return fields;
}

/**
 * Field lines as they go on the wire.
 *
 * @returns undefined when a name or a value cannot be sent
 */
export function writeFieldLines(fields: Readonly<HeaderList>): string | undefined {
  let text = '';
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const name = fields[index] ?? '';
    const value = fields[index + 1] ?? '';
    if (!token.test(name) || forbiddenInValue.test(value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/** True for a text that may stand in a status line or as a value. */
export function isFieldText(text: string): boolean {
  return !forbiddenInValue.test(text);
}

function isBlank(code: number): boolean {
  return code === blank || code === tab;
}

/** A tab beside these values is blank space to some readers and part of the value to others. */
function isFraming(name: string): boolean {
  return (
    (name.length === 14 && name.toLowerCase() === 'content-length') ||
    (name.length === 17 && name.toLowerCase() === 'transfer-encoding')
  );
}
