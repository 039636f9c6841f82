import type { Schema } from '#db';

/** Tables of tenants, users and roles. */
export const usersSchema: Schema = {
  area: 'identity.users',
  migrations: [
    {
      name: 'tenants, users and roles',
      statements: ({ key, text, integer, sequence }) => [
        `CREATE TABLE mr_tenant (id ${sequence}, domain ${key} NOT NULL UNIQUE, email ${key} NOT NULL, ` +
          `admin_name ${key} NOT NULL, active ${integer} NOT NULL, created ${integer} NOT NULL)`,

        `CREATE TABLE mr_user (id ${key} NOT NULL PRIMARY KEY, tenant ${integer} NOT NULL, name ${key} NOT NULL, ` +
          `name_folded ${key} NOT NULL, password ${text} NOT NULL, blocked ${integer} NOT NULL, ` +
          `changed ${integer} NOT NULL, created ${integer} NOT NULL, UNIQUE (tenant, name_folded))`,

        `CREATE TABLE mr_user_attribute (user_id ${key} NOT NULL, claim ${key} NOT NULL, value ${text} NOT NULL, ` +
          'PRIMARY KEY (user_id, claim))',

        `CREATE TABLE mr_role (tenant ${integer} NOT NULL, name ${key} NOT NULL, PRIMARY KEY (tenant, name))`,
        `CREATE TABLE mr_user_role (tenant ${integer} NOT NULL, user_id ${key} NOT NULL, role ${key} NOT NULL, ` +
          'PRIMARY KEY (tenant, user_id, role))',
        'CREATE INDEX mr_user_role_role ON mr_user_role (tenant, role)',
      ],
    },
    {
      name: 'codes of account recovery',
      statements: ({ key, integer }) => [
        `CREATE TABLE mr_recovery_code (hash ${key} NOT NULL PRIMARY KEY, code_use ${key} NOT NULL, ` +
          `tenant ${integer} NOT NULL, user_id ${key}, expires ${integer} NOT NULL)`,
        'CREATE INDEX mr_recovery_code_user ON mr_recovery_code (tenant, user_id)',
      ],
    },
    {
      name: 'one-time codes of account recovery',
      statements: ({ key, integer }) => [
        `CREATE TABLE mr_one_time_code (flow ${key} NOT NULL PRIMARY KEY, code ${key} NOT NULL, ` +
          `tenant ${integer} NOT NULL, user_id ${key}, tries ${integer} NOT NULL, expires ${integer} NOT NULL)`,
        'CREATE INDEX mr_one_time_code_user ON mr_one_time_code (tenant, user_id)',
        `CREATE TABLE mr_recovery_notice (tenant ${integer} NOT NULL, user_id ${key} NOT NULL, ` +
          `channel ${key} NOT NULL, sent ${integer} NOT NULL)`,
        'CREATE INDEX mr_recovery_notice_user ON mr_recovery_notice (tenant, user_id, channel, sent)',
      ],
    },
  ],
};
