import type { Schema } from '#db';

/** Tables of browsers that are signed in, of requests that wait for a user, and of what users have agreed to. */
export const sessionsSchema: Schema = {
  area: 'identity.sessions',
  migrations: [
    {
      name: 'sessions, waiting requests and consents',
      statements: ({ key, text, integer }) => [
        `CREATE TABLE mr_session (hash ${key} NOT NULL PRIMARY KEY, id ${key} NOT NULL, tenant ${integer} NOT NULL, ` +
          `user_id ${key} NOT NULL, browser_state ${key} NOT NULL, methods ${text} NOT NULL, ` +
          `authenticated_at ${integer} NOT NULL, remembered ${integer} NOT NULL, expires ${integer} NOT NULL)`,
        'CREATE UNIQUE INDEX mr_session_id ON mr_session (id)',
        'CREATE INDEX mr_session_user ON mr_session (user_id)',
        'CREATE INDEX mr_session_expires ON mr_session (expires)',
        `CREATE TABLE mr_session_client (session_id ${key} NOT NULL, client_id ${key} NOT NULL, ` +
          'PRIMARY KEY (session_id, client_id))',

        `CREATE TABLE mr_waiting_request (hash ${key} NOT NULL PRIMARY KEY, browser ${key} NOT NULL, ` +
          `kind ${key} NOT NULL, document ${text} NOT NULL, expires ${integer} NOT NULL)`,
        'CREATE INDEX mr_waiting_request_expires ON mr_waiting_request (expires)',

        `CREATE TABLE mr_consent (user_id ${key} NOT NULL, client_id ${key} NOT NULL, scopes ${text} NOT NULL, ` +
          `granted ${integer} NOT NULL, PRIMARY KEY (user_id, client_id))`,
        'CREATE INDEX mr_consent_client ON mr_consent (client_id)',

        `CREATE TABLE mr_pushed_request (hash ${key} NOT NULL PRIMARY KEY, client_id ${key} NOT NULL, ` +
          `document ${text} NOT NULL, expires ${integer} NOT NULL)`,
        'CREATE INDEX mr_pushed_request_expires ON mr_pushed_request (expires)',

        `CREATE TABLE mr_device_code (hash ${key} NOT NULL PRIMARY KEY, user_code ${key} NOT NULL, ` +
          `client_id ${key} NOT NULL, scopes ${text} NOT NULL, state ${key} NOT NULL, document ${text}, ` +
          `poll_interval ${integer} NOT NULL, polled ${integer} NOT NULL, expires ${integer} NOT NULL)`,
        'CREATE UNIQUE INDEX mr_device_code_user ON mr_device_code (user_code)',
        'CREATE INDEX mr_device_code_expires ON mr_device_code (expires)',
      ],
    },
    {
      name: 'what goes with a client is found by it',
      statements: () => [
        'CREATE INDEX mr_pushed_request_client ON mr_pushed_request (client_id)',
        'CREATE INDEX mr_device_code_client ON mr_device_code (client_id)',
      ],
    },
  ],
};
