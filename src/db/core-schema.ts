import type { Schema } from './migrations.ts';

/** Tables that every database of ours has. */
export const coreSchema: Schema = {
  area: 'core',
  migrations: [
    {
      name: 'change log and leases',
      statements: (types) => [
        `CREATE TABLE mr_change_log (sequence ${types.sequence}, at ${types.integer} NOT NULL, ` +
          `tenant ${types.key} NOT NULL, topic ${types.key} NOT NULL, change_key ${types.key} NOT NULL, ` +
          `payload ${types.text})`,
        'CREATE INDEX mr_change_log_at ON mr_change_log (at)',
        `CREATE TABLE mr_lease (name ${types.key} NOT NULL PRIMARY KEY, holder ${types.key} NOT NULL, ` +
          `fencing ${types.integer} NOT NULL, expires ${types.integer} NOT NULL)`,
      ],
    },
  ],
};
