import { Buffer } from 'node:buffer';
import { decodeText, encodeText } from '#core/java';
import { EvaluationError } from './error.ts';

/**
 * Percent-encoding of the original's functions: with UTF-8 a blank is `%20`, with other charsets `+`.
 *
 * @throws EvaluationError for an unknown charset
 */
export function urlEncode(text: string, charset: string): string {
  let result = '';
  for (const byte of encodeText(text, charset)) {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9._-]/.test(character)) result += character;
    else if (byte === 0x20 && !isUtf8(charset)) result += '+';
    else if (character === '*' && !isUtf8(charset)) result += '*';
    else result += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}

/** Form decoding: `+` is a blank. @throws EvaluationError for a malformed escape or an unknown charset */
export function urlDecode(text: string, charset: string): string {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) throw new EvaluationError('a percent sign is not followed by two digits');
  const decodeRun = (run: string): string => decodeText(Buffer.from(run.replaceAll('%', ''), 'hex'), charset);
  return text.replaceAll('+', ' ').replace(/(?:%[0-9a-fA-F]{2})+/g, decodeRun);
}

function isUtf8(charset: string): boolean {
  return /^utf-?8$/i.test(charset);
}
