import { Buffer } from 'node:buffer';
import iconv from 'iconv-lite';
import { compileJavaRegex } from '#core/java';
import { EvaluationError } from './error.ts';

/** `Double.toString` of Java: always a fraction, and an exponent outside of 0.001 to 10 million. */
export function javaDoubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-3 && magnitude < 1e7) {
    const text = String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}

/** Text as bytes of a charset named as in Java. @throws EvaluationError for an unknown charset */
export function encodeText(text: string, charset: string): Buffer {
  return isUtf8(charset) ? Buffer.from(text, 'utf8') : iconv.encode(text, checked(charset));
}

/** Bytes of a charset named as in Java as text. @throws EvaluationError for an unknown charset */
export function decodeText(bytes: Buffer, charset: string): string {
  return isUtf8(charset) ? bytes.toString('utf8') : iconv.decode(bytes, checked(charset));
}

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

function checked(charset: string): string {
  const isKnown: boolean = iconv.encodingExists(charset);
  if (!isKnown) throw new EvaluationError(`the charset "${charset}" is not known`);
  return charset;
}

/**
 * A test whether a whole text matches a regular expression of Java; `flags` are the letters behind its closing slash.
 *
 * @throws MillraceError for a malformed pattern
 */
export function compilePattern(pattern: string, flags: string): (text: string) => boolean {
  const regex = compileJavaRegex(pattern, {
    caseInsensitive: flags.includes('i'),
    multiline: flags.includes('m'),
    dotAll: flags.includes('s'),
    comments: flags.includes('x'),
    unixLines: flags.includes('d'),
    unicodeCase: flags.includes('u'),
  });
  return (text) => regex.matches(text);
}

/** `String.split` of Java: parts at the end that are empty are dropped. @throws MillraceError for a bad pattern */
export function splitByPattern(text: string, pattern: string): string[] {
  return compileJavaRegex(pattern).split(text);
}
