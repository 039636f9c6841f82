/** Java's UTF-8 of streams: U+0000 takes two bytes, and each half of a surrogate pair three. */
export function encodeModifiedUtf8(text: string): Buffer {
  const plain = Buffer.from(text, 'utf8');
  if (!/[\0\ud800-\udfff]/.test(text)) return plain;
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit !== 0 && unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(bytes);
}

/** Reads that form; standard UTF-8 is read as well, since clients in other languages write it. */
export function decodeModifiedUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Only these lead bytes differ from the standard: C0 begins U+0000, ED a surrogate.
  if (!buffer.includes(0xc0) && !buffer.includes(0xed)) return buffer.toString('utf8');
  const parts: string[] = [];
  for (let index = 0; index < buffer.length;) {
    const lead = buffer[index] ?? 0;
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (size === 1 || size === 4) {
      parts.push(buffer.toString('utf8', index, index + size));
    } else {
      const second = (buffer[index + 1] ?? 0) & 0x3f;
      const third = (buffer[index + 2] ?? 0) & 0x3f;
      const unit = size === 2 ? ((lead & 0x1f) << 6) | second : ((lead & 0x0f) << 12) | (second << 6) | third;
      parts.push(String.fromCharCode(unit));
    }
    index += size;
  }
  return parts.join('');
}
