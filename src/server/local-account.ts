import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Home } from '#core';

/** The account with which the parts of one home sign in to each other, so that they need no password of a person. */
export interface LocalAccount {
  readonly username: string;
  readonly password: string;
}

const username = 'millrace.local';

/** The account of a home; its random password lies in a file that only the owner can read. */
export function openLocalAccount(home: Home): LocalAccount {
  const file = fileOf(home);
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 });
  }
  return { username, password: readFileSync(file, 'utf8').trim() };
}

/** Whether somebody signs in with the account of the home; false where no part has made it. */
export function isLocalAccount(home: Home, name: string, password: string): boolean {
  if (name !== username || !existsSync(fileOf(home))) return false;
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(openLocalAccount(home).password), hash(password));
}

function fileOf(home: Home): string {
  return join(home.data, 'local-account');
}
