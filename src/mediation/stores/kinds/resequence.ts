import type { Clock } from '#core';
import { dialects, type Database } from '#db';
import { MillraceError } from '#errors';
import type { MessageStore, StoreEntry } from '../message-store.ts';
import type { StoredMessage } from '../stored-message.ts';
import { pageOf, readCursor } from '../store-page.ts';
import { exceptNumbers, lowered, openMessageTable, type JdbcStoreOptions } from './jdbc.ts';

export interface ResequenceOptions extends JdbcStoreOptions {
  /** The number of a message in the sequence; no number is refused. */
  readonly idOf: (message: StoredMessage) => number | undefined;
  /** Milliseconds to wait for a number that is missing; negative for ever. */
  readonly timeout: number;
  readonly clock: Clock;
}

/** The table of the original that remembers how far each store has come. */
const progressTable = 'tbl_lastprocessid';

/**
 * A store that gives messages in the order of a number in them: the one after the last that was removed, however late
 * it comes, unless the wait for it has lasted too long (mediators 9.1).
 */
export function createResequenceStore(options: ResequenceOptions): MessageStore {
  const { name, className, table, idOf, timeout, clock } = options;
  const messages = openMessageTable(options, {
    name: 'seq_id',
    type: 'BIGINT NOT NULL',
    value(message) {
      const id = idOf(message);
      if (id !== undefined && Number.isSafeInteger(id)) return id;
      throw new MillraceError({
        code: 'MR_STORE_SEQUENCE',
        message: `The message has no number in the order of ${name}`,
      });
    },
  });
  let isReady = false;
  /** When the wait for the number that comes next began. */
  let waitingSince: number | undefined;

  const open = async (): Promise<Database> => {
    const database = await messages.open();
    if (!isReady) {
      const { types } = dialects[database.dialect];
      await database.run(
        `CREATE TABLE IF NOT EXISTS ${progressTable} (statement ${types.key} NOT NULL PRIMARY KEY, seq_id BIGINT NOT NULL)`,
      );
      isReady = true;
    }
    return database;
  };

  const lastOf = async (database: Database): Promise<number | undefined> => {
    const row = await database.get(`SELECT seq_id AS last FROM ${progressTable} WHERE statement = ?`, [name]);
    return row && Number(row['last']);
  };

  const firstOf = async (database: Database, condition: string): Promise<StoreEntry | undefined> => {
    const row = await database.get(
      `SELECT indexId, message, seq_id FROM ${table} ${condition} ORDER BY seq_id, indexId LIMIT 1`,
    );
    return row && messages.entryOf(row);
  };

  return {
    name,
    className,
    offer: (message) => messages.offer(message),
    async peek(besides) {
      // One message at a time: the next number is known only when the one before has gone.
      if (besides.size > 0) return undefined;
      const database = await open();
      const last = await lastOf(database);
      const next = last === undefined ? undefined : await firstOf(database, `WHERE seq_id <= ${last + 1}`);
      const any = next ?? (await firstOf(database, exceptNumbers(besides)));
      if (!any || next) {
        waitingSince = undefined;
        return next;
      }
      waitingSince ??= clock.monotonic();
      // Before the first delivery only waiting shows which number is the smallest.
      const isOver = timeout >= 0 && clock.monotonic() - waitingSince >= timeout;
      if (!isOver && !(last === undefined && timeout < 0)) return undefined;
      return any;
    },
    async remove(number) {
      const database = await open();
      const row = await database.get(`SELECT seq_id AS id FROM ${table} WHERE indexId = ?`, [number]);
      if (!row) return false;
      waitingSince = undefined;
      const id = Number(row['id']);
      return database.transaction(async (transaction) => {
        const { changes } = await transaction.run(`DELETE FROM ${table} WHERE indexId = ?`, [number]);
        // A message that came after its turn does not move the order back.
        const moved = await transaction.run(
          `UPDATE ${progressTable} SET seq_id = CASE WHEN seq_id < ? THEN ? ELSE seq_id END WHERE statement = ?`,
          [id, id, name],
        );
        if (moved.changes === 0) {
          await transaction.run(`INSERT INTO ${progressTable} (statement, seq_id) VALUES (?, ?)`, [name, id]);
        }
        return changes > 0;
      });
    },
    clear: () => messages.clear(),
    size: () => messages.size(),
    async list({ limit, cursor }) {
      const [id = 0, number = 0] = readCursor(cursor, 2);
      const database = await open();
      const rows = await database.all(
        `SELECT indexId, message, seq_id FROM ${table} ` +
          (cursor === undefined ? '' : 'WHERE seq_id > ? OR (seq_id = ? AND indexId > ?) ') +
          `ORDER BY seq_id, indexId LIMIT ${Math.trunc(limit) + 1}`,
        cursor === undefined ? [] : [id, id, number],
      );
      const { entries, ...rest } = pageOf(
        rows.map(lowered),
        limit,
        (row) => `${Number(row['seq_id'])}.${Number(row['indexid'])}`,
      );
      return { entries: await Promise.all(entries.map((row) => messages.entryOf(row))), ...rest };
    },
    find: (number) => messages.find(number),
  };
}
