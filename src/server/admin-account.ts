import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Home } from '#core';
import { superAdmin, type Config } from '#config';
import { MillraceError } from '#errors';

const derive = promisify<Buffer, Buffer, number, Buffer>(scrypt);

/** The first administrator of a home. */
export interface AdminAccount {
  readonly username: string;
  /** False when the account was never made here: it must be one of the users then. */
  readonly exists: boolean;
  /** True when the password came from the configuration or was changed, not made up at the first start. */
  readonly passwordWasSet: boolean;
  /** The password as user stores keep it (RFC 7914, Node's usual costs). */
  readonly passwordHash: string;
  /** The role that may do everything. */
  readonly role: string;
  verify(username: string, password: string): Promise<boolean>;
}

/** What the first start made up, to be shown once. */
export interface InitialPassword {
  readonly username: string;
  readonly password: string;
}

interface StoredAccount {
  readonly username: string;
  readonly salt: string;
  readonly hash: string;
  readonly isInitial: boolean;
}

/** The file to which the made-up password is written when nobody sits at a terminal. */
export function initialPasswordFile(home: Home): string {
  return join(home.security, 'initial-admin');
}

/**
 * Opens the administrator's account of a home, making it at the first start. A password in the configuration wins;
 * without one a random password is made, stored hashed, and given back so that it can be shown once.
 * When `super_admin.create_admin_account` is false and there is no account, none is made.
 */
export async function openAdminAccount(
  home: Home,
  config: Config,
): Promise<{ account: AdminAccount; initial: InitialPassword | undefined }> {
  const file = join(home.data, 'admin.json');
  const username = config.get(superAdmin.username) ?? 'admin';
  const configured = config.get(superAdmin.password);
  const role = config.get(superAdmin.adminRole);
  const stored = readStored(file);
  if (stored && stored.username === username) {
    if (configured === undefined || (await matches(stored, configured))) {
      return { account: accountOf(stored, { isConfigured: configured !== undefined, role }), initial: undefined };
    }
  }
  if (!config.get(superAdmin.createAdminAccount)) {
    return { account: noAccount(username, role), initial: undefined };
  }
  const password = configured ?? randomBytes(15).toString('base64url');
  const account = await hashed(username, password, configured === undefined);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(account), { mode: 0o600 });
  if (configured !== undefined) rmSync(initialPasswordFile(home), { force: true });
  return {
    account: accountOf(account, { isConfigured: configured !== undefined, role }),
    initial: configured === undefined ? { username, password } : undefined,
  };
}

function readStored(file: string): StoredAccount | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StoredAccount) : undefined;
}

function accountOf(
  stored: StoredAccount,
  { isConfigured, role }: { readonly isConfigured: boolean; readonly role: string },
): AdminAccount {
  return {
    username: stored.username,
    exists: true,
    passwordWasSet: isConfigured || !stored.isInitial,
    role,
    passwordHash: `scrypt$16384$8$1$${stored.salt}$${stored.hash}`,
    async verify(username, password) {
      // The hash is computed for unknown names too, so that the time of an answer says nothing.
      const isRight = await matches(stored, password);
      return isRight && username === stored.username;
    },
  };
}

function noAccount(username: string, role: string): AdminAccount {
  return { username, exists: false, passwordWasSet: true, role, passwordHash: '', verify: async () => false };
}

/** @throws MillraceError `MR_ADMIN_MISSING` for a server without users whose administrator does not exist */
export function checkAdminExists({ exists, username }: AdminAccount): void {
  if (exists) return;
  throw new MillraceError({
    code: 'MR_ADMIN_MISSING',
    message: `There is no account "${username}", and super_admin.create_admin_account forbids making it`,
  });
}

async function hashed(username: string, password: string, isInitial: boolean): Promise<StoredAccount> {
  const salt = randomBytes(16);
  const hash = await derive(Buffer.from(password), salt, 32);
  return { username, salt: salt.toString('base64'), hash: hash.toString('base64'), isInitial };
}

async function matches({ salt, hash }: StoredAccount, password: string): Promise<boolean> {
  const wanted = Buffer.from(hash, 'base64');
  const found = await derive(Buffer.from(password), Buffer.from(salt, 'base64'), wanted.length);
  return timingSafeEqual(found, wanted);
}
