import { newRowId, type Clock } from '#core';
import type { Database, SqlRow } from '#db';
import type { Sealing } from '../sealing.ts';
import type { NotifyTenant } from '../tenant.ts';

/** What is sent, apart from what the publisher says at the time of sending. */
export interface JobDocument {
  readonly publisher: string;
  readonly domain: string;
  readonly body: string;
  readonly contentType: string;
  readonly values: Readonly<Record<string, string>>;
}

/** A message that waits. */
export interface Job extends JobDocument {
  readonly id: string;
  readonly tenantId: number;
  /** Tenant and publisher: what shares a receiver. */
  readonly lane: string;
  readonly attempts: number;
  readonly created: number;
}

/** A message that was given up. */
export interface DeadLetter {
  readonly id: string;
  readonly lane: string;
  readonly attempts: number;
  readonly created: number;
  readonly died: number;
  readonly reason: string;
}

export interface QueueStore {
  /** Keeps messages, all or none; once this resolves they are not lost. */
  add(tenant: NotifyTenant, documents: readonly JobDocument[]): Promise<readonly string[]>;
  /** Messages that are due, oldest first, without those of the lanes that are full. */
  due(limit: number, fullLanes: readonly string[]): Promise<readonly Job[]>;
  /** When the next message is due; undefined when none waits. */
  nextDue(): Promise<number | undefined>;
  waiting(): Promise<number>;
  done(job: Job): Promise<void>;
  /** Waits for another attempt. */
  postpone(job: Job, due: number): Promise<void>;
  bury(job: Job, reason: string): Promise<void>;
  dead(limit: number): Promise<readonly DeadLetter[]>;
  /** Puts a dead message back into the queue; false when there is none of this id. */
  revive(id: string): Promise<boolean>;
  prune(before: number): Promise<number>;
}

export interface QueueStoreParts {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly clock: Clock;
}

/** The queue and the dead letters in the database; what they say is sealed. */
export function createQueueStore({ database, sealing, clock }: QueueStoreParts): QueueStore {
  const jobOf = (row: SqlRow): Job => ({
    ...(JSON.parse(sealing.open(String(row['document']))) as JobDocument),
    id: String(row['id']),
    tenantId: Number(row['tenant']),
    lane: String(row['lane']),
    attempts: Number(row['attempts']),
    created: Number(row['created']),
  });
  return {
    async add(tenant, documents) {
      const now = clock.now();
      const rows = documents.map((document) => ({ id: newRowId(), document }));
      await database.transaction(async (transaction) => {
        for (const { id, document } of rows) {
          await transaction.run(
            'INSERT INTO mr_notification_job (id, tenant, lane, document, attempts, due, created) VALUES (?, ?, ?, ?, 0, ?, ?)',
            [id, tenant.id, laneOf(document), sealing.seal(JSON.stringify(document)), now, now],
          );
        }
      });
      return rows.map(({ id }) => id);
    },
    async due(limit, fullLanes) {
      const others = fullLanes.length === 0 ? '' : ` AND lane NOT IN (${fullLanes.map(() => '?').join(', ')})`;
      const rows = await database.all(
        `SELECT id, tenant, lane, document, attempts, created FROM mr_notification_job WHERE due <= ?${others} ` +
          `ORDER BY due, id LIMIT ${Math.trunc(limit)}`,
        [clock.now(), ...fullLanes],
      );
      return rows.map(jobOf);
    },
    async nextDue() {
      const row = await database.get('SELECT MIN(due) AS next FROM mr_notification_job');
      const next = row?.['next'];
      return next === null || next === undefined ? undefined : Number(next);
    },
    async waiting() {
      const row = await database.get('SELECT COUNT(*) AS waiting FROM mr_notification_job');
      return Number(row?.['waiting'] ?? 0);
    },
    async done({ id }) {
      await database.run('DELETE FROM mr_notification_job WHERE id = ?', [id]);
    },
    async postpone({ id, attempts }, due) {
      await database.run('UPDATE mr_notification_job SET attempts = ?, due = ? WHERE id = ?', [attempts + 1, due, id]);
    },
    async bury(job, reason) {
      await database.transaction(async (transaction) => {
        await transaction.run(
          'INSERT INTO mr_notification_dead (id, tenant, lane, document, attempts, created, died, reason) ' +
            'SELECT id, tenant, lane, document, ?, created, ?, ? FROM mr_notification_job WHERE id = ?',
          [job.attempts + 1, clock.now(), reason, job.id],
        );
        await transaction.run('DELETE FROM mr_notification_job WHERE id = ?', [job.id]);
      });
    },
    async dead(limit) {
      const rows = await database.all(
        `SELECT id, lane, attempts, created, died, reason FROM mr_notification_dead ORDER BY died DESC LIMIT ${Math.trunc(limit)}`,
      );
      return rows.map((row) => ({
        id: String(row['id']),
        lane: String(row['lane']),
        attempts: Number(row['attempts']),
        created: Number(row['created']),
        died: Number(row['died']),
        reason: String(row['reason']),
      }));
    },
    revive: (id) =>
      database.transaction(async (transaction) => {
        const { changes } = await transaction.run(
          'INSERT INTO mr_notification_job (id, tenant, lane, document, attempts, due, created) ' +
            'SELECT id, tenant, lane, document, 0, ?, created FROM mr_notification_dead WHERE id = ?',
          [clock.now(), id],
        );
        await transaction.run('DELETE FROM mr_notification_dead WHERE id = ?', [id]);
        return changes === 1;
      }),
    async prune(before) {
      const { changes } = await database.run('DELETE FROM mr_notification_dead WHERE died < ?', [before]);
      return changes;
    },
  };
}

function laneOf({ domain, publisher }: JobDocument): string {
  return `${domain}:${publisher}`;
}
