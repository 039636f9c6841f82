import type { X509Certificate } from 'node:crypto';
import { createShelf, getLogger, type Clock } from '#core';
import { messageOf, MillraceError } from '#errors';
import { trustPath } from './trust-path.ts';
import type { RevocationAnswer } from './revocation-answer.ts';
import type { RevocationList } from './revocation-list.ts';
import type { Issued } from './pki.ts';

const log = getLogger('keystore');
const leastCleanUpTime = 60_000;

/** A question to an OCSP server, or to one that keeps lists. */
export interface RevocationRequest {
  readonly url: string;
  /** Content to send; absent to fetch. */
  readonly content?: { readonly type: string; readonly bytes: Uint8Array };
}

/** How certificates are checked. */
export interface RevocationCheckOptions {
  readonly clock: Clock;
  /** Gives the body of a successful answer; it bounds time and size. */
  readonly fetch: (request: RevocationRequest) => Promise<Uint8Array>;
  /** Most answers and most lists that are kept. */
  readonly cacheSize: number;
  /** Milliseconds between clean-ups of what is kept. */
  readonly cleanUpTime: number;
  /** False checks the client's own certificate only, not those of authorities between it and the trusted one. */
  readonly wholeChain: boolean;
  /** Whether dates count, too. */
  readonly checksDates: boolean;
}

/** The certificate that a client has shown. */
export interface ShownCertificate {
  /** Its own, followed by those that it sent along. */
  readonly chain: readonly X509Certificate[];
  readonly trusted: readonly X509Certificate[];
}

/** Tells whether certificates were revoked. */
export interface RevocationCheck extends Disposable {
  /**
   * Resolves for a certificate that was not revoked.
   *
   * @throws MillraceError `MR_TLS_REVOKED`, `MR_TLS_UNTRUSTED` for one that leads to no trusted certificate,
   *   `MR_TLS_CERTIFICATE_DATE`, `MR_TLS_REVOCATION_UNKNOWN` when nobody says that it was not revoked
   */
  readonly check: (shown: ShownCertificate) => Promise<void>;
  /** Answers and lists that are kept. */
  readonly kept: number;
}

/**
 * Makes a check that asks the OCSP servers which a certificate names, then looks into the lists which it names
 * (RFC 6960, RFC 5280). A certificate of which neither is good is refused.
 */
export function createRevocationCheck(options: RevocationCheckOptions): RevocationCheck {
  const { clock, cacheSize, wholeChain, checksDates } = options;
  const answers = createShelf<RevocationAnswer>();
  const lists = createShelf<RevocationList>();
  const limit = { maxSize: cacheSize, removesOldest: true };
  /** Connections of one client ask once. */
  const asked = new Map<string, Promise<RevocationAnswer>>();
  let cancelTimer = (): void => undefined;
  const cleanUp = (): void => {
    for (const shelf of [answers, lists]) shelf.dropExpired(clock.now());
    cancelTimer = clock.after(Math.max(leastCleanUpTime, options.cleanUpTime), cleanUp);
  };
  cleanUp();

  const findList = async (url: string, { issuer }: Issued, key: string): Promise<RevocationList> => {
    const place = `${key} ${url}`;
    const known = lists.find(place, clock.now());
    if (known) return known;
    const { readRevocationList } = await import('./revocation-list.ts');
    const list = await readRevocationList(await options.fetch({ url }), { issuer, url, now: clock.now() });
    lists.keep(place, { value: list, until: list.until }, limit);
    return list;
  };

  const find = async (certificate: X509Certificate, issuer: X509Certificate): Promise<RevocationAnswer> => {
    const { readPair, placesOf, undecided } = await import('./pki.ts');
    const pair = readPair(certificate, issuer);
    const { responders, lists: places } = placesOf(pair.certificate);
    const attempts = [
      ...responders.map((url) => ({ url, answer: () => askResponder(url, pair, options) })),
      ...places.map((url) => ({
        url,
        answer: async (): Promise<RevocationAnswer> => {
          const list = await findList(url, pair, issuer.fingerprint256);
          if (!list.covers(pair.certificate)) throw undecided('the list is about other certificates');
          return { status: list.has(pair.certificate) ? 'revoked' : 'good', until: 0 };
        },
      })),
    ];
    const reasons: string[] = [];
    for (const { url, answer } of attempts) {
      try {
        return await answer();
      } catch (error) {
        log.debug(
          { url, err: error, subject: certificate.subject },
          'whether a certificate was revoked is not said here',
        );
        reasons.push(`${url}: ${messageOf(error)}`);
      }
    }
    throw undecided(reasons.join('; ') || 'the certificate names neither an OCSP server nor a revocation list');
  };

  const answerFor = (certificate: X509Certificate, issuer: X509Certificate): Promise<RevocationAnswer> => {
    const key = `${issuer.fingerprint256} ${certificate.serialNumber}`;
    const known = answers.find(key, clock.now());
    if (known) return Promise.resolve(known);
    const waiting = asked.get(key);
    if (waiting) return waiting;
    const asking = (async () => {
      const answer = await find(certificate, issuer);
      if (answer.until > clock.now()) answers.keep(key, { value: answer, until: answer.until }, limit);
      return answer;
    })().finally(() => asked.delete(key));
    asked.set(key, asking);
    return asking;
  };

  return {
    async check({ chain, trusted }) {
      const path = trustPath(chain, trusted);
      if (!path) throw refusal('MR_TLS_UNTRUSTED', 'the certificate was issued by nobody who is trusted');
      const checked = wholeChain ? path.slice(0, -1) : path.slice(0, Math.min(1, path.length - 1));
      if (checksDates)
        for (const certificate of wholeChain ? path : path.slice(0, 1)) checkDates(certificate, clock.now());
      await Promise.all(
        checked.map(async (certificate, index) => {
          const issuer = path[index + 1] ?? certificate;
          if ((await answerFor(certificate, issuer)).status === 'good') return;
          throw refusal(
            'MR_TLS_REVOKED',
            `the certificate with the serial number ${certificate.serialNumber} was revoked`,
          );
        }),
      );
    },
    get kept() {
      return answers.size + lists.size;
    },
    [Symbol.dispose]: () => cancelTimer(),
  };
}

async function askResponder(
  url: string,
  pair: Issued,
  { clock, fetch }: RevocationCheckOptions,
): Promise<RevocationAnswer> {
  const { ocspQuestion, readOcspAnswer } = await import('./ocsp.ts');
  const { bytes, nonce } = await ocspQuestion(pair);
  const answer = await fetch({ url, content: { type: 'application/ocsp-request', bytes } });
  return readOcspAnswer(answer, pair, { nonce, now: clock.now() });
}

function checkDates({ validFromDate, validToDate, subject }: X509Certificate, now: number): void {
  if (validFromDate.getTime() <= now && now <= validToDate.getTime()) return;
  const period = `from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`;
  throw refusal('MR_TLS_CERTIFICATE_DATE', `the certificate of ${subject} is valid ${period}`);
}

function refusal(code: string, message: string): MillraceError {
  return new MillraceError({ code, message });
}
