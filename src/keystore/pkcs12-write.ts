import { createCipheriv, createHmac, pbkdf2Sync, randomBytes, X509Certificate } from 'node:crypto';
import { der, derInteger, derObjectIdentifier, derTags } from './der.ts';
import { fromPem } from './pem.ts';
import { derivePkcs12Key, purposes } from './pkcs12-encryption.ts';
import { pkcs12Objects as objects } from './pkcs12-objects.ts';
import type { KeyStoreEntry } from './key-store.ts';

const keyIterations = 10_000;
/** Kept low, since this derivation has no native implementation and the key's own encryption protects the key. */
const macIterations = 2_000;
const contextTag = 0xa0;

/**
 * Writes entries as a PKCS12 file that Java 8u301 and later, OpenSSL and `readKeyStore` read: PBES2 with AES-256 for
 * keys and certificates, HMAC-SHA-256 over the whole.
 */
export function writePkcs12(entries: readonly KeyStoreEntry[], password: string): Uint8Array {
  const keys = entries.flatMap((entry, index) =>
    entry.privateKeyPem === undefined ? [] : [keyBag(entry, index, password)],
  );
  const certificates = entries.flatMap((entry, index) => certificateBags(entry, index));
  const safe = sequence(
    sequence(derObjectIdentifier(objects.data), der(contextTag, octets(sequence(...keys)))),
    encryptedContents(sequence(...certificates), password),
  );
  return sequence(
    derInteger(3),
    sequence(derObjectIdentifier(objects.data), der(contextTag, octets(safe))),
    macData(safe, password),
  );
}

function keyBag(entry: KeyStoreEntry, index: number, password: string): Buffer {
  const { algorithm, data } = encrypt(fromPem(entry.privateKeyPem ?? ''), password);
  return safeBag(objects.shroudedKeyBag, sequence(algorithm, octets(data)), [
    friendlyName(entry.alias),
    localKeyId(index),
  ]);
}

/** The entry's own certificate carries its name; issuers in a chain have none, so that no reader lists them. */
function certificateBags(entry: KeyStoreEntry, index: number): Buffer[] {
  return entry.certificatePems.map((pem, place) => {
    const value = sequence(
      derObjectIdentifier(objects.x509Certificate),
      der(contextTag, octets(new X509Certificate(pem).raw)),
    );
    if (place > 0) return safeBag(objects.certificateBag, value, []);
    const joined = entry.privateKeyPem === undefined ? javaTrusted() : localKeyId(index);
    return safeBag(objects.certificateBag, value, [friendlyName(entry.alias), joined]);
  });
}

function safeBag(identifier: string, value: Buffer, attributes: readonly Buffer[]): Buffer {
  const set = attributes.length === 0 ? [] : [der(derTags.set, ...attributes)];
  return sequence(derObjectIdentifier(identifier), der(contextTag, value), ...set);
}

function friendlyName(alias: string): Buffer {
  return attribute(objects.friendlyName, der(derTags.bmpString, Buffer.from(alias, 'utf16le').swap16()));
}

function localKeyId(index: number): Buffer {
  return attribute(objects.localKeyId, octets(Buffer.from(`millrace-${index}`)));
}

function javaTrusted(): Buffer {
  const anyExtendedKeyUsage = '2.5.29.37.0';
  return attribute(objects.javaTrustedUsage, derObjectIdentifier(anyExtendedKeyUsage));
}

function attribute(identifier: string, value: Buffer): Buffer {
  return sequence(derObjectIdentifier(identifier), der(derTags.set, value));
}

function encryptedContents(contents: Buffer, password: string): Buffer {
  const { algorithm, data } = encrypt(contents, password);
  const implicitOctets = der(0x80, data);
  const info = sequence(derObjectIdentifier(objects.data), algorithm, implicitOctets);
  return sequence(derObjectIdentifier(objects.encryptedData), der(contextTag, sequence(derInteger(0), info)));
}

/** PBES2 (RFC 8018) with PBKDF2, HMAC-SHA-256 and AES-256-CBC. */
function encrypt(plain: Buffer, password: string): { algorithm: Buffer; data: Buffer } {
  const salt = randomBytes(16);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(password, salt, keyIterations, 32, 'sha256'), iv);
  const pseudoRandom = sequence(derObjectIdentifier(objects.hmacSha256), der(derTags.null));
  const derivation = sequence(
    derObjectIdentifier(objects.pbkdf2),
    sequence(octets(salt), derInteger(keyIterations), pseudoRandom),
  );
  const scheme = sequence(derObjectIdentifier(objects.aes256Cbc), octets(iv));
  return {
    algorithm: sequence(derObjectIdentifier(objects.pbes2), sequence(derivation, scheme)),
    data: Buffer.concat([cipher.update(plain), cipher.final()]),
  };
}

function macData(content: Buffer, password: string): Buffer {
  const salt = randomBytes(16);
  const facts = { digest: 'sha256', password, salt, purpose: purposes.integrity, length: 32 };
  const mac = createHmac('sha256', derivePkcs12Key(facts, macIterations)).update(content).digest();
  const algorithm = sequence(derObjectIdentifier(objects.sha256), der(derTags.null));
  return sequence(sequence(algorithm, octets(mac)), octets(salt), derInteger(macIterations));
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return der(derTags.sequence, ...contents);
}

function octets(bytes: Buffer): Buffer {
  return der(derTags.octetString, bytes);
}
