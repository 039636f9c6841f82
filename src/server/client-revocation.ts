import { transportPassthruHttps, type Config } from '#config';
import { systemClock, type Clock } from '#core';
import { MillraceError } from '#errors';
import { createRevocationCheck, type RevocationCheck, type RevocationRequest } from '#keystore';
import { ask, createHttpSender, type PooledHttpSender } from '#transport';
import { readProxies } from './proxies.ts';

/** Milliseconds for one answer, and bytes of the longest list. */
const patience = 5_000;
const maximumSize = 4 * 1024 * 1024;
const maximumConnections = 20;

/** What an inbound endpoint decides by itself. */
export interface OwnRevocation {
  readonly cacheSize: number | undefined;
  /** In milliseconds. */
  readonly cleanUpTime: number | undefined;
}

/** Checks whether certificates of clients were revoked. */
export interface ClientRevocation extends AsyncDisposable {
  /** That of the HTTPS listener for APIs; undefined unless the file turns it on. */
  readonly ofListener: RevocationCheck | undefined;
  /** One for a port of its own. */
  create(own: OwnRevocation): RevocationCheck;
}

const keys = {
  enable: transportPassthruHttps.listenerCertRevocationValidationEnable,
  cacheSize: transportPassthruHttps.listenerCertRevocationValidationCacheSize,
  cacheDelay: transportPassthruHttps.listenerCertRevocationValidationCacheDelay,
  wholeChain: transportPassthruHttps.listenerCertRevocationValidationAllowFullCertChainValidation,
  dates: transportPassthruHttps.listenerCertRevocationValidationAllowCertExpiryValidation,
} as const;

/** Opens it with the keys of `transport.passthru_https.listener.cert_revocation_validation`. */
export function openClientRevocation(config: Config, clock: Clock = systemClock): ClientRevocation {
  let sender: PooledHttpSender | undefined;
  // Its own sender: neither limits of messages nor key material of back ends have to do with these questions.
  const fetch = async ({ url, content }: RevocationRequest): Promise<Uint8Array> => {
    sender ??= createHttpSender({
      proxy: readProxies(config),
      connectTimeout: patience,
      connectionsPerOrigin: maximumConnections,
    });
    const question = content
      ? { method: 'POST', headers: ['Content-Type', content.type], body: Buffer.from(content.bytes) }
      : { method: 'GET', headers: [], body: null };
    const { status, bytes } = await ask(sender, { url, ...question }, { clock, patience, size: maximumSize });
    if (status === 200) return bytes;
    throw new MillraceError({ code: 'MR_TLS_REVOCATION_UNKNOWN', message: `the answer has the status ${status}` });
  };
  const common = {
    clock,
    fetch,
    cacheSize: config.get(keys.cacheSize),
    cleanUpTime: config.milliseconds(keys.cacheDelay),
    wholeChain: config.get(keys.wholeChain),
    checksDates: config.get(keys.dates),
  };
  const ofListener = config.get(keys.enable) ? createRevocationCheck(common) : undefined;
  return {
    ofListener,
    create: ({ cacheSize = common.cacheSize, cleanUpTime = common.cleanUpTime }) =>
      createRevocationCheck({ ...common, cacheSize, cleanUpTime }),
    async [Symbol.asyncDispose]() {
      ofListener?.[Symbol.dispose]();
      await sender?.[Symbol.asyncDispose]();
    },
  };
}
