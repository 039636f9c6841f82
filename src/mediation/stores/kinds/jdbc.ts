import { dialects, type Database, type DialectName, type SqlRow } from '#db';
import { MillraceError } from '#errors';
import type { MessageStore, StoreEntry } from '../message-store.ts';
import { pageOf, readCursor } from '../store-page.ts';
import { readDocument, writeDocument } from '../stored-document.ts';
import type { StoredMessage } from '../stored-message.ts';

export interface JdbcStoreOptions {
  readonly name: string;
  readonly className: string;
  readonly table: string;
  /** Opens the database when it is first needed. */
  readonly database: () => Promise<Database>;
}

/** How the vendors number rows by themselves. */
const numberedColumn: Readonly<Record<DialectName, string>> = {
  sqlite: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  postgresql: 'BIGSERIAL PRIMARY KEY',
  mysql: 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
  mariadb: 'BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
  sqlserver: 'BIGINT IDENTITY(1,1) PRIMARY KEY',
  oracle: 'NUMBER(19) GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  db2: 'BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
};

/** Columns of the table besides `indexId`, `msg_id` and `message`, with what they hold. */
export interface ExtraColumn {
  readonly name: string;
  readonly type: string;
  readonly value: (message: StoredMessage) => number;
}

/** What the tables of JDBC stores have in common: the columns of the original (mediators 9.1). */
export interface MessageTable {
  /** The database, its table made when it was not there. */
  open(): Promise<Database>;
  offer(message: StoredMessage): Promise<void>;
  /** Reads an entry from a row with `indexId` and `message`. */
  entryOf(row: SqlRow): Promise<StoreEntry>;
  find(number: number): Promise<StoreEntry | undefined>;
  remove(number: number): Promise<boolean>;
  clear(): Promise<void>;
  size(): Promise<number>;
}

/** Makes the access to a table of messages. */
export function openMessageTable({ table, database }: JdbcStoreOptions, extra?: ExtraColumn): MessageTable {
  let ready: Promise<Database> | undefined;
  const open = (): Promise<Database> => {
    ready ??= createTable();
    // A database that cannot be reached now may be there for the next message.
    ready.catch(() => {
      ready = undefined;
    });
    return ready;
  };
  const createTable = async (): Promise<Database> => {
    const opened = await database();
    const { types } = dialects[opened.dialect];
    const column = extra ? `, ${extra.name} ${extra.type}` : '';
    await opened.run(
      `CREATE TABLE IF NOT EXISTS ${table} (indexId ${numberedColumn[opened.dialect]}, ` +
        `msg_id VARCHAR(200) NOT NULL, message ${types.bytes} NOT NULL${column})`,
    );
    return opened;
  };
  const entryOf = async (row: SqlRow): Promise<StoreEntry> => {
    const { indexid, message } = lowered(row);
    const text = Buffer.from(message as Uint8Array).toString('utf8');
    return { number: Number(indexid), message: await readDocument(text) };
  };
  return {
    open,
    entryOf,
    async offer(message) {
      const opened = await open();
      const bytes = Buffer.from(writeDocument(message));
      const columns = extra ? `, ${extra.name}` : '';
      await opened.run(
        `INSERT INTO ${table} (msg_id, message${columns}) VALUES (?, ?${extra ? ', ?' : ''})`,
        extra ? [message.id, bytes, extra.value(message)] : [message.id, bytes],
      );
    },
    async find(number) {
      const row = await (await open()).get(`SELECT indexId, message FROM ${table} WHERE indexId = ?`, [number]);
      return row && entryOf(row);
    },
    async remove(number) {
      const { changes } = await (await open()).run(`DELETE FROM ${table} WHERE indexId = ?`, [number]);
      return changes > 0;
    },
    async clear() {
      await (await open()).run(`DELETE FROM ${table}`);
    },
    async size() {
      const row = await (await open()).get(`SELECT COUNT(*) AS total FROM ${table}`);
      return Number(row?.['total'] ?? 0);
    },
  };
}

/** A store in a table of a database: what was offered survives everything that the database survives. */
export function createJdbcStore(options: JdbcStoreOptions): MessageStore {
  const { name, className, table } = options;
  const messages = openMessageTable(options);
  return {
    name,
    className,
    offer: (message) => messages.offer(message),
    async peek(besides) {
      const database = await messages.open();
      const row = await database.get(
        `SELECT indexId, message FROM ${table} ${exceptNumbers(besides)} ORDER BY indexId LIMIT 1`,
      );
      return row && messages.entryOf(row);
    },
    remove: (number) => messages.remove(number),
    clear: () => messages.clear(),
    size: () => messages.size(),
    async list({ limit, cursor }) {
      const [after = 0] = readCursor(cursor, 1);
      const database = await messages.open();
      const rows = await database.all(
        `SELECT indexId, message FROM ${table} WHERE indexId > ? ORDER BY indexId LIMIT ${Math.trunc(limit) + 1}`,
        [after],
      );
      const found = await Promise.all(rows.map((row) => messages.entryOf(row)));
      return pageOf(found, limit, ({ number }) => String(number));
    },
    find: (number) => messages.find(number),
  };
}

/** The condition that leaves entries out with which somebody is busy: a handful of numbers of our own. */
export function exceptNumbers(numbers: ReadonlySet<number>): string {
  return numbers.size === 0 ? '' : `WHERE indexId NOT IN (${[...numbers].map((each) => Math.trunc(each)).join(', ')})`;
}

/** A name that can stand in a statement as it is. @throws MillraceError `MR_STORE_TABLE` */
export function tableName(text: string): string {
  if (/^[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)?$/.test(text)) return text;
  throw new MillraceError({ code: 'MR_STORE_TABLE', message: `"${text.slice(0, 80)}" is no name of a table` });
}

/** Databases give names of columns back in the case that they prefer. */
export function lowered(row: SqlRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column.toLowerCase(), value]));
}
