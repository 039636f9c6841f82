import { randomBytes } from 'node:crypto';
import { OctetString } from 'asn1js';
import { BasicOCSPResponse, CertID, Extension, getCrypto, OCSPRequest, OCSPResponse, type Certificate } from 'pkijs';
import { hasPurpose, isSignedBy, mayBeUsedFor, undecided, type Issued } from './pki.ts';
import type { RevocationAnswer } from './revocation-answer.ts';
import { usableUntil } from './validity.ts';

const identifiers = {
  basicResponse: '1.3.6.1.5.5.7.48.1.1',
  nonce: '1.3.6.1.5.5.7.48.1.2',
  signing: '1.3.6.1.5.5.7.3.9',
} as const;
/** Responses that say nothing, by their number (RFC 6960, 4.2.1). */
const failures: Readonly<Record<number, string>> = {
  1: 'the request is malformed',
  2: 'an internal error',
  3: 'try later',
  5: 'the request must be signed',
  6: 'not authorized',
};
/** CertStatus by its tag. */
const statuses: Readonly<Record<number, RevocationAnswer['status']>> = { 0: 'good', 1: 'revoked' };
const nonceBytes = 16;
/** Most certificates of a response that are looked at. */
const maximumCertificates = 5;

/** A question to an OCSP server, and the extension that its answer should repeat. */
export interface OcspQuestion {
  readonly bytes: Uint8Array;
  readonly nonce: Uint8Array;
}

/** Asks whether one certificate was revoked (RFC 6960, 4.1). */
export async function ocspQuestion({ certificate, issuer }: Issued): Promise<OcspQuestion> {
  const request = new OCSPRequest();
  // Many servers know answers by this hash only; nothing depends on its strength.
  await request.createForCertificate(certificate, { hashAlgorithm: 'SHA-1', issuerCertificate: issuer });
  const nonce = new Uint8Array(new OctetString({ valueHex: randomBytes(nonceBytes) }).toBER());
  request.tbsRequest.requestExtensions = [new Extension({ extnID: identifiers.nonce, extnValue: nonce.buffer })];
  return { bytes: new Uint8Array(request.toSchema(true).toBER()), nonce };
}

/**
 * Reads the answer of an OCSP server (RFC 6960, 3.2): signed by the issuer or by whom it has authorized, about this
 * certificate, and valid now. A nonce has to be ours where there is one; many servers answer without.
 *
 * @throws MillraceError `MR_TLS_REVOCATION_UNKNOWN` for an answer that says nothing or cannot be trusted
 */
export async function readOcspAnswer(
  bytes: Uint8Array,
  issued: Issued,
  { nonce, now }: { nonce: Uint8Array; now: number },
): Promise<RevocationAnswer> {
  const answer = parse(bytes);
  const { responses, responseExtensions = [] } = answer.tbsResponseData;
  const repeated = responseExtensions.find(({ extnID }) => extnID === identifiers.nonce);
  if (repeated && !Buffer.from(nonce).equals(repeated.extnValue.valueBlock.valueHexView)) {
    throw undecided('the answer is to another question: its nonce is not ours');
  }
  await checkSignature(answer, issued.issuer, now);
  for (const { certID, certStatus, thisUpdate, nextUpdate } of responses) {
    if (!(await isAbout(certID, issued))) continue;
    const until = usableUntil({ thisUpdate, nextUpdate }, now);
    const status = statuses[(certStatus as { idBlock: { tagNumber: number } }).idBlock.tagNumber];
    if (status === undefined) throw undecided('the server does not know the certificate');
    return { status, until };
  }
  throw undecided('the answer is about other certificates');
}

function parse(bytes: Uint8Array): BasicOCSPResponse {
  let response: OCSPResponse;
  let basic: BasicOCSPResponse | undefined;
  try {
    response = OCSPResponse.fromBER(Uint8Array.from(bytes));
    const { responseType, response: content } = response.responseBytes ?? {};
    if (responseType === identifiers.basicResponse && content) {
      basic = BasicOCSPResponse.fromBER(Uint8Array.from(content.valueBlock.valueHexView));
    }
  } catch (cause) {
    throw undecided('the answer is no OCSP response', cause);
  }
  const status = response.responseStatus.valueBlock.valueDec;
  if (status !== 0) throw undecided(`the server refuses to answer: ${failures[status] ?? status}`);
  if (!basic) throw undecided('the answer is no basic OCSP response');
  return basic;
}

async function checkSignature(answer: BasicOCSPResponse, issuer: Certificate, now: number): Promise<void> {
  const signed = {
    bytes: answer.tbsResponseData.tbsView,
    signature: answer.signature,
    algorithm: answer.signatureAlgorithm,
  };
  if (await isSignedBySafely(issuer, signed)) return;
  for (const candidate of (answer.certs ?? []).slice(0, maximumCertificates)) {
    if ((await isAuthorized(candidate, issuer, now)) && (await isSignedBySafely(candidate, signed))) return;
  }
  throw undecided('the answer is signed neither by the issuer nor by a responder that it has authorized');
}

/** A key of another kind than the signature needs has not made it. */
async function isSignedBySafely(...facts: Parameters<typeof isSignedBy>): Promise<boolean> {
  try {
    return await isSignedBy(...facts);
  } catch {
    return false;
  }
}

/** Whether an issuer lets somebody answer for it (RFC 6960, 4.2.2.2). */
async function isAuthorized(candidate: Certificate, issuer: Certificate, now: number): Promise<boolean> {
  if (!candidate.issuer.isEqual(issuer.subject) || !hasPurpose(candidate, identifiers.signing)) return false;
  if (!mayBeUsedFor(candidate, 'digitalSignature')) return false;
  if (candidate.notBefore.value.getTime() > now || candidate.notAfter.value.getTime() < now) return false;
  return isSignedBySafely(issuer, {
    bytes: candidate.tbsView,
    signature: candidate.signatureValue,
    algorithm: candidate.signatureAlgorithm,
  });
}

async function isAbout(identifier: CertID, { certificate, issuer }: Issued): Promise<boolean> {
  const hash = getCrypto(true).getAlgorithmByOID(identifier.hashAlgorithm.algorithmId);
  if (!('name' in hash)) return false;
  const own = await CertID.create(certificate, { hashAlgorithm: hash.name, issuerCertificate: issuer });
  return identifier.isEqual(own);
}
