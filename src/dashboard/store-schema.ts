import type { Schema } from '#db';

/** What the dashboard keeps over its restarts: figures by tier, audit records and events (management 6.3). */
export const dashboardSchema: Schema = {
  area: 'dashboard',
  migrations: [
    {
      name: 'figures, audit records and events',
      statements: ({ key, text, integer, sequence }) => [
        `CREATE TABLE mr_rollup (tier ${key} NOT NULL, node ${key} NOT NULL, at ${integer} NOT NULL, ` +
          `document ${text} NOT NULL, PRIMARY KEY (tier, node, at))`,
        'CREATE INDEX mr_rollup_at ON mr_rollup (tier, at)',
        `CREATE TABLE mr_dashboard_record (sequence ${sequence}, kind ${key} NOT NULL, document ${text} NOT NULL)`,
      ],
    },
  ],
};
