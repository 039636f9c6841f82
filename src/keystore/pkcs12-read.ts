import { X509Certificate } from 'node:crypto';
import { childOf, childrenOf, derTags, integerOf, objectIdentifierOf, octetsOf, readDer, type DerNode } from './der.ts';
import { keyStoreError } from './key-store-error.ts';
import type { KeyStoreEntry } from './key-store.ts';
import { toPem } from './pem.ts';
import { decryptByPassword, isAuthentic } from './pkcs12-encryption.ts';
import { pkcs12Objects as objects } from './pkcs12-objects.ts';

interface Bag {
  readonly alias: string | undefined;
  /** Joins a key and its certificate, in hexadecimal. */
  readonly localKeyId: string | undefined;
  /** Java's mark of a trusted certificate. */
  readonly isTrusted: boolean;
}

interface KeyBag extends Bag {
  readonly privateKey: Buffer;
}

interface CertificateBag extends Bag {
  readonly certificate: X509Certificate;
}

interface Bags {
  readonly keys: KeyBag[];
  readonly certificates: CertificateBag[];
}

const unnamed: Bag = { alias: undefined, localKeyId: undefined, isTrusted: false };

/** True when the content starts like a PKCS12 file: a sequence whose first element is the version 3. */
export function isPkcs12(content: Buffer): boolean {
  if (content[0] !== derTags.sequence) return false;
  const lengthBytes = (content[1] ?? 0) > 0x80 ? (content[1] ?? 0) & 0x7f : 0;
  return content.subarray(2 + lengthBytes, 5 + lengthBytes).equals(Buffer.of(derTags.integer, 1, 3));
}

/**
 * Reads a PKCS12 file (RFC 7292) as Java, OpenSSL and Windows write it: private keys with their chains, and
 * certificates alone as trusted ones.
 *
 * @throws MillraceError wrong store password, wrong key password, unsupported encryption, damaged
 */
export function readPkcs12(content: Buffer, password: string, keyPassword: string): KeyStoreEntry[] {
  const [version, authenticatedSafe, macData] = childrenOf(readDer(content));
  if (!version || !authenticatedSafe || integerOf(version) !== 3) {
    throw keyStoreError('malformed', 'The key store is damaged: it is not a PKCS12 file of version 3');
  }
  const safe = dataOf(authenticatedSafe);
  if (macData && !isAuthentic(macData, safe, password)) throw wrongPassword();
  const bags: Bags = { keys: [], certificates: [] };
  for (const contentInfo of childrenOf(readDer(safe))) {
    const isPlain = objectIdentifierOf(childOf(contentInfo, 0)) === objects.data;
    const contents = isPlain ? dataOf(contentInfo) : decryptContents(contentInfo, password);
    collectBags(readDer(contents), bags, keyPassword);
  }
  return entriesOf(bags);
}

/** The octets of a ContentInfo of type "data". */
function dataOf(contentInfo: DerNode): Buffer {
  const identifier = objectIdentifierOf(childOf(contentInfo, 0));
  if (identifier !== objects.data) {
    throw keyStoreError('unsupported', `The key store is protected by the unsupported method ${identifier}`);
  }
  return octetsOf(childOf(childOf(contentInfo, 1), 0));
}

function decryptContents(contentInfo: DerNode, password: string): Buffer {
  const identifier = objectIdentifierOf(childOf(contentInfo, 0));
  if (identifier !== objects.encryptedData) {
    throw keyStoreError('unsupported', `The key store has contents of the unsupported type ${identifier}`);
  }
  const encrypted = childOf(childOf(childOf(contentInfo, 1), 0), 1);
  const plain = decryptByPassword(childOf(encrypted, 1), octetsOf(childOf(encrypted, 2)), password);
  if (!plain) throw wrongPassword();
  return plain;
}

function collectBags(contents: DerNode, bags: Bags, keyPassword: string): void {
  for (const bag of childrenOf(contents)) {
    const [identifier, wrapped, attributes] = childrenOf(bag);
    if (!identifier || !wrapped) throw keyStoreError('malformed', 'The key store is damaged: an entry is not complete');
    const value = childOf(wrapped, 0);
    const names = attributes ? readAttributes(attributes) : unnamed;
    switch (objectIdentifierOf(identifier)) {
      case objects.keyBag:
        bags.keys.push({ ...names, privateKey: value.bytes });
        break;
      case objects.shroudedKeyBag:
        bags.keys.push({ ...names, privateKey: decryptKey(value, names.alias, keyPassword) });
        break;
      case objects.certificateBag:
        bags.certificates.push({ ...names, certificate: new X509Certificate(certificateOf(value)) });
        break;
      case objects.safeContentsBag:
        collectBags(value, bags, keyPassword);
        break;
      default:
        // Secret keys and revocation lists have no place in TLS.
        break;
    }
  }
}

function decryptKey(shrouded: DerNode, alias: string | undefined, keyPassword: string): Buffer {
  const plain = decryptByPassword(childOf(shrouded, 0), octetsOf(childOf(shrouded, 1)), keyPassword);
  if (plain) return plain;
  throw keyStoreError('wrongKeyPassword', `The password of the key "${alias ?? ''}" is wrong`);
}

function certificateOf(certificateBag: DerNode): Buffer {
  return octetsOf(childOf(childOf(certificateBag, 1), 0));
}

function readAttributes(attributes: DerNode): Bag {
  let alias: string | undefined;
  let localKeyId: string | undefined;
  let isTrusted = false;
  for (const attribute of childrenOf(attributes)) {
    const identifier = objectIdentifierOf(childOf(attribute, 0));
    if (identifier === objects.javaTrustedUsage) isTrusted = true;
    const value = childrenOf(childOf(attribute, 1))[0]?.value;
    if (!value) continue;
    if (identifier === objects.friendlyName) alias = Buffer.from(value).swap16().toString('utf16le');
    if (identifier === objects.localKeyId) localKeyId = value.toString('hex');
  }
  return { alias, localKeyId, isTrusted };
}

/** Joins keys with their chains; what is marked as trusted or belongs to no chain is a trusted certificate. */
function entriesOf({ keys, certificates }: Bags): KeyStoreEntry[] {
  const used = new Set<CertificateBag>();
  const entries = keys.map((key, index): KeyStoreEntry => {
    const chain = chainOf(key, certificates);
    for (const link of chain) used.add(link);
    return {
      alias: key.alias ?? chain[0]?.alias ?? String(index + 1),
      privateKeyPem: toPem('PRIVATE KEY', key.privateKey),
      certificatePems: chain.map((link) => toPem('CERTIFICATE', link.certificate.raw)),
    };
  });
  const trusted = certificates.filter((bag) => bag.isTrusted || !used.has(bag));
  return entries.concat(
    trusted.map((bag, index) => ({
      alias: bag.alias ?? `certificate-${index + 1}`,
      certificatePems: [toPem('CERTIFICATE', bag.certificate.raw)],
    })),
  );
}

function chainOf(key: KeyBag, certificates: readonly CertificateBag[]): CertificateBag[] {
  const own = certificates.find((bag) => key.localKeyId !== undefined && bag.localKeyId === key.localKeyId);
  const chain: CertificateBag[] = [];
  for (let link = own; link && !chain.includes(link);) {
    chain.push(link);
    const { certificate } = link;
    link = certificates.find(
      (bag) => !bag.certificate.raw.equals(certificate.raw) && certificate.checkIssued(bag.certificate),
    );
  }
  return chain;
}

function wrongPassword(): Error {
  return keyStoreError('wrongPassword', 'The password of the key store is wrong, or the key store is damaged');
}
