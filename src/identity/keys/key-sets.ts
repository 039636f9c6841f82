import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '#core';
import { MillraceError } from '#errors';

/** Fetches a text with limits of size and time. @throws MillraceError when it cannot be had */
export type FetchText = (url: string) => Promise<string>;

/** The published keys of clients and identity providers. */
export interface KeySets {
  /**
   * Finds the key of a token in the set at an address; a key that is not in the set that is kept is looked for anew,
   * but not more often than every half minute.
   *
   * @throws MillraceError `MR_KEY_SET` when the address is refused or gives no set
   */
  at(url: string): Promise<JWTVerifyGetKey>;
}

/** How long a set is used without asking again. */
const freshTime = 10 * 60_000;
/** How soon a set may be asked for again, because a key is missing or the last attempt failed. */
const pause = 30_000;
const most = 1000;
/** Most keys of a set that are looked at. */
const keyLimit = 50;

interface Kept {
  readonly keys: JWTVerifyGetKey;
  readonly asked: number;
}

export function createKeySets(fetchText: FetchText, clock: Clock): KeySets {
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<Kept>>();

  const load = async (url: string): Promise<Kept> => {
    checkAddress(url);
    const asked = clock.now();
    const found = { keys: createLocalJWKSet(readKeySet(await fetchText(url), url)), asked };
    if (kept.size >= most) kept.delete(kept.keys().next().value ?? '');
    kept.set(url, found);
    return found;
  };

  /** One request at a time, however many tokens wait for it. */
  const loadOnce = (url: string): Promise<Kept> => {
    const running = asking.get(url);
    if (running) return running;
    const started = load(url).finally(() => asking.delete(url));
    asking.set(url, started);
    return started;
  };

  return {
    async at(url) {
      const known = kept.get(url);
      const now = clock.now();
      const current = known && now - known.asked < freshTime ? known : await loadOnce(url);
      return async (header, token) => {
        try {
          return await current.keys(header, token);
        } catch (error) {
          const isMissing = (error as { code?: unknown }).code === 'ERR_JWKS_NO_MATCHING_KEY';
          if (!isMissing || clock.now() - current.asked < pause) throw error;
          return (await loadOnce(url)).keys(header, token);
        }
      };
    },
  };
}

/**
 * The keys of a JWK set's text.
 *
 * @throws MillraceError `MR_KEY_SET`
 */
export function readKeySet(text: string, source: string): JSONWebKeySet {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw problem(`${source}: expected a JWK set, found a text that is no JSON`, cause);
  }
  const keys: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'keys') : undefined;
  if (!Array.isArray(keys)) throw problem(`${source}: expected a JWK set with "keys"`);
  if (keys.length > keyLimit) throw problem(`${source}: expected at most ${keyLimit} keys, found ${keys.length}`);
  return { keys };
}

/** Keys come over TLS; this machine may be asked without. */
function checkAddress(url: string): void {
  const { protocol, hostname } = new URL(url);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback)) return;
  throw problem(`${url}: keys are fetched from https addresses only`);
}

function problem(message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code: 'MR_KEY_SET', message, cause });
}
