import { Client, InvalidCredentialsError, ResultCodeError } from 'ldapts';
import { getLogger, type Clock } from '#core';
import { MillraceError, messageOf, toError } from '#errors';
import type { ConnectionSettings } from './settings.ts';

const log = getLogger('identity');

/** The certificates, as PEM, that directories are checked against; undefined for those that Node knows. */
export type Trusted = () => readonly string[] | undefined;

/** What TLS says of certificates that are not believed. */
const certificateErrors: ReadonlySet<unknown> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Most connections of the service account that are kept. */
const poolSize = 8;

/** Connections to one directory, over all of its addresses. */
export interface DirectoryConnections extends AsyncDisposable {
  /**
   * Runs `work` on a connection that the service account has signed in on.
   *
   * @throws MillraceError `MR_STORE_UNAVAILABLE` when no address answers, `MR_STORE_CERTIFICATE` when the last one shows
   *   a certificate that is not trusted
   */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Signs in at the address `url`, which a referral named. */
  useAt<T>(url: string, work: (client: Client) => Promise<T>): Promise<T>;
  /** Whether the directory takes the password for the entry, on a connection of its own. */
  bind(dn: string, password: string): Promise<boolean>;
}

/** Opens connections as they are needed; the address that answered last is tried first. */
export function createConnections(
  settings: ConnectionSettings,
  clock: Clock,
  trusted: Trusted = () => undefined,
): DirectoryConnections {
  const idle: Client[] = [];
  let isOpen = true;
  let preferred = 0;
  let failures = 0;
  let blockedUntil = 0;
  let lastFailure: unknown;

  const connect = async (url: string): Promise<Client> => {
    const certificates = trusted();
    const tlsOptions = {
      rejectUnauthorized: settings.checksCertificate,
      ...(certificates && { ca: [...certificates] }),
    };
    const client = new Client({
      url,
      connectTimeout: settings.connectTimeout,
      timeout: settings.readTimeout,
      strictDN: false,
      ...(url.toLowerCase().startsWith('ldaps:') && { tlsOptions }),
    });
    try {
      if (settings.usesStartTls && url.toLowerCase().startsWith('ldap:')) {
        await client.startTLS({ ...tlsOptions, host: new URL(url).hostname });
      }
    } catch (error) {
      await close(client);
      throw error;
    }
    return client;
  };

  const signedIn = async (url: string): Promise<Client> => {
    const client = await connect(url);
    try {
      const { dn, password } = settings.account ?? { dn: '', password: '' };
      await client.bind(dn, password);
      return client;
    } catch (error) {
      await close(client);
      throw error;
    }
  };

  /** Tries the addresses in order; what the directory itself answers is never tried elsewhere. */
  const atSomeUrl = async <T>(attempt: (url: string) => Promise<T>): Promise<T> => {
    if (clock.now() < blockedUntil) {
      // Nothing was asked now; a certificate that was refused before is still what has to be mended.
      throw unavailable(settings, isOfCertificate(lastFailure) ? lastFailure : undefined);
    }
    for (let step = 0; step < settings.urls.length; step++) {
      const index = (preferred + step) % settings.urls.length;
      const url = settings.urls[index] ?? '';
      try {
        const result = await attempt(url);
        preferred = index;
        failures = 0;
        return result;
      } catch (error) {
        if (error instanceof ResultCodeError) throw error;
        lastFailure = error;
        const what = isOfCertificate(error)
          ? 'the certificate of a directory is not trusted'
          : 'a directory does not answer';
        log.warn({ url, err: toError(error) }, what);
      }
    }
    failures++;
    if (failures >= settings.failuresAllowed) blockedUntil = clock.now() + settings.retryDelay;
    throw unavailable(settings, lastFailure);
  };

  const release = async (client: Client, isGood: boolean): Promise<void> => {
    if (settings.isPooled && isOpen && isGood && client.isConnected && idle.length < poolSize) idle.push(client);
    else await close(client);
  };

  const run = async <T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> => {
    let isGood = false;
    try {
      const result = await work(client);
      isGood = true;
      return result;
    } catch (error) {
      isGood = error instanceof ResultCodeError;
      throw error;
    } finally {
      await release(client, isGood);
    }
  };

  return {
    async use(work) {
      try {
        for (let client = idle.pop(); client; client = idle.pop()) {
          if (client.isConnected) return await run(client, work);
        }
        // The work belongs to the attempt: a directory that takes the sign-in and then falls silent is no answer.
        return await atSomeUrl(async (url) => run(await signedIn(url), work));
      } catch (error) {
        if (error instanceof InvalidCredentialsError) throw badAccount(settings, error);
        throw error;
      }
    },
    useAt: async (url, work) => run(await signedIn(url), work),
    async bind(dn, password) {
      return await atSomeUrl(async (url) => {
        const client = await connect(url);
        try {
          await client.bind(dn, password);
          return true;
        } catch (error) {
          if (error instanceof ResultCodeError && refusals.has(error.code)) return false;
          throw error;
        } finally {
          await close(client);
        }
      });
    },
    async [Symbol.asyncDispose]() {
      isOpen = false;
      await Promise.all(idle.splice(0).map(close));
    },
  };
}

/**
 * Results that mean the password or the entry is wrong: no such object, syntax of the name, inappropriate
 * authentication, credentials, unwilling (RFC 4511 appendix A).
 */
const refusals: ReadonlySet<number> = new Set([32, 34, 48, 49, 53]);

async function close(client: Client): Promise<void> {
  try {
    await client.unbind();
  } catch (error) {
    log.debug({ err: toError(error) }, 'a connection to a directory did not close well');
  }
}

function isOfCertificate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && certificateErrors.has(error.code);
}

function unavailable({ urls }: ConnectionSettings, cause: unknown): MillraceError {
  if (isOfCertificate(cause)) {
    return new MillraceError({
      code: 'MR_STORE_CERTIFICATE',
      status: 503,
      message: 'The user store does not answer',
      detail:
        `the certificate of ${urls.join(' ')} is not trusted: ${messageOf(cause)}; expected one that a certificate ` +
        'of [truststore] issued, or of a known authority where no trust store is named',
      cause,
    });
  }
  return new MillraceError({
    code: 'MR_STORE_UNAVAILABLE',
    status: 503,
    message: 'The user store does not answer',
    detail: `none of ${urls.join(' ')} answers`,
    ...(cause !== undefined && { cause }),
  });
}

function badAccount({ account }: ConnectionSettings, cause: unknown): MillraceError {
  return new MillraceError({
    code: 'MR_STORE_ACCOUNT',
    status: 503,
    message: 'The user store refuses its service account',
    detail: `ConnectionName ${account?.dn ?? ''} or ConnectionPassword is wrong`,
    cause,
  });
}
