import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#core';
import type { Database } from '#db';
import { hashOf } from './session-store.ts';

/** For what a request waits; a key of one kind is unknown as one of another. */
export type WaitingKind = 'login' | 'consent' | 'logout';

/**
 * Requests that wait for a user, by a random key in the address, such as `sessionDataKey` (identity 2.2). Only the
 * browser that began one can go on with it.
 */
export interface WaitingRequests {
  /** Keeps a document; gives its key. */
  add(kind: WaitingKind, browser: string, document: unknown): Promise<string>;
  find<T>(kind: WaitingKind, key: string, browser: string | undefined): Promise<T | undefined>;
  replace(key: string, document: unknown): Promise<void>;
  /** Finds and removes in one: of two that try at the same time one gets it. */
  take<T>(kind: WaitingKind, key: string, browser: string | undefined): Promise<T | undefined>;
}

/** How long a user may think. */
const patience = 15 * 60_000;

export function createWaitingRequests(database: Database, clock: Clock): WaitingRequests {
  const find = async <T>(kind: WaitingKind, key: string, browser: string | undefined): Promise<T | undefined> => {
    if (browser === undefined) return undefined;
    const row = await database.get('SELECT * FROM mr_waiting_request WHERE hash = ?', [hashOf(key)]);
    if (!row || row['kind'] !== kind || Number(row['expires']) <= clock.now()) return undefined;
    return row['browser'] === hashOf(browser) ? (JSON.parse(String(row['document'])) as T) : undefined;
  };
  return {
    async add(kind, browser, document) {
      const key = randomBytes(32).toString('base64url');
      await database.run(
        'INSERT INTO mr_waiting_request (hash, browser, kind, document, expires) VALUES (?, ?, ?, ?, ?)',
        [hashOf(key), hashOf(browser), kind, JSON.stringify(document), clock.now() + patience],
      );
      return key;
    },
    find,
    async replace(key, document) {
      const sql = 'UPDATE mr_waiting_request SET document = ? WHERE hash = ?';
      await database.run(sql, [JSON.stringify(document), hashOf(key)]);
    },
    async take<T>(kind: WaitingKind, key: string, browser: string | undefined) {
      const found = await find<T>(kind, key, browser);
      if (found === undefined) return undefined;
      const { changes } = await database.run('DELETE FROM mr_waiting_request WHERE hash = ?', [hashOf(key)]);
      return changes === 1 ? found : undefined;
    },
  };
}

/** A new value of the cookie that tells browsers apart. */
export function newBrowser(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The token of a form (CSRF): it follows from the browser's cookie, which no other site can read or, for its `__Host-`
 * prefix, set; and from the form, so that one form's token is good for no other.
 */
export function formToken(browser: string, form: string): string {
  return createHash('sha256').update(`form:${browser}:${form}`).digest('base64url');
}

export function isFormToken(given: string | undefined, browser: string | undefined, form: string): boolean {
  if (given === undefined || browser === undefined) return false;
  const expected = Buffer.from(formToken(browser, form));
  const found = Buffer.from(given);
  return found.length === expected.length && timingSafeEqual(found, expected);
}
