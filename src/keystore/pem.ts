/** Wraps DER bytes as PEM (RFC 7468), lines of 64 characters, final line end included. */
export function toPem(label: 'CERTIFICATE' | 'PRIVATE KEY', bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const lines = text.match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** The DER bytes of the first PEM block in `pem`. */
export function fromPem(pem: string): Buffer {
  const body = /-----BEGIN [^-]+-----([\s\S]*?)-----END/.exec(pem)?.[1] ?? '';
  return Buffer.from(body, 'base64');
}
