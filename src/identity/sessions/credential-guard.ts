import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '#core';
import { MillraceError } from '#errors';
import { createTimedCache } from '../users/cache.ts';
import type { User } from '../users/users.ts';
import type { Backoff } from './backoff.ts';

/** Milliseconds for which credentials that were good are not slowed by the failures of others. */
const trust = 5 * 60_000;

/** Credentials of HTTP Basic on their way to be checked. */
export interface Credentials {
  /** Of the tenant that the path names. */
  readonly tenantId: number;
  readonly username: string;
  readonly password: string;
  /** Undefined where the caller's address is not known. */
  readonly address: string | undefined;
}

/** Checks credentials that come with every request: guesses are slowed down, those who know are not. */
export type GuardCredentials = (
  credentials: Credentials,
  verify: () => Promise<User | undefined>,
) => Promise<User | undefined>;

/**
 * Makes the guard. Requests at the same time with the same credentials are one attempt; credentials that were good
 * lately are checked again, but never have to wait.
 *
 * @throws MillraceError `MR_SIGN_IN_WAIT` (429) to who has to wait
 */
export function createCredentialGuard(backoff: Backoff, clock: Clock): GuardCredentials {
  const secret = randomBytes(32);
  const good = createTimedCache<true>(trust, clock);
  const checking = new Map<string, Promise<User | undefined>>();

  const attempt = async (
    digest: string,
    names: { readonly user: readonly string[]; readonly address: readonly string[] },
    verify: () => Promise<User | undefined>,
  ): Promise<User | undefined> => {
    const isTrusted = good.get(digest) === true;
    if (!isTrusted) {
      const milliseconds = backoff.wait([...names.user, ...names.address]);
      if (milliseconds > 0) throw mustWait(milliseconds);
      // Counted as failed until it succeeds, so that guesses at the same time cannot all be the free one.
      backoff.failed(names.user);
    }
    const user = await verify();
    if (user) {
      if (!isTrusted) backoff.succeeded(names.user);
      good.set(digest, true);
      return user;
    }
    good.delete(digest);
    backoff.failed(isTrusted ? [...names.user, ...names.address] : names.address);
    return undefined;
  };

  return ({ tenantId, username, password, address }, verify) => {
    const name = `${tenantId}/${username.toLowerCase()}`;
    const digest = createHmac('sha256', secret).update(`${name}\n${password}`).digest('base64');
    const running = checking.get(digest);
    if (running) return running;
    const names = { user: [`user:${name}`], address: address === undefined ? [] : [`address:${address}`] };
    const check = attempt(digest, names, verify).finally(() => checking.delete(digest));
    checking.set(digest, check);
    return check;
  };
}

function mustWait(milliseconds: number): MillraceError {
  const seconds = Math.ceil(milliseconds / 1000);
  const message = `Too many sign-ins failed; try again in ${seconds} seconds`;
  return new MillraceError({ code: 'MR_SIGN_IN_WAIT', status: 429, message });
}
