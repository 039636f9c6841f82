import { createRequire } from 'node:module';
import { MillraceError } from '#errors';

/** The part of iconv-lite that is used here. */
interface Iconv {
  encodingExists(name: string): boolean;
  decode(bytes: Uint8Array, name: string): string;
  encode(text: string, name: string, options?: { readonly addBOM?: boolean }): Uint8Array;
}

type Codec = {
  readonly decode: (bytes: Uint8Array) => string;
  readonly encode: (text: string) => Uint8Array;
};

const require = createRequire(import.meta.url);
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const utf8Codec: Codec = { decode: (bytes) => utf8.decode(bytes), encode: (text) => Buffer.from(text) };
const latin1Codec: Codec = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).latin1Slice(),
  encode: (text) => replaceBeyond(text, 0xff),
};
const asciiCodec: Codec = {
  decode: (bytes) => latin1Codec.decode(bytes).replaceAll(/[\u0080-\u00ff]/g, '\ufffd'),
  encode: (text) => replaceBeyond(text, 0x7f),
};

/** Charsets that need no tables; names without punctuation, in lower case. */
const own: Readonly<Record<string, Codec>> = {
  utf8: utf8Codec,
  unicode11utf8: utf8Codec,
  iso88591: latin1Codec,
  latin1: latin1Codec,
  l1: latin1Codec,
  ibm819: latin1Codec,
  '88591': latin1Codec,
  usascii: asciiCodec,
  ascii: asciiCodec,
  iso646us: asciiCodec,
  '646': asciiCodec,
  utf16: {
    // Java writes a byte-order mark and big-endian, and reads big-endian when there is no mark.
    decode: (bytes) =>
      bytes[0] === 0xff && bytes[1] === 0xfe ? utf16(bytes.subarray(2), true) : utf16(skipMark(bytes), false),
    encode: (text) => Buffer.concat([Buffer.from([0xfe, 0xff]), swap(Buffer.from(text, 'utf16le'))]),
  },
  utf16be: { decode: (bytes) => utf16(bytes, false), encode: (text) => swap(Buffer.from(text, 'utf16le')) },
  utf16le: { decode: (bytes) => utf16(bytes, true), encode: (text) => Buffer.from(text, 'utf16le') },
};

const found = new Map<string, Codec>();
let iconv: Iconv | undefined;

/**
 * Bytes as text. `charset` is a name or alias that Java knows, in any case; malformed input becomes U+FFFD. A
 * byte-order mark of UTF-8 stays, as in Java.
 *
 * @throws MillraceError `MR_CHARSET` (415) for a charset that nobody knows
 */
export function decodeText(bytes: Uint8Array, charset: string): string {
  return codecOf(charset).decode(bytes);
}

/**
 * Text as bytes; what the charset lacks becomes `?`.
 *
 * @throws MillraceError `MR_CHARSET` (415) for a charset that nobody knows
 */
export function encodeText(text: string, charset: string): Uint8Array {
  return codecOf(charset).encode(text);
}

/** Whether the charset is known under this name. */
export function isCharset(charset: string): boolean {
  return findCodec(charset) !== undefined;
}

function codecOf(charset: string): Codec {
  const codec = charset === 'UTF-8' ? utf8Codec : findCodec(charset);
  if (!codec) {
    throw new MillraceError({
      code: 'MR_CHARSET',
      status: 415,
      message: `The character set ${JSON.stringify(charset.slice(0, 40))} is not known`,
    });
  }
  return codec;
}

function findCodec(charset: string): Codec | undefined {
  const name = charset.toLowerCase().replaceAll(/[^a-z\d]/g, '');
  const present = (Object.hasOwn(own, name) ? own[name] : undefined) ?? found.get(name);
  if (present) return present;
  // Its tables take some milliseconds to load and few need them.
  iconv ??= require('iconv-lite') as Iconv;
  const { decode, encode } = iconv;
  // iconv-lite also takes Node's base64 and hex for encodings.
  if (/^(?:base64|hex|binary|ucs2|internal)/.test(name) || !iconv.encodingExists(name)) return undefined;
  const codec: Codec = { decode: (bytes) => decode(bytes, name), encode: (text) => encode(text, name) };
  found.set(name, codec);
  return codec;
}

function skipMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xfe && bytes[1] === 0xff ? bytes.subarray(2) : bytes;
}

function utf16(bytes: Uint8Array, littleEndian: boolean): string {
  return new TextDecoder(littleEndian ? 'utf-16le' : 'utf-16be', { ignoreBOM: true }).decode(bytes);
}

function swap(bytes: Buffer): Buffer {
  return bytes.swap16();
}

/** One byte per character; what lies beyond `limit` becomes one `?` per code point. */
function replaceBeyond(text: string, limit: number): Uint8Array {
  const isPlain = limit === 0xff ? !/[^\u0000-\u00ff]/.test(text) : !/[^\u0000-\u007f]/.test(text);
  const shown = isPlain ? text : text.replaceAll(limit === 0xff ? /[^\u0000-\u00ff]/gu : /[^\u0000-\u007f]/gu, '?');
  return Buffer.from(shown, 'latin1');
}
