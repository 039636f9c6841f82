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

/** Who is signed in, by the hash of the token. The processes of a node have one of these. */
export interface SessionShelf {
  /** False when there are too many. */
  keep(hash: string, session: Session, settings: TokenSettings): boolean | Promise<boolean>;
  find(hash: string): Account | undefined | Promise<Account | undefined>;
  drop(hash: string): void | Promise<void>;
}

export interface Session {
  readonly value: Account;
  readonly until: number;
}

/** The tokens of those who signed in. */
export interface Tokens {
  /** @throws MillraceError 500 when there are too many */
  issue(account: Account, issuer: string): Promise<string>;
  /** Whose token it is; undefined when it is none or has expired. */
  find(token: string): Promise<Account | undefined>;
  revoke(token: string): Promise<void>;
}

const makeKeyPair = promisify(generateKeyPair);

/**
 * Issues tokens (management 1.2). A token is a JWT signed with a key of this process; callers take it as it is, and
 * this side knows it by its hash.
 */
export function createTokens(settings: TokenSettings, clock: Clock, shelf: SessionShelf): Tokens {
  let key: Promise<KeyObject> | undefined;
  const keyId = randomUUID();
  const signingKey = (): Promise<KeyObject> => {
    key ??= makeKeyPair('rsa', { modulusLength: settings.keySize }).then(({ privateKey }) => privateKey);
    return key;
  };
  return {
    async issue(account, issuer) {
      const privateKey = await signingKey();
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
      if (!(await shelf.keep(hashOf(token), { value: account, until }, settings))) {
        throw refusal(500, `There are ${settings.maxSize} sessions already; sign out of one of them first`);
      }
      return token;
    },
    find: async (token) => shelf.find(hashOf(token)),
    revoke: async (token) => shelf.drop(hashOf(token)),
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
