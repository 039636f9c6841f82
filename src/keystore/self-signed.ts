import { generateKeyPair, hash, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { der, derInteger, derObjectIdentifier, derTags } from './der.ts';
import { toPem } from './pem.ts';

const sha256WithRsa = '1.2.840.113549.1.1.11';
const commonName = '2.5.4.3';
const extensions = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
} as const;
const serverAuthentication = '1.3.6.1.5.5.7.3.1';
const clientAuthentication = '1.3.6.1.5.5.7.3.2';
const dayMilliseconds = 86_400_000;
/** Digital signature, key encipherment, data encipherment, as bits from the left. */
const keyUsageBits = 0b1011_0000;

export interface SelfSignedOptions {
  /** Names and addresses for which the certificate is valid; the first one is also its common name. */
  readonly hostNames: readonly [string, ...string[]];
  readonly days: number;
  /** Start of validity; now when absent. */
  readonly from?: Date;
}

export interface SelfSigned {
  readonly privateKeyPem: string;
  readonly certificatePem: string;
}

/** Makes an RSA key of 2048 bits and a certificate for it (RFC 5280), signed by itself. */
export async function createSelfSigned({ hostNames, days, from = new Date() }: SelfSignedOptions): Promise<SelfSigned> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const algorithm = sequence(derObjectIdentifier(sha256WithRsa), der(derTags.null));
  const name = sequence(
    der(derTags.set, sequence(derObjectIdentifier(commonName), der(derTags.utf8String, Buffer.from(hostNames[0])))),
  );
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const toBeSigned = sequence(
    der(0xa0, derInteger(2)),
    derInteger(serial),
    algorithm,
    name,
    sequence(timeOf(from), timeOf(new Date(from.getTime() + days * dayMilliseconds))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensionsOf(publicKey, hostNames))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, algorithm, bitString(signature));
  return {
    privateKeyPem: toPem('PRIVATE KEY', privateKey.export({ type: 'pkcs8', format: 'der' })),
    certificatePem: toPem('CERTIFICATE', certificate),
  };
}

function extensionsOf(publicKey: KeyObject, hostNames: readonly string[]): Buffer[] {
  const identifier = hash('sha1', publicKey.export({ type: 'pkcs1', format: 'der' }), 'buffer');
  return [
    extension(extensions.basicConstraints, sequence(), true),
    extension(extensions.keyUsage, der(derTags.bitString, Buffer.of(4, keyUsageBits)), true),
    extension(
      extensions.extendedKeyUsage,
      sequence(derObjectIdentifier(serverAuthentication), derObjectIdentifier(clientAuthentication)),
    ),
    extension(extensions.subjectKeyIdentifier, der(derTags.octetString, identifier)),
    extension(extensions.subjectAlternativeName, sequence(...hostNames.map((host) => generalName(host)))),
  ];
}

function extension(identifier: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.of(0xff))] : [];
  return sequence(derObjectIdentifier(identifier), ...critical, der(derTags.octetString, value));
}

/** GeneralName of RFC 5280, 4.2.1.6: dNSName [2] or iPAddress [7]. */
function generalName(host: string): Buffer {
  const family = isIP(host);
  if (family === 0) return der(0x82, Buffer.from(host, 'latin1'));
  return der(0x87, family === 4 ? Buffer.from(host.split('.').map(Number)) : addressBytes(host));
}

/** The 16 bytes of an IPv6 address. */
function addressBytes(address: string): Buffer {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = groups.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function timeOf(date: Date): Buffer {
  const text = date
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  // RFC 5280, 4.1.2.5: years up to 2049 are written in the short form.
  return date.getUTCFullYear() < 2050
    ? der(derTags.utcTime, Buffer.from(text.slice(2), 'latin1'))
    : der(derTags.generalizedTime, Buffer.from(text, 'latin1'));
}

function bitString(bytes: Buffer): Buffer {
  return der(derTags.bitString, Buffer.of(0), bytes);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return der(derTags.sequence, ...contents);
}
