import type { Schema } from '#db';

/** Tables of senders and of what waits to be sent. */
export const notifySchema: Schema = {
  area: 'notify',
  migrations: [
    {
      name: 'senders and deliveries',
      statements: ({ key, text, integer }) => [
        `CREATE TABLE mr_notification_sender (tenant ${integer} NOT NULL, name ${key} NOT NULL, ` +
          `channel ${key} NOT NULL, document ${text} NOT NULL, changed ${integer} NOT NULL, PRIMARY KEY (tenant, name))`,
        `CREATE TABLE mr_notification_job (id ${key} NOT NULL PRIMARY KEY, tenant ${integer} NOT NULL, ` +
          `lane ${key} NOT NULL, document ${text} NOT NULL, attempts ${integer} NOT NULL, ` +
          `due ${integer} NOT NULL, created ${integer} NOT NULL)`,
        'CREATE INDEX mr_notification_job_due ON mr_notification_job (due)',
        `CREATE TABLE mr_notification_dead (id ${key} NOT NULL PRIMARY KEY, tenant ${integer} NOT NULL, ` +
          `lane ${key} NOT NULL, document ${text} NOT NULL, attempts ${integer} NOT NULL, ` +
          `created ${integer} NOT NULL, died ${integer} NOT NULL, reason ${text} NOT NULL)`,
        'CREATE INDEX mr_notification_dead_died ON mr_notification_dead (died)',
      ],
    },
  ],
};
