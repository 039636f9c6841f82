import { createHash } from 'node:crypto';
import { type Clock, getLogger, systemClock } from '#core';
import { MillraceError } from '#errors';
import type { Database, SqlRow, Transaction } from './database.ts';
import type { ColumnTypes } from './dialects/dialect.ts';
import { dialects } from './dialects/index.ts';

/** One step of a schema; never changed once it was released. */
export interface Migration {
  readonly name: string;
  readonly statements: (types: ColumnTypes) => readonly string[];
}

/** The steps of one area's tables, in order; the first is version 1. */
export interface Schema {
  readonly area: string;
  readonly migrations: readonly Migration[];
}

/** What a database has of a schema. */
export interface SchemaStatus {
  readonly area: string;
  /** Steps that were applied. */
  readonly version: number;
  /** Names of the steps that are missing. */
  readonly pending: readonly string[];
}

interface AppliedRow extends Readonly<Record<string, unknown>> {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

const log = getLogger('db');

/**
 * Brings the tables of the schemas to their newest version, forward only, in one transaction under a lock.
 *
 * @throws MillraceError `MR_DB_SCHEMA_NEWER` when the database has steps that this program does not know,
 *   `MR_DB_SCHEMA_CHANGED` when a step was applied that reads otherwise here
 */
export async function migrate(
  database: Database,
  schemas: readonly Schema[],
  clock: Clock = systemClock,
): Promise<void> {
  const { types, migrationLock, migrationUnlock } = dialects[database.dialect];
  const changed: string[] = [];
  await database.transaction(async (transaction) => {
    for (const statement of migrationLock) refuseTimeout(await transaction.get(statement));
    try {
      await applyMissing(transaction);
    } finally {
      if (migrationUnlock !== undefined) await transaction.run(migrationUnlock);
    }
  });
  if (changed.length > 0) log.info({ schemas: changed }, 'the tables were brought up to date');

  async function applyMissing(transaction: Transaction): Promise<void> {
    await createSchemaTable(transaction, types);
    for (const schema of schemas) {
      const applied = await readApplied(transaction, schema, types);
      if (applied < schema.migrations.length) changed.push(`${schema.area} ${applied} → ${schema.migrations.length}`);
      for (const [index, migration] of schema.migrations.entries()) {
        if (index < applied) continue;
        for (const statement of migration.statements(types)) await transaction.run(statement);
        await transaction.run(
          'INSERT INTO mr_schema (area, version, name, checksum, applied_at) VALUES (?, ?, ?, ?, ?)',
          [schema.area, index + 1, migration.name, checksumOf(migration, types), clock.now()],
        );
        log.debug({ schema: schema.area, version: index + 1, name: migration.name }, 'migration applied');
      }
    }
  }
}

/** A lock that was waited for in vain is a row with 0 in it. */
function refuseTimeout(answer: SqlRow | undefined): void {
  if (Object.values(answer ?? {})[0] !== 0) return;
  throw new MillraceError({ code: 'MR_DB_BUSY', status: 503, message: 'Another node is changing the tables' });
}

/**
 * What the database has of the schemas; checks as `migrate` does and makes no table but `mr_schema`.
 *
 * @throws MillraceError as `migrate`
 */
export async function schemaStatus(database: Database, schemas: readonly Schema[]): Promise<readonly SchemaStatus[]> {
  const { types } = dialects[database.dialect];
  return database.transaction(async (transaction) => {
    await createSchemaTable(transaction, types);
    const statuses: SchemaStatus[] = [];
    for (const schema of schemas) {
      const version = await readApplied(transaction, schema, types);
      const pending = schema.migrations.slice(version).map((migration) => migration.name);
      statuses.push({ area: schema.area, version, pending });
    }
    return statuses;
  });
}

async function createSchemaTable(transaction: Transaction, types: ColumnTypes): Promise<void> {
  await transaction.run(
    `CREATE TABLE IF NOT EXISTS mr_schema (area ${types.key} NOT NULL, version ${types.integer} NOT NULL, ` +
      `name ${types.key} NOT NULL, checksum ${types.key} NOT NULL, applied_at ${types.integer} NOT NULL, ` +
      'PRIMARY KEY (area, version))',
  );
}

/** How many steps of a schema were applied. */
async function readApplied(transaction: Transaction, schema: Schema, types: ColumnTypes): Promise<number> {
  const rows = (await transaction.all('SELECT version, name, checksum FROM mr_schema WHERE area = ? ORDER BY version', [
    schema.area,
  ])) as readonly AppliedRow[];
  const newer = rows[schema.migrations.length];
  if (newer) {
    throw new MillraceError({
      code: 'MR_DB_SCHEMA_NEWER',
      message: `The database has version ${rows.length} of the tables of "${schema.area}" (${newer.name}); this program knows ${schema.migrations.length}. Use a newer release.`,
    });
  }
  for (const [index, row] of rows.entries()) {
    const migration = schema.migrations[index];
    if (migration?.name === row.name && checksumOf(migration, types) === row.checksum) continue;
    throw new MillraceError({
      code: 'MR_DB_SCHEMA_CHANGED',
      message: `Version ${index + 1} of the tables of "${schema.area}" was applied as "${row.name}" and is not what this program would have applied`,
    });
  }
  return rows.length;
}

function checksumOf(migration: Migration, types: ColumnTypes): string {
  return createHash('sha256').update(migration.statements(types).join(';\n')).digest('hex');
}
