import { type Clock, systemClock } from '#core';
import type { Database, Transaction } from './database.ts';

/** Something that other nodes, indexes or mails must hear of. */
export interface Change {
  readonly tenant: string;
  /** What kind of change, such as `token.revoked`. */
  readonly topic: string;
  /** What changed. */
  readonly key: string;
  /** JSON; null when topic and key say everything. */
  readonly payload: string | null;
}

export interface ChangeRecord extends Change {
  /** Grows with each change. */
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface ChangeRow extends Readonly<Record<string, unknown>> {
  readonly sequence: number;
  readonly at: number;
  readonly tenant: string;
  readonly topic: string;
  readonly change_key: string;
  readonly payload: string | null;
}

/** Writes a change in the transaction that makes it, so that neither is there without the other; gives its number. */
export async function appendChange(
  transaction: Transaction,
  change: Change,
  clock: Clock = systemClock,
): Promise<number> {
  const { insertId } = await transaction.run(
    'INSERT INTO mr_change_log (at, tenant, topic, change_key, payload) VALUES (?, ?, ?, ?, ?)',
    [clock.now(), change.tenant, change.topic, change.key, change.payload],
  );
  return insertId;
}

/** The changes after a number, of all tenants, oldest first, at most `limit` of them. */
export async function readChanges(database: Database, after: number, limit: number): Promise<readonly ChangeRecord[]> {
  const rows = (await database.all(
    `SELECT sequence, at, tenant, topic, change_key, payload FROM mr_change_log WHERE sequence > ? ` +
      `ORDER BY sequence LIMIT ${Math.trunc(limit)}`,
    [after],
  )) as readonly ChangeRow[];
  return rows.map(recordOf);
}

/** The changes of these numbers that are there, of all tenants, oldest first. */
export async function readChangesAt(
  database: Database,
  sequences: readonly number[],
): Promise<readonly ChangeRecord[]> {
  const places = sequences.map(() => '?').join(', ');
  const rows = (await database.all(
    `SELECT sequence, at, tenant, topic, change_key, payload FROM mr_change_log WHERE sequence IN (${places}) ` +
      'ORDER BY sequence',
    sequences,
  )) as readonly ChangeRow[];
  return rows.map(recordOf);
}

function recordOf({ change_key: key, ...row }: ChangeRow): ChangeRecord {
  return { ...row, key };
}

/** The number of the newest change, from which a reader that knows the present state goes on; 0 when there is none. */
export async function lastChange(database: Database): Promise<number> {
  const row = await database.get('SELECT MAX(sequence) AS last FROM mr_change_log');
  return (row?.['last'] as number | null | undefined) ?? 0;
}

/** Deletes changes that are older than `before` (milliseconds since the epoch). For a worker, not for a message. */
export async function pruneChanges(database: Database, before: number): Promise<number> {
  const { changes } = await database.run('DELETE FROM mr_change_log WHERE at < ?', [before]);
  return changes;
}
