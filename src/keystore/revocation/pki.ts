import type { X509Certificate } from 'node:crypto';
import type { BitString } from 'asn1js';
import {
  Certificate,
  CRLDistributionPoints,
  ExtKeyUsage,
  getCrypto,
  InfoAccess,
  type AlgorithmIdentifier,
  type Extension,
  type GeneralName,
} from 'pkijs';
import { MillraceError } from '#errors';

const identifiers = {
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  ocsp: '1.3.6.1.5.5.7.48.1',
  keyUsage: '2.5.29.15',
  distributionPoints: '2.5.29.31',
  extendedKeyUsage: '2.5.29.37',
} as const;
/** Bits of KeyUsage from the left (RFC 5280, 4.2.1.3). */
const usageBits = { digitalSignature: 0, cRLSign: 6 } as const;
const uriName = 6;
/** Most addresses of each kind that are asked. */
const maximumPlaces = 3;

/** A certificate and the one that issued it. */
export interface Issued {
  readonly certificate: Certificate;
  readonly issuer: Certificate;
}

/** Both as their contents can be read. */
export function readPair(certificate: X509Certificate, issuer: X509Certificate): Issued {
  return { certificate: read(certificate), issuer: read(issuer) };
}

/** Where to ask whether a certificate was revoked. */
export interface RevocationPlaces {
  readonly responders: readonly string[];
  readonly lists: readonly string[];
}

/**
 * The addresses in a certificate: OCSP servers, and lists of its own issuer that name all reasons. Only `http:` counts:
 * a question over TLS could lead to the next question.
 */
export function placesOf(certificate: Certificate): RevocationPlaces {
  const access = valueIn(certificate, identifiers.authorityInfoAccess);
  const points = valueIn(certificate, identifiers.distributionPoints);
  const responders =
    access instanceof InfoAccess
      ? access.accessDescriptions
          .filter(({ accessMethod }) => accessMethod === identifiers.ocsp)
          .map(({ accessLocation }) => accessLocation)
      : [];
  const lists =
    points instanceof CRLDistributionPoints
      ? points.distributionPoints.flatMap(({ distributionPoint, reasons, cRLIssuer }) =>
          reasons || cRLIssuer || !Array.isArray(distributionPoint) ? [] : distributionPoint,
        )
      : [];
  return { responders: plainAddresses(responders), lists: plainAddresses(lists) };
}

/** The addresses among names. */
export function addressesIn(names: readonly GeneralName[]): readonly string[] {
  return names.flatMap(({ type, value }) => (type === uriName ? [String(value)] : []));
}

/** Whether a certificate may be used for something; one that does not say it may be used for anything. */
export function mayBeUsedFor({ extensions }: Certificate, usage: keyof typeof usageBits): boolean {
  const extension = extensions?.find(({ extnID }) => extnID === identifiers.keyUsage);
  if (!extension) return true;
  const [first = 0] = (extension.parsedValue as BitString).valueBlock.valueHexView;
  return (first & (0x80 >> usageBits[usage])) !== 0;
}

/** Whether a certificate is meant for a purpose in so many words. */
export function hasPurpose(certificate: Certificate, purpose: string): boolean {
  const usage = valueIn(certificate, identifiers.extendedKeyUsage);
  return usage instanceof ExtKeyUsage && usage.keyPurposes.includes(purpose);
}

/** Whether the key of `signer` signed something, with a hash that is not broken. */
export async function isSignedBy(
  signer: Certificate,
  signed: { bytes: Uint8Array; signature: BitString; algorithm: AlgorithmIdentifier },
): Promise<boolean> {
  const engine = getCrypto(true);
  const hash = engine.getHashAlgorithm(signed.algorithm);
  if (hash === '' || hash === 'SHA-1')
    throw undecided(`the signature algorithm ${signed.algorithm.algorithmId} is not accepted`);
  return await engine.verifyWithPublicKey(
    signed.bytes as Uint8Array<ArrayBuffer>,
    signed.signature,
    signer.subjectPublicKeyInfo,
    signed.algorithm,
  );
}

/** The failure of one attempt to learn whether a certificate was revoked. */
export function undecided(message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code: 'MR_TLS_REVOCATION_UNKNOWN', message, cause });
}

function read({ raw }: X509Certificate): Certificate {
  return Certificate.fromBER(Uint8Array.from(raw));
}

function valueIn({ extensions }: Certificate, identifier: string): Extension['parsedValue'] {
  return extensions?.find(({ extnID }) => extnID === identifier)?.parsedValue;
}

function plainAddresses(names: readonly GeneralName[]): readonly string[] {
  return addressesIn(names)
    .filter((address) => /^http:/i.test(address) && URL.canParse(address))
    .slice(0, maximumPlaces);
}
