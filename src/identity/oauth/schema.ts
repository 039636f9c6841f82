import type { Schema } from '#db';

/** Tables of clients, codes and tokens. What a row is found by is a hash, so that a key fits every database's index. */
export const oauthSchema: Schema = {
  area: 'identity.oauth',
  migrations: [
    {
      name: 'clients, codes and tokens',
      statements: ({ key, text, integer }) => [
        `CREATE TABLE mr_client (id ${key} NOT NULL PRIMARY KEY, tenant ${integer} NOT NULL, name ${key} NOT NULL, ` +
          `owner ${key} NOT NULL, document ${text} NOT NULL, created ${integer} NOT NULL, UNIQUE (tenant, name))`,
        `CREATE TABLE mr_client_secret (id ${key} NOT NULL PRIMARY KEY, client_id ${key} NOT NULL, ` +
          `stored ${text} NOT NULL, created ${integer} NOT NULL, expires ${integer})`,
        'CREATE INDEX mr_client_secret_client ON mr_client_secret (client_id)',

        `CREATE TABLE mr_authorization_code (hash ${key} NOT NULL PRIMARY KEY, tenant ${integer} NOT NULL, ` +
          `client_id ${key} NOT NULL, state ${key} NOT NULL, document ${text} NOT NULL, issued_at ${integer} NOT NULL, ` +
          `expires ${integer} NOT NULL, family ${key})`,
        'CREATE INDEX mr_authorization_code_expires ON mr_authorization_code (expires)',
        'CREATE INDEX mr_authorization_code_client ON mr_authorization_code (client_id)',

        ...tokenTable('mr_token', { key, text, integer }),
        'CREATE UNIQUE INDEX mr_token_access ON mr_token (access_hash)',
        'CREATE INDEX mr_token_refresh ON mr_token (refresh_hash)',
        'CREATE UNIQUE INDEX mr_token_tuple ON mr_token (tuple_hash, state, state_id)',
        'CREATE INDEX mr_token_family ON mr_token (family)',
        'CREATE INDEX mr_token_subject ON mr_token (subject_id)',
        'CREATE INDEX mr_token_gone ON mr_token (gone_at)',

        ...tokenTable('mr_token_audit', { key, text, integer }, `invalidated ${integer} NOT NULL`),
        'CREATE INDEX mr_token_audit_invalidated ON mr_token_audit (invalidated)',

        `CREATE TABLE mr_refresh_former (hash ${key} NOT NULL PRIMARY KEY, family ${key} NOT NULL, ` +
          `tenant ${integer} NOT NULL, client_id ${key} NOT NULL, rotated ${integer} NOT NULL, expires ${integer} NOT NULL)`,
        'CREATE INDEX mr_refresh_former_expires ON mr_refresh_former (expires)',

        `CREATE TABLE mr_assertion_used (hash ${key} NOT NULL PRIMARY KEY, expires ${integer} NOT NULL)`,
        'CREATE INDEX mr_assertion_used_expires ON mr_assertion_used (expires)',

        `CREATE TABLE mr_scope (tenant ${integer} NOT NULL, name ${key} NOT NULL, display_name ${key} NOT NULL, ` +
          `description ${text}, roles ${text} NOT NULL, PRIMARY KEY (tenant, name))`,

        `CREATE TABLE mr_signing_key (id ${key} NOT NULL PRIMARY KEY, tenant ${integer} NOT NULL, ` +
          `algorithm ${key} NOT NULL, private_key ${text} NOT NULL, public_key ${text} NOT NULL, certificate ${text}, ` +
          `created ${integer} NOT NULL, retired ${integer})`,
        'CREATE INDEX mr_signing_key_tenant ON mr_signing_key (tenant)',
      ],
    },
    {
      // An application's own token has no refresh token, family or user: then three indexes need not know of it.
      name: 'token indexes without what is empty',
      statements: ({ partialIndexes }) =>
        partialIndexes
          ? [
              'DROP INDEX mr_token_refresh',
              'DROP INDEX mr_token_family',
              'DROP INDEX mr_token_subject',
              'CREATE INDEX mr_token_refresh ON mr_token (refresh_hash) WHERE refresh_hash IS NOT NULL',
              "CREATE INDEX mr_token_family ON mr_token (family) WHERE family <> ''",
              "CREATE INDEX mr_token_subject ON mr_token (subject_id) WHERE subject_id <> ''",
            ]
          : [],
    },
    {
      name: 'when keys begin to sign, and the claims that requests name for user info',
      statements: ({ key, text, integer }) => [
        `ALTER TABLE mr_signing_key ADD signs_from ${integer}`,
        `CREATE TABLE mr_token_claims (family ${key} NOT NULL PRIMARY KEY, names ${text} NOT NULL, ` +
          `noted ${integer} NOT NULL)`,
        'CREATE INDEX mr_token_claims_noted ON mr_token_claims (noted)',
      ],
    },
  ],
};

type Types = Readonly<Record<'key' | 'text' | 'integer', string>>;

/**
 * The columns of tokens; those that ended are kept with the same columns for audits. `gone_at` says when neither of
 * the two values is good for anything, so that the clean-up finds rows by an index.
 */
function tokenTable(name: string, { key, text, integer }: Types, ...more: readonly string[]): string[] {
  const columns = [
    `id ${key} NOT NULL PRIMARY KEY`,
    `tenant ${integer} NOT NULL`,
    `client_id ${key} NOT NULL`,
    `access_hash ${key} NOT NULL`,
    `access_value ${text}`,
    `refresh_hash ${key}`,
    `refresh_value ${text}`,
    `subject_id ${key} NOT NULL`,
    `subject_name ${key} NOT NULL`,
    `subject_store ${key} NOT NULL`,
    `subject_tenant ${integer} NOT NULL`,
    `subject_domain ${key} NOT NULL`,
    `subject_type ${key} NOT NULL`,
    `identity_provider ${key} NOT NULL`,
    `grant_type ${key} NOT NULL`,
    `scopes ${text} NOT NULL`,
    `refresh_scopes ${text} NOT NULL`,
    `tuple_hash ${key} NOT NULL`,
    `state ${key} NOT NULL`,
    `state_id ${key} NOT NULL`,
    `issued_at ${integer} NOT NULL`,
    `access_lifetime ${integer} NOT NULL`,
    `refresh_issued_at ${integer}`,
    `refresh_lifetime ${integer}`,
    `binding ${key} NOT NULL`,
    `family ${key} NOT NULL`,
    `form ${key} NOT NULL`,
    `authenticated_at ${integer}`,
    `gone_at ${integer}`,
    ...more,
  ];
  return [`CREATE TABLE ${name} (${columns.join(', ')})`];
}
