import { apimTokenRevocation, type Config } from '#config';
import { getLogger, type Clock } from '#core';
import { messageOf } from '#errors';
import { loadModule, methodOf, type ExtensionModules, type Method } from './extension-module.ts';
import type { Revocation } from './revocations.ts';

const log = getLogger('identity');

/** The notifier of the original, whose work is built in. */
const builtIn = 'TokenRevocationNotifierImpl';

/** Waits before a notice is sent again, in milliseconds. */
const waits = [1000, 5000, 30_000] as const;

/** Sends a form by PUT and gives the status of the answer. */
export type PutForm = (url: string, form: URLSearchParams, authorization: string | undefined) => Promise<number>;

/** A revocation as it goes to those who listen. */
export interface RevocationNotice extends Revocation {
  /** Milliseconds for which the notice is worth reading. */
  readonly ttl: number;
}

export interface RevocationNoticesParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly modules: ExtensionModules;
  /** Tells whoever listens in this process. */
  readonly publish: (notice: RevocationNotice) => void;
  readonly put: PutForm;
}

/** Makes revocations known beyond the database (api-management 6). */
export interface RevocationNotices extends AsyncDisposable {
  tell(revocation: Revocation): void;
}

/** What a module of one's own gets, besides the lives that the configuration gives notices. */
export interface OwnNotice extends Revocation {
  readonly realtimeTtl: number;
  readonly persistentTtl: number;
}

/**
 * Opens what `[apim.token.revocation]` asks for: notices in this process, keys in a store that speaks the HTTP of etcd 2,
 * or a module in place of both. Without an address in the file nothing is written to a store: the database has it all.
 */
export function createRevocationNotices(parts: RevocationNoticesParts): RevocationNotices {
  const { config, clock, publish } = parts;
  const realtimeTtl = config.milliseconds(apimTokenRevocation.realtimeNotifierTtl);
  const persistentTtl = config.milliseconds(apimTokenRevocation.persistentNotifierTtl);
  const own = readOwn(parts);
  const store = createStoreWriter(parts, persistentTtl);
  const isRealtime = config.get(apimTokenRevocation.enableRealtimeNotifier);
  return {
    tell(revocation) {
      if (own) {
        const notice: OwnNotice = { ...revocation, realtimeTtl, persistentTtl };
        Promise.try(own, notice).catch((error: unknown) => {
          log.error({ key: ownKey, error: messageOf(error) }, 'a module did not take the notice of a revocation');
        });
        return;
      }
      if (isRealtime) publish({ ...revocation, ttl: realtimeTtl });
      store?.write(revocation, clock.now());
    },
    async [Symbol.asyncDispose]() {
      await store?.[Symbol.asyncDispose]();
    },
  };
}

const ownKey = apimTokenRevocation.notifierImpl.path;

function readOwn({ config, modules }: RevocationNoticesParts): Method | undefined {
  const className = config.get(apimTokenRevocation.notifierImpl);
  if (className === undefined || className.split('.').at(-1) === builtIn) return undefined;
  const otherwise = 'the built-in notices are sent';
  return loadModule(className, { key: ownKey, modules, otherwise }, (exported) => methodOf(exported, 'notify'));
}

interface StoreWriter extends AsyncDisposable {
  write(revocation: Revocation, now: number): void;
}

/** Writes to the store of keys; undefined where none is asked for. */
function createStoreWriter(parts: RevocationNoticesParts, ttl: number): StoreWriter | undefined {
  const { config, clock, put } = parts;
  const { persistentNotifierHostname, persistentNotifierUsername, persistentNotifierPassword } = apimTokenRevocation;
  const isOn = config.get(apimTokenRevocation.enablePersistentNotifier) && config.has(persistentNotifierHostname);
  const address = config.get(persistentNotifierHostname).trim();
  if (!isOn || address === '') return undefined;
  const base = address.endsWith('/') ? address : `${address}/`;
  const username = config.get(persistentNotifierUsername);
  const account = `${username ?? ''}:${config.get(persistentNotifierPassword) ?? ''}`;
  const authorization = username === undefined ? undefined : `Basic ${Buffer.from(account).toString('base64')}`;
  const stops = new Set<() => void>();
  const running = new Set<Promise<void>>();

  const attempt = async (url: string, form: URLSearchParams, step: number): Promise<void> => {
    let reason: string;
    try {
      const status = await put(url, form, authorization);
      if (status === 200 || status === 201) return;
      reason = `expected the status 200 or 201, found ${status}`;
    } catch (error) {
      reason = messageOf(error);
    }
    const wait = waits[step];
    if (wait === undefined) {
      log.error({ url: base, reason }, 'a revocation could not be written to the store of keys');
      return;
    }
    log.warn({ url: base, reason, wait }, 'a revocation is written to the store of keys again later');
    const stop = clock.after(wait, () => {
      stops.delete(stop);
      start(url, form, step + 1);
    });
    stops.add(stop);
  };
  const start = (url: string, form: URLSearchParams, step: number): void => {
    const work = attempt(url, form, step).finally(() => running.delete(work));
    running.add(work);
  };

  return {
    write({ key, expires, tenantId, form: tokenForm }, now) {
      // The store has seconds. What has ended by itself needs no key.
      const seconds = Math.max(1, Math.ceil(ttl / 1000));
      if (expires !== null && expires <= now) return;
      const form = new URLSearchParams({
        value: 'true',
        ttl: String(seconds),
        expiryTime: String(expires ?? -1),
        type: tokenForm === 'jwt' ? 'JWT' : 'Default',
        tenantId: String(tenantId),
      });
      start(base + encodeURIComponent(key), form, 0);
    },
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      await Promise.all(running);
      // An attempt that failed meanwhile has set another clock.
      for (const stop of stops) stop();
    },
  };
}
