import { createHash, generateKeyPair, randomUUID, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '#core';
import { refusal } from './conventions.ts';
import type { Account } from './permissions.ts';

export interface TokenSettings {
  /** Most tokens that live at once. */
  readonly maxSize: number;
  /** Milliseconds between clean-ups. */
  readonly cleanUpInterval: number;
  /** True drops the token that was not used for the longest time when there are too many; false refuses sign-in. */
  readonly removesOldest: boolean;
  /** Seconds. */
  readonly expiry: number;
  /** Bits of the key that signs. */
  readonly keySize: number;
}

/** The tokens of those who signed in. */
export interface Tokens extends Disposable {
  /** @throws MillraceError 500 when there are too many */
  issue(account: Account, issuer: string): Promise<string>;
  /** Whose token it is; undefined when it is none or has expired. */
  find(token: string): Account | undefined;
  revoke(token: string): void;
  /** Tokens that are kept, expired ones included until the next clean-up. */
  readonly count: number;
}

interface Kept {
  readonly account: Account;
  readonly until: number;
}

const makeKeyPair = promisify(generateKeyPair);

/**
 * Keeps tokens in memory (management 1.2). A token is a JWT signed with a key of this process; callers take it as it
 * is, and this side knows it by its hash.
 */
export function createTokens(settings: TokenSettings, clock: Clock): Tokens {
  /** In the order of their last use. */
  const kept = new Map<string, Kept>();
  let key: Promise<KeyObject> | undefined;
  const keyId = randomUUID();

  const dropExpired = (): void => {
    for (const [hash, { until }] of kept) if (until <= clock.now()) kept.delete(hash);
  };
  let cancelSweep = (): void => undefined;
  const sweepLater = (): void => {
    cancelSweep = clock.after(settings.cleanUpInterval, () => {
      dropExpired();
      sweepLater();
    });
  };
  sweepLater();

  const signingKey = (): Promise<KeyObject> => {
    key ??= makeKeyPair('rsa', { modulusLength: settings.keySize }).then(({ privateKey }) => privateKey);
    return key;
  };

  return {
    async issue(account, issuer) {
      const privateKey = await signingKey();
      if (kept.size >= settings.maxSize) dropExpired();
      if (kept.size >= settings.maxSize) {
        const [oldest] = kept.keys();
        if (!settings.removesOldest || oldest === undefined) {
          throw refusal(500, `There are ${kept.size} sessions already; sign out of one of them first`);
        }
        kept.delete(oldest);
      }
      const now = clock.now();
      const until = now + settings.expiry * 1000;
      const token = signed(privateKey, keyId, {
        iss: issuer,
        sub: account.name,
        iat: Math.floor(now / 1000),
        exp: Math.floor(until / 1000),
        scope: account.isAdmin ? 'admin' : 'default',
        jti: randomUUID(),
      });
      kept.set(hashOf(token), { account, until });
      return token;
    },
    find(token) {
      const hash = hashOf(token);
      const found = kept.get(hash);
      if (!found) return undefined;
      kept.delete(hash);
      if (found.until <= clock.now()) return undefined;
      kept.set(hash, found);
      return found.account;
    },
    get count() {
      return kept.size;
    },
    revoke: (token) => void kept.delete(hashOf(token)),
    [Symbol.dispose]: () => cancelSweep(),
  };
}

function signed(key: KeyObject, kid: string, claims: Readonly<Record<string, unknown>>): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
