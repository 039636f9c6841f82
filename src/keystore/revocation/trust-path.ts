import type { X509Certificate } from 'node:crypto';

const maximumLength = 10;

/**
 * The certificates from a client's own to a trusted one, each issued by the next, as signatures show (RFC 5280, 6.1).
 *
 * @param chain the client's own certificate, followed by those that it sent along
 * @param anchors what is trusted
 * @returns undefined when the chain ends before a trusted certificate
 */
export function trustPath(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): readonly X509Certificate[] | undefined {
  const [own, ...sent] = chain;
  if (!own) return undefined;
  const path = [own];
  const authorities = [...anchors, ...sent.filter(({ ca }) => ca)];
  for (let last = own; path.length < maximumLength && !isSelfIssued(last);) {
    const subject = last;
    const issuer = authorities.find((each) => subject.checkIssued(each) && subject.verify(each.publicKey));
    if (!issuer || path.includes(issuer)) break;
    path.push(issuer);
    last = issuer;
  }
  const trusted = new Set(anchors.map(({ fingerprint256 }) => fingerprint256));
  const end = path.findLastIndex(({ fingerprint256 }) => trusted.has(fingerprint256));
  return end < 0 ? undefined : path.slice(0, end + 1);
}

function isSelfIssued(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate);
}
