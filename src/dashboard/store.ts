import { setImmediate as turn } from 'node:timers/promises';
import { auditTrailLength, getLogger, type AuditRecord, type Clock } from '#core';
import { migrate, openSqlite, type Database, type SqlRow, type SqlValue } from '#db';
import { messageOf } from '#errors';
import { historyLength, type RegistryEvent } from './registry.ts';
import { tierNames, tiers, type KeptRollup } from './rollup-tiers.ts';
import { readRollup, writeRollup } from './store-documents.ts';
import { dashboardSchema } from './store-schema.ts';

/** What the dashboard knew when it ended. */
export interface Kept {
  /** Oldest first for each node and tier. */
  readonly rollups: readonly KeptRollup[];
  /** Bounds of the histograms, in milliseconds. */
  readonly bounds: readonly number[];
  readonly audit: readonly AuditRecord[];
  readonly events: readonly RegistryEvent[];
}

/** What outlives the dashboard. Nobody waits for its writing, which comes in batches. */
export interface DashboardStore extends AsyncDisposable {
  readonly kept: Kept;
  /** Replaces what was told of the node, tier and time before. */
  rollup(rollup: KeptRollup): void;
  bounds(bounds: readonly number[]): void;
  audit(record: AuditRecord): void;
  readonly event: (event: RegistryEvent) => void;
  /** Writes what waits; problems are logged. */
  flush(): Promise<void>;
}

type RecordKind = 'audit' | 'event';

/** Milliseconds between two batches, and rows of one transaction. */
const batchEvery = 15_000;
const batchSize = 200;
const rowsOfPage = 1000;
const recordsKept: Readonly<Record<RecordKind, number>> = { audit: auditTrailLength, event: historyLength };

const log = getLogger('dashboard');

/**
 * Opens the store of a dashboard and reads what it holds. Undefined, with a warning, when it cannot be used: then the
 * dashboard keeps everything in memory.
 */
export async function openDashboardStore(path: string, clock: Clock): Promise<DashboardStore | undefined> {
  let database: Database | undefined;
  try {
    database = openSqlite({ path, clock });
    await migrate(database, [dashboardSchema], clock);
    return createStore(database, clock, await readAll(database, clock));
  } catch (error) {
    log.warn({ file: path, cause: messageOf(error) }, 'the store of the dashboard cannot be used: it keeps nothing');
    await database?.[Symbol.asyncDispose]();
    return undefined;
  }
}

function createStore(database: Database, clock: Clock, kept: Kept): DashboardStore {
  const rollups = new Map<string, KeptRollup>();
  const records: { kind: RecordKind; record: unknown }[] = [];
  let newBounds: readonly number[] | undefined;
  let isWarned = false;
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    const rows = [...rollups.values()].map((each) => rowOf(each));
    rollups.clear();
    if (newBounds) rows.push(['bounds', '', 0, JSON.stringify(newBounds)]);
    newBounds = undefined;
    const added = records.splice(0);
    for (let from = 0; from < Math.max(rows.length, added.length); from += batchSize) {
      await database.transaction(async (transaction) => {
        for (const row of rows.slice(from, from + batchSize)) {
          await transaction.run('DELETE FROM mr_rollup WHERE tier = ? AND node = ? AND at = ?', row.slice(0, 3));
          await transaction.run('INSERT INTO mr_rollup (tier, node, at, document) VALUES (?, ?, ?, ?)', row);
        }
        for (const { kind, record } of added.slice(from, from + batchSize)) {
          const document = JSON.stringify(record);
          await transaction.run('INSERT INTO mr_dashboard_record (kind, document) VALUES (?, ?)', [kind, document]);
        }
      });
      await turn();
    }
    if (rows.length + added.length > 0) await forgetOld(database, clock);
  };
  const flush = (): Promise<void> => {
    writing = writing.then(write).then(
      () => void (isWarned = false),
      (error: unknown) => {
        if (!isWarned) log.warn({ cause: messageOf(error) }, 'the dashboard could not write to its store');
        isWarned = true;
      },
    );
    return writing;
  };
  let stop = (): void => undefined;
  const next = (): void => {
    stop = clock.after(batchEvery, () => {
      void flush();
      next();
    });
  };
  next();
  const add = (kind: RecordKind, record: unknown): void => {
    records.push({ kind, record });
    // A store that cannot be written to must not fill the memory.
    if (records.length > auditTrailLength) records.shift();
  };
  return {
    kept,
    rollup: (each) => void rollups.set(JSON.stringify([each.tier, each.group, each.node, each.rollup.at]), each),
    bounds: (bounds) => void (newBounds = bounds),
    audit: (record) => add('audit', record),
    event: (event) => add('event', event),
    flush,
    async [Symbol.asyncDispose]() {
      stop();
      await flush();
      await database[Symbol.asyncDispose]();
    },
  };
}

function rowOf({ tier, group, node, rollup }: KeptRollup): SqlValue[] {
  return [tier, JSON.stringify([group, node]), rollup.at, writeRollup(rollup)];
}

/** Removes what is older than its tier reaches, and records beyond those that are shown. */
async function forgetOld(database: Database, clock: Clock): Promise<void> {
  for (const [tier, { length, reach }] of Object.entries(tiers)) {
    await database.run('DELETE FROM mr_rollup WHERE tier = ? AND at < ?', [tier, clock.now() - reach - length]);
  }
  for (const [kind, most] of Object.entries(recordsKept)) {
    const first = await database.get(
      'SELECT sequence FROM mr_dashboard_record WHERE kind = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?',
      [kind, most],
    );
    if (!first) continue;
    const { sequence } = first as { sequence: number };
    await database.run('DELETE FROM mr_dashboard_record WHERE kind = ? AND sequence <= ?', [kind, sequence]);
  }
}

async function readAll(database: Database, clock: Clock): Promise<Kept> {
  await forgetOld(database, clock);
  const rollups: KeptRollup[] = [];
  for (const tier of tierNames) {
    let last: readonly SqlValue[] = [-1, ''];
    for (;;) {
      const rows: readonly SqlRow[] = await database.all(
        `SELECT node, at, document FROM mr_rollup WHERE tier = ? AND (at > ? OR (at = ? AND node > ?)) ` +
          `ORDER BY at, node LIMIT ${rowsOfPage}`,
        [tier, last[0] ?? -1, last[0] ?? -1, last[1] ?? ''],
      );
      for (const row of rows as readonly { node: string; at: number; document: string }[]) {
        const [group = '', node = ''] = JSON.parse(row.node) as string[];
        rollups.push({ tier, group, node, rollup: readRollup(row.at, row.document) });
        last = [row.at, row.node];
      }
      if (rows.length < rowsOfPage) break;
      await turn();
    }
  }
  const bounds = (await database.get("SELECT document FROM mr_rollup WHERE tier = 'bounds'")) as
    | { document: string }
    | undefined;
  return {
    rollups,
    bounds: bounds ? (JSON.parse(bounds.document) as number[]) : [],
    audit: (await recordsOf(database, 'audit')) as AuditRecord[],
    events: (await recordsOf(database, 'event')) as RegistryEvent[],
  };
}

async function recordsOf(database: Database, kind: RecordKind): Promise<readonly unknown[]> {
  const rows = await database.all('SELECT document FROM mr_dashboard_record WHERE kind = ? ORDER BY sequence', [kind]);
  return (rows as readonly { document: string }[]).map(({ document }) => JSON.parse(document) as unknown);
}
