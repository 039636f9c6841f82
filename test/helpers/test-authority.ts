import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Constructed, Enumerated, GeneralizedTime, Integer, OctetString, Primitive, Utf8String } from 'asn1js';
import {
  AccessDescription,
  AttributeTypeAndValue,
  BasicConstraints,
  BasicOCSPResponse,
  Certificate,
  CertificateRevocationList,
  CertID,
  CRLDistributionPoints,
  DistributionPoint,
  Extension,
  Extensions,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
  InfoAccess,
  type IssuingDistributionPoint,
  OCSPRequest,
  OCSPResponse,
  ResponseBytes,
  RevokedCertificate,
  SingleResponse,
  Time,
} from 'pkijs';

const dayMilliseconds = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
let serials = 1000;

/** A key pair with its certificate. */
export interface Holder {
  readonly certificate: Certificate;
  readonly keys: CryptoKeyPair;
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly x509: X509Certificate;
}

export interface CertificateWishes {
  readonly name: string;
  /** Who issues it; itself when absent. */
  readonly issuer?: Holder;
  readonly isAuthority?: boolean;
  readonly responder?: string;
  readonly list?: string;
  /** Days from now until the end of its validity. */
  readonly days?: number;
  readonly purposes?: readonly string[];
  /** The IPv4 address that it is for. */
  readonly address?: string;
}

/** Issues a certificate. */
export async function issue(wishes: CertificateWishes): Promise<Holder> {
  const { name, issuer, isAuthority = false, responder, list, days = 30, purposes, address } = wishes;
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = new Certificate({ version: 2, serialNumber: new Integer({ value: ++serials }) });
  certificate.subject.typesAndValues.push(commonName(name));
  const issuerNames = issuer?.certificate.subject ?? certificate.subject;
  certificate.issuer.typesAndValues.push(...issuerNames.typesAndValues);
  certificate.notBefore.value = new Date(Date.now() - 60 * dayMilliseconds);
  certificate.notAfter.value = new Date(Math.floor((Date.now() + days * dayMilliseconds) / 1000) * 1000);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  const uri = (value: string): GeneralName => new GeneralName({ type: 6, value });
  const add = (extnID: string, value: { toSchema(): { toBER(): ArrayBuffer } }): void => {
    certificate.extensions ??= [];
    certificate.extensions.push(new Extension({ extnID, critical: false, extnValue: value.toSchema().toBER() }));
  };
  if (isAuthority) add('2.5.29.19', new BasicConstraints({ cA: true }));
  if (address !== undefined) {
    const valueHex = Uint8Array.from(address.split('.').map(Number)).buffer;
    const altNames = [new GeneralName({ type: 7, value: new OctetString({ valueHex }) })];
    add('2.5.29.17', new GeneralNames({ names: altNames }));
  }
  if (purposes) add('2.5.29.37', new ExtKeyUsage({ keyPurposes: [...purposes] }));
  if (responder !== undefined) {
    const place = new AccessDescription({ accessMethod: '1.3.6.1.5.5.7.48.1', accessLocation: uri(responder) });
    add('1.3.6.1.5.5.7.1.1', new InfoAccess({ accessDescriptions: [place] }));
  }
  if (list !== undefined) {
    const point = new DistributionPoint({ distributionPoint: [uri(list)] });
    add('2.5.29.31', new CRLDistributionPoints({ distributionPoints: [point] }));
  }
  await certificate.sign((issuer?.keys ?? keys).privateKey, 'SHA-256');
  const bytes = Buffer.from(certificate.toSchema(true).toBER());
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  return {
    certificate: Certificate.fromBER(Uint8Array.from(bytes)),
    keys,
    certificatePem: pem('CERTIFICATE', bytes),
    keyPem: pem('PRIVATE KEY', key),
    x509: new X509Certificate(bytes),
  };
}

export type Status = 'good' | 'revoked' | 'unknown';

/** How an OCSP server answers. */
export interface AnswerWishes {
  readonly status?: Status;
  readonly issuer: Holder;
  /** Who signs; the issuer when absent. */
  readonly signer?: Holder;
  readonly embeds?: readonly Holder[];
  /** Milliseconds from now. */
  readonly thisUpdate?: number;
  /** Milliseconds from now; `null` for none. */
  readonly nextUpdate?: number | null;
  readonly hash?: string;
  readonly nonce?: 'repeat' | 'omit' | 'other';
  /** About this one instead of the one that was asked for. */
  readonly about?: Holder;
}

/** Answers a question as `wishes` say. */
export async function answerOcsp(question: Uint8Array, wishes: AnswerWishes): Promise<Uint8Array> {
  const { status = 'good', issuer, signer = issuer, embeds = [], hash = 'SHA-256', nonce = 'repeat', about } = wishes;
  const { thisUpdate = -60_000, nextUpdate = 3_600_000 } = wishes;
  const { tbsRequest } = OCSPRequest.fromBER(Uint8Array.from(question));
  const asked = tbsRequest.requestList[0]?.reqCert;
  if (!asked) throw new Error('there is no question');
  const certID = about
    ? await CertID.create(about.certificate, { hashAlgorithm: 'SHA-1', issuerCertificate: issuer.certificate })
    : asked;
  const answer = new BasicOCSPResponse();
  answer.tbsResponseData.responderID = signer.certificate.subject;
  answer.tbsResponseData.producedAt = new Date();
  const single = new SingleResponse({ certID, thisUpdate: new Date(Date.now() + thisUpdate) });
  if (nextUpdate !== null) single.nextUpdate = new Date(Date.now() + nextUpdate);
  single.certStatus = statusOf(status);
  answer.tbsResponseData.responses = [single];
  const sent = tbsRequest.requestExtensions?.find(({ extnID }) => extnID === '1.3.6.1.5.5.7.48.1.2');
  if (sent && nonce === 'repeat') answer.tbsResponseData.responseExtensions = [sent];
  if (nonce === 'other') {
    const extnValue = new OctetString({ valueHex: Buffer.alloc(16, 7) }).toBER();
    answer.tbsResponseData.responseExtensions = [new Extension({ extnID: '1.3.6.1.5.5.7.48.1.2', extnValue })];
  }
  if (embeds.length > 0) answer.certs = embeds.map(({ certificate }) => certificate);
  await answer.sign(signer.keys.privateKey, hash);
  const response = new OctetString({ valueHex: answer.toSchema().toBER() });
  const responseBytes = new ResponseBytes({ responseType: '1.3.6.1.5.5.7.48.1.1', response });
  const whole = new OCSPResponse({ responseStatus: new Enumerated({ value: 0 }), responseBytes });
  return new Uint8Array(whole.toSchema().toBER());
}

export interface ListWishes {
  readonly issuer: Holder;
  /** Who signs; the issuer when absent. */
  readonly signer?: Holder;
  readonly revoked?: readonly Holder[];
  /** Milliseconds from now. */
  readonly nextUpdate?: number;
  readonly scope?: IssuingDistributionPoint;
  readonly criticalExtension?: string;
  /** A critical extension of every entry. */
  readonly entryExtension?: string;
}

/** Publishes a list. */
export async function makeList(wishes: ListWishes): Promise<Uint8Array> {
  const {
    issuer,
    signer = issuer,
    revoked = [],
    nextUpdate = 3_600_000,
    scope,
    criticalExtension,
    entryExtension,
  } = wishes;
  const list = new CertificateRevocationList({ version: 1 });
  list.issuer.typesAndValues.push(...issuer.certificate.subject.typesAndValues);
  list.thisUpdate = new Time({ type: 0, value: new Date(Date.now() - 2 * dayMilliseconds) });
  list.nextUpdate = new Time({ type: 0, value: new Date(Date.now() + nextUpdate) });
  if (revoked.length > 0) {
    list.revokedCertificates = revoked.map(
      ({ certificate }) =>
        new RevokedCertificate({
          userCertificate: certificate.serialNumber,
          revocationDate: new Time({ type: 0, value: new Date() }),
          ...(entryExtension === undefined
            ? {}
            : { crlEntryExtensions: new Extensions({ extensions: [criticalOne(entryExtension)] }) }),
        }),
    );
  }
  const extensions = [
    ...(scope ? [new Extension({ extnID: '2.5.29.28', critical: true, extnValue: scope.toSchema().toBER() })] : []),
    ...(criticalExtension === undefined ? [] : [criticalOne(criticalExtension)]),
  ];
  if (extensions.length > 0) list.crlExtensions = new Extensions({ extensions });
  await list.sign(signer.keys.privateKey, 'SHA-256');
  return new Uint8Array(list.toSchema(true).toBER());
}

function criticalOne(extnID: string): Extension {
  return new Extension({ extnID, critical: true, extnValue: new Integer({ value: 1 }).toBER() });
}

/** A server of answers and lists, which counts what it is asked. */
export interface RevocationServer extends AsyncDisposable {
  readonly responder: string;
  readonly list: string;
  readonly asked: { responder: number; list: number };
  /** What it gives; undefined fails with status 503. */
  answer: ((question: Uint8Array) => Promise<Uint8Array>) | undefined;
  listBytes: (() => Promise<Uint8Array>) | undefined;
}

export async function startRevocationServer(): Promise<RevocationServer> {
  const asked = { responder: 0, list: 0 };
  const http = createServer((request, response) => {
    void (async () => {
      const isList = request.method === 'GET';
      asked[isList ? 'list' : 'responder']++;
      const question = Buffer.concat(await request.toArray());
      const bytes = await (isList ? server.listBytes?.() : server.answer?.(question));
      response.statusCode = bytes ? 200 : 503;
      response.end(bytes);
    })();
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const server: RevocationServer = {
    responder: `http://127.0.0.1:${port}/ocsp`,
    list: `http://127.0.0.1:${port}/list.crl`,
    asked,
    answer: undefined,
    listBytes: undefined,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

function commonName(name: string): AttributeTypeAndValue {
  return new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value: name }) });
}

function statusOf(status: Status): Primitive | Constructed {
  const idBlock = { tagClass: 3, tagNumber: ['good', 'revoked', 'unknown'].indexOf(status) };
  if (status !== 'revoked') return new Primitive({ idBlock, lenBlock: { length: 1 } });
  return new Constructed({ idBlock, value: [new GeneralizedTime({ valueDate: new Date() })] });
}

function pem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
