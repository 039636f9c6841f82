import { randomInt, randomUUID } from 'node:crypto';
import type { Clock } from '#core';
import type { Database } from '#db';
import { MillraceError } from '#errors';
import { hashOf } from '../sessions/session-store.ts';
import type { Authentication } from './authentication.ts';
import type { Subject } from './tokens.ts';

/** What a user has allowed a device. */
export interface DeviceApproval {
  readonly subject: Subject;
  readonly scopes: readonly string[];
  readonly authenticatedAt: number;
  readonly sessionId: string;
  readonly authentication: Authentication;
}

export type Poll =
  | { readonly state: 'unknown' | 'pending' | 'early' | 'denied' | 'expired' }
  | { readonly state: 'approved'; readonly approval: DeviceApproval };

/** The codes of devices that wait for a user (RFC 8628, identity 2.9). */
export interface DeviceCodes {
  create(
    clientId: string,
    scopes: readonly string[],
  ): Promise<{ readonly deviceCode: string; readonly userCode: string }>;
  /** The device whose code a user has typed; undefined when it is unknown, has ended or was entered before. */
  enter(userCode: string): Promise<{ id: string; clientId: string; scopes: readonly string[] } | undefined>;
  approve(id: string, approval: DeviceApproval): Promise<void>;
  deny(id: string): Promise<void>;
  /** Asks for a device. Of several that ask at the same time after the approval one gets it. */
  poll(deviceCode: string, clientId: string): Promise<Poll>;
}

/** Milliseconds that a code lives, and seconds between two polls. */
export const deviceCodeLifetime = 600_000;
export const pollInterval = 5;

/** RFC 8628 §6.1: consonants alone make no words and are hard to confuse; 20^8 are enough with slowed guesses. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

export function createDeviceCodes(database: Database, clock: Clock): DeviceCodes {
  const decide = async (id: string, state: 'AUTHORIZED' | 'DENIED', approval?: DeviceApproval): Promise<void> => {
    const sql = "UPDATE mr_device_code SET state = ?, document = ? WHERE hash = ? AND state = 'PENDING'";
    await database.run(sql, [state, approval ? JSON.stringify(approval) : null, id]);
  };
  /** Uses an approval up; false when another question was faster. */
  const redeem = async (id: string): Promise<boolean> => {
    const sql = "UPDATE mr_device_code SET state = 'EXPIRED', document = NULL WHERE hash = ? AND state = 'AUTHORIZED'";
    return (await database.run(sql, [id])).changes === 1;
  };
  return {
    async create(clientId, scopes) {
      const deviceCode = randomUUID();
      for (let attempt = 0; ; attempt++) {
        const userCode = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
        try {
          await database.run(
            'INSERT INTO mr_device_code (hash, user_code, client_id, scopes, state, document, poll_interval, polled, expires) ' +
              "VALUES (?, ?, ?, ?, 'PENDING', NULL, ?, 0, ?)",
            [
              hashOf(deviceCode),
              hashOf(userCode),
              clientId,
              JSON.stringify(scopes),
              pollInterval,
              clock.now() + deviceCodeLifetime,
            ],
          );
          return { deviceCode, userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}` };
        } catch (error) {
          const isTaken = error instanceof MillraceError && error.code === 'MR_DB_CONSTRAINT';
          if (!isTaken || attempt >= 5) throw error;
        }
      }
    },
    async enter(userCode) {
      const normal = userCode.toUpperCase().replaceAll(/[\s-]/g, '');
      const row = await database.get('SELECT * FROM mr_device_code WHERE user_code = ?', [hashOf(normal)]);
      if (!row || row['state'] !== 'PENDING' || Number(row['expires']) <= clock.now()) return undefined;
      const id = String(row['hash']);
      return { id, clientId: String(row['client_id']), scopes: JSON.parse(String(row['scopes'])) as readonly string[] };
    },
    approve: (id, approval) => decide(id, 'AUTHORIZED', approval),
    deny: (id) => decide(id, 'DENIED'),
    async poll(deviceCode, clientId) {
      const id = hashOf(deviceCode);
      const row = await database.get('SELECT * FROM mr_device_code WHERE hash = ?', [id]);
      if (!row || row['client_id'] !== clientId) return { state: 'unknown' };
      const now = clock.now();
      if (row['state'] === 'EXPIRED' || Number(row['expires']) <= now) return { state: 'expired' };
      if (row['state'] === 'DENIED') return { state: 'denied' };
      if (row['state'] === 'AUTHORIZED') {
        const approval = JSON.parse(String(row['document'])) as DeviceApproval;
        return (await redeem(id)) ? { state: 'approved', approval } : { state: 'expired' };
      }
      const interval = Number(row['poll_interval']);
      const isEarly = now - Number(row['polled']) < interval * 1000;
      // RFC 8628 §3.5: whoever is too early has to wait five seconds longer from then on.
      await database.run('UPDATE mr_device_code SET polled = ?, poll_interval = ? WHERE hash = ?', [
        now,
        isEarly ? interval + 5 : interval,
        id,
      ]);
      return { state: isEarly ? 'early' : 'pending' };
    },
  };
}
