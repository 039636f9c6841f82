import { randomUUID } from 'node:crypto';
import type { Clock } from '#core';
import type { Database } from '#db';
import { hashOf } from '../sessions/session-store.ts';

/** Begin of the references to pushed requests (RFC 9126 §2.2). */
export const requestUriPrefix = 'urn:ietf:params:oauth:par:request_uri:';

/** Milliseconds within which a pushed request has to be used. */
export const pushedLifetime = 60_000;

/** Authorization requests that clients have left here beforehand. */
export interface PushedRequests {
  add(clientId: string, parameters: ReadonlyMap<string, string>): Promise<string>;
  /** Uses a request up; undefined for unknown, ended and used ones, and for those of another client. */
  take(reference: string, clientId: string): Promise<ReadonlyMap<string, string> | undefined>;
}

export function createPushedRequests(database: Database, clock: Clock): PushedRequests {
  return {
    async add(clientId, parameters) {
      const reference = requestUriPrefix + randomUUID();
      await database.run('INSERT INTO mr_pushed_request (hash, client_id, document, expires) VALUES (?, ?, ?, ?)', [
        hashOf(reference),
        clientId,
        JSON.stringify([...parameters]),
        clock.now() + pushedLifetime,
      ]);
      return reference;
    },
    async take(reference, clientId) {
      const hash = hashOf(reference);
      const row = await database.get('SELECT * FROM mr_pushed_request WHERE hash = ?', [hash]);
      // Another client's attempt must not spoil the request of the one that pushed it.
      if (!row || row['client_id'] !== clientId) return undefined;
      const { changes } = await database.run('DELETE FROM mr_pushed_request WHERE hash = ?', [hash]);
      if (changes === 0 || Number(row['expires']) <= clock.now()) return undefined;
      return new Map(JSON.parse(String(row['document'])) as [string, string][]);
    },
  };
}
