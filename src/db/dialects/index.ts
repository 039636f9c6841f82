import { systemClock } from '#core';
import type { Database } from '../database.ts';
import type { RemoteDriver } from '../remote/connection.ts';
import { createRemoteDatabase } from '../remote/database.ts';
import type { ConnectOptions, Dialect, DialectName } from './dialect.ts';

export type { Dialect, DialectName } from './dialect.ts';

const mysqlTypes = {
  key: 'VARCHAR(255)',
  text: 'LONGTEXT',
  integer: 'BIGINT',
  bytes: 'LONGBLOB',
  sequence: 'BIGINT AUTO_INCREMENT PRIMARY KEY',
  partialIndexes: false,
} as const;

/** Every dialect. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: 'sqlite',
    types: {
      key: 'TEXT',
      text: 'TEXT',
      integer: 'INTEGER',
      bytes: 'BLOB',
      sequence: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      partialIndexes: true,
    },
    // A writing transaction excludes all others already.
    migrationLock: [],
    migratesItself: true,
  },
  postgresql: {
    name: 'postgresql',
    types: {
      key: 'VARCHAR(255)',
      text: 'TEXT',
      integer: 'BIGINT',
      bytes: 'BYTEA',
      sequence: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
      partialIndexes: true,
    },
    migrationLock: ["SELECT pg_advisory_xact_lock(hashtext('mr_schema'))"],
    migratesItself: false,
    driverPackage: 'pg',
    connect: connectPostgresql,
  },
  mysql: {
    name: 'mysql',
    types: mysqlTypes,
    migrationLock: ["SELECT GET_LOCK('mr_schema', 60)"],
    migrationUnlock: "DO RELEASE_LOCK('mr_schema')",
    migratesItself: false,
    driverPackage: 'mysql2',
    connect: connectMysql,
  },
  mariadb: {
    name: 'mariadb',
    types: mysqlTypes,
    migrationLock: ["SELECT GET_LOCK('mr_schema', 60)"],
    migrationUnlock: "DO RELEASE_LOCK('mr_schema')",
    migratesItself: false,
    driverPackage: 'mysql2',
    connect: connectMysql,
  },
  sqlserver: {
    name: 'sqlserver',
    types: {
      key: 'NVARCHAR(255)',
      text: 'NVARCHAR(MAX)',
      integer: 'BIGINT',
      bytes: 'VARBINARY(MAX)',
      sequence: 'BIGINT IDENTITY(1,1) PRIMARY KEY',
      partialIndexes: false,
    },
    migrationLock: ["EXEC sp_getapplock @Resource = 'mr_schema', @LockMode = 'Exclusive'"],
    migratesItself: false,
    driverPackage: 'tedious',
  },
  oracle: {
    name: 'oracle',
    types: {
      key: 'VARCHAR2(255)',
      text: 'CLOB',
      integer: 'NUMBER(19)',
      bytes: 'BLOB',
      sequence: 'NUMBER(19) GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
      partialIndexes: false,
    },
    migrationLock: [],
    migratesItself: false,
    driverPackage: 'oracledb',
  },
  db2: {
    name: 'db2',
    types: {
      key: 'VARCHAR(255)',
      text: 'CLOB(16M)',
      integer: 'BIGINT',
      bytes: 'BLOB(16M)',
      sequence: 'BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
      partialIndexes: false,
    },
    migrationLock: [],
    migratesItself: false,
    driverPackage: 'ibm_db',
  },
};

async function connectPostgresql(options: ConnectOptions): Promise<Database> {
  const { openPostgresql } = await import('../remote/postgresql.ts');
  return connectRemote(await openPostgresql(options, dialects.postgresql), 'postgresql', options);
}

async function connectMysql(options: ConnectOptions): Promise<Database> {
  const { vendor } = options.url;
  const name = vendor === 'mariadb' ? 'mariadb' : 'mysql';
  const { openMysql } = await import('../remote/mysql.ts');
  return connectRemote(await openMysql(options, dialects[name]), name, options);
}

function connectRemote(driver: RemoteDriver, dialect: DialectName, options: ConnectOptions): Database {
  const { pool = {}, clock = systemClock } = options;
  return createRemoteDatabase({ dialect, driver, pool, clock });
}
