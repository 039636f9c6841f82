import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Account } from './permissions.ts';

/** Who may sign in to the management API. */
export interface Accounts {
  /** Undefined for wrong names and wrong passwords alike. */
  signIn(name: string, password: string): Promise<Account | undefined>;
}

/** An account of the configuration file. */
export interface ConfiguredUser {
  readonly name: string;
  readonly password: string;
  readonly isAdmin: boolean;
}

/** Accounts of `[[internal_apis.users]]`; passwords are kept as salted hashes for as long as the process lives. */
export function createFileAccounts(users: readonly ConfiguredUser[]): Accounts {
  const salt = randomBytes(32);
  const hashOf = (text: string): Buffer => createHash('sha512').update(salt).update(text).digest();
  const known = users.map(({ name, password, isAdmin }) => ({ name, isAdmin, hash: hashOf(password) }));
  return {
    async signIn(name, password) {
      const found = hashOf(password);
      let account: Account | undefined;
      // All are compared, so that the time of an answer says nothing.
      for (const user of known) {
        const isRight = timingSafeEqual(user.hash, found);
        if (isRight && user.name === name) account = { name, isAdmin: user.isAdmin };
      }
      return account;
    },
  };
}

/** Asks several in turn until one knows the caller. */
export function firstOf(all: readonly Accounts[]): Accounts {
  return {
    async signIn(name, password) {
      for (const accounts of all) {
        const account = await accounts.signIn(name, password);
        if (account) return account;
      }
      return undefined;
    },
  };
}
