import iconv from 'iconv-lite';
import { MillraceError } from '#errors';

interface Codec {
  readonly decode: (bytes: Uint8Array) => string;
  readonly encode: (text: string) => Uint8Array;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const utf8Codec: Codec = { decode: (bytes) => utf8.decode(bytes), encode: (text) => Buffer.from(text) };
const latin1Codec: Codec = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'),
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
  // iconv-lite also takes Node's base64 and hex for encodings.
  if (/^(?:base64|hex|binary|ucs2|internal)/.test(name) || !iconv.encodingExists(name)) return undefined;
  const codec: Codec = {
    decode: (bytes) => iconv.decode(bytes, name, { stripBOM: false }),
    encode: (text) => iconv.encode(text, name),
  };
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
  const bytes = Buffer.allocUnsafe(text.length);
  let size = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index) ?? 0;
    bytes[size++] = code > limit ? 0x3f : code;
    if (code > 0xffff) index++;
  }
  return bytes.subarray(0, size);
}
