import { BasicConstraints, CertificateRevocationList, IssuingDistributionPoint, type Certificate } from 'pkijs';
import { MillraceError } from '#errors';
import { digitsOf, readListParts, type ListParts } from './list-entries.ts';
import { addressesIn, isSignedBy, mayBeUsedFor, undecided } from './pki.ts';
import { usableUntil } from './validity.ts';

const identifiers = {
  basicConstraints: '2.5.29.19',
  issuingDistributionPoint: '2.5.29.28',
} as const;

/** A list of revoked certificates that is genuine and valid. */
export interface RevocationList {
  /** Milliseconds since the epoch until when it counts. */
  readonly until: number;
  /** Whether the list is about such a certificate at all. */
  covers(certificate: Certificate): boolean;
  has(certificate: Certificate): boolean;
}

/**
 * Reads a list that an issuer has published at `url` (RFC 5280, 5 and 6.3): signed by it, valid now, and complete. Lists
 * of changes, of some reasons only or of several issuers say nothing here.
 *
 * @throws MillraceError `MR_TLS_REVOCATION_UNKNOWN` for a list that cannot be used
 */
export async function readRevocationList(
  bytes: Uint8Array,
  { issuer, url, now }: { issuer: Certificate; url: string; now: number },
): Promise<RevocationList> {
  const { list, signed, serials } = parse(bytes);
  if (!list.issuer.isEqual(issuer.subject)) throw undecided('the list is of another issuer');
  if (!mayBeUsedFor(issuer, 'cRLSign')) throw undecided('the issuer may not sign lists');
  const { signatureValue: signature, signatureAlgorithm: algorithm } = list;
  if (!(await isSignedBy(issuer, { bytes: signed, signature, algorithm }))) {
    throw undecided('the signature of the list is not that of the issuer');
  }
  const until = usableUntil({ thisUpdate: list.thisUpdate.value, nextUpdate: list.nextUpdate?.value }, now);
  const scope = scopeOf(list, url);
  return {
    until,
    covers: (certificate) => !(isAuthority(certificate) ? scope?.onlyContainsUserCerts : scope?.onlyContainsCACerts),
    has: ({ serialNumber }) => serials.has(digitsOf(serialNumber.valueBlock.valueHexView)),
  };
}

function parse(bytes: Uint8Array): Omit<ListParts, 'frame'> & { readonly list: CertificateRevocationList } {
  try {
    const { frame, signed, serials } = readListParts(bytes);
    return { signed, serials, list: CertificateRevocationList.fromBER(Uint8Array.from(frame)) };
  } catch (cause) {
    if (cause instanceof MillraceError && cause.code === 'MR_TLS_REVOCATION_UNKNOWN') throw cause;
    throw undecided('the content is no revocation list', cause);
  }
}

/** The part of all certificates that a list is about; undefined for all. */
function scopeOf({ crlExtensions }: CertificateRevocationList, url: string): IssuingDistributionPoint | undefined {
  let scope: IssuingDistributionPoint | undefined;
  for (const { extnID, critical, parsedValue } of crlExtensions?.extensions ?? []) {
    if (parsedValue instanceof IssuingDistributionPoint) scope = parsedValue;
    else if (critical) throw undecided(`the list has the extension ${extnID}, which is not understood`);
  }
  if (!scope) return undefined;
  const { distributionPoint, indirectCRL, onlySomeReasons, onlyContainsAttributeCerts } = scope;
  if (indirectCRL || onlySomeReasons !== undefined || onlyContainsAttributeCerts) {
    throw undecided('the list is not about all revocations of its issuer');
  }
  // Otherwise a list about other certificates of the same issuer could be put in place of this one.
  if (distributionPoint && !(Array.isArray(distributionPoint) && addressesIn(distributionPoint).includes(url))) {
    throw undecided('the list belongs to another place');
  }
  return scope;
}

function isAuthority({ extensions }: Certificate): boolean {
  const value = extensions?.find(({ extnID }) => extnID === identifiers.basicConstraints)?.parsedValue;
  return value instanceof BasicConstraints && value.cA;
}
