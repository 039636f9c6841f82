import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalogOf } from './catalog.ts';
import type { Key } from './define.ts';

interface Row {
  readonly file: 'server' | 'dashboard';
  readonly section: string;
  readonly key: string;
  readonly type: string;
  readonly semantic: string;
  readonly required: boolean;
  readonly repeated: boolean;
  readonly default: unknown;
  readonly allowed?: readonly unknown[];
  readonly aliases?: readonly string[];
  readonly unit?: string;
  readonly treatment: string;
  readonly origin: string;
}

const listed = join(import.meta.dirname, '../../../../shared/reference/config-catalog.json');
const skip = existsSync(listed) ? false : 'the listed catalog is not beside the repository';
const rows = skip === false ? (JSON.parse(readFileSync(listed, 'utf8')) as Row[]) : [];

/** Sections that the list does not have: the plain halves of HTTPS sections, named databases, and our own. */
const ownSections = new Set([
  'millrace',
  'millrace.compat',
  'millrace.masking',
  'external_vault',
  'internal_apis',
  'icp_config',
  'user_access',
  'identity_mgt.password_reset_email',
  'identity_mgt.password_reset_sms',
  'identity_mgt.notification_channel_recovery',
  'transport',
  'transport.passthru_http',
  'transport.blocking_http',
  'transport.jms',
  'transport.jms.sender',
  'transport.rabbitmq',
  'transport.rabbitmq.sender',
  'database.<name>',
  'keystore.primary',
  'keystore.internal',
]);
const ownKeys = new Set([
  'encryption.type',
  'oauth.endpoints.<name>_page',
  'oauth.grant_type.jwt.enable_iat_validation',
  'oauth.grant_type.jwt.enable_jwt_cache',
  'oauth.grant_type.jwt.iat_validity_period',
  'oauth.grant_type.saml_bearer.user_type',
  'oauth.oidc.id_token.signature_algorithm',
]);

/** Types of the list that contradict the meaning of the key. */
const otherTypes: Readonly<Record<string, string>> = {
  'oauth.extensions.token_types.issuer': 'class name',
  'transport.http.preserve_http_headers': 'list',
  'transport.http.sender.warn_on_http_500': 'list',
};

const pathOf = (row: Row) => `${row.section === '(top level)' ? '' : `${row.section}.`}${row.key}`.replaceAll("'", '');
const keyOf = (row: Row) => catalogOf(row.file).keys.find((key) => key.path === pathOf(row));

function typesFor(row: Row): readonly string[] {
  const other = otherTypes[pathOf(row)];
  if (other !== undefined) return [other];
  if (row.key.includes('<') && row.type === 'string') return ['properties', 'text'];
  if (row.type === 'table') return ['properties'];
  const names: Readonly<Record<string, readonly string[]>> = {
    boolean: ['boolean', 'boolean or "optional"'],
    'string (boolean)': ['boolean'],
    integer: ['integer', 'port', 'duration'],
    int: ['integer'],
    'string (integer)': ['integer', 'duration'],
    'integer or "unlimited"': ['integer or "unlimited"'],
    number: ['number'],
    float: ['number'],
    'array of string': ['list'],
    string: ['text', 'secret', 'class name', 'one of', 'list', 'boolean', 'duration', 'integer', 'port', 'properties'],
  };
  return names[row.type] ?? [];
}

test('every listed path is declared exactly once', { skip }, () => {
  for (const file of ['server', 'dashboard'] as const) {
    const wanted = [...new Set(rows.filter((row) => row.file === file).map(pathOf))].sort();
    const declared = catalogOf(file)
      .keys.filter((key) => !ownSections.has(key.section) || wanted.includes(key.path))
      .map((key) => key.path)
      .filter((path) => !ownKeys.has(path));
    assert.deepEqual(declared.toSorted(), wanted);
  }
});

test('types, defaults, values, aliases, units and treatments are those of the list', { skip }, () => {
  for (const row of rows) {
    const key = keyOf(row);
    if (!key) continue;
    assert.ok(typesFor(row).includes(key.type.name), `type of ${key.path}: ${key.type.name}`);
    if (row.default !== null) assert.deepEqual(key.default, row.default, `default of ${key.path}`);
    assert.deepEqual(key.type.allowed ?? [], row.allowed ?? listedBySemantic(row, key), `values of ${key.path}`);
    if (row.aliases) assert.deepEqual(key.aliases, row.aliases, `aliases of ${key.path}`);
    if (row.unit !== undefined) assert.equal(key.type.unit, row.unit, `unit of ${key.path}`);
    if (key.section !== 'database.<name>')
      assert.equal(key.documented, row.origin === 'documented', `origin of ${key.path}`);
    if (row.semantic === 'secret') assert.equal(key.secret, true, `${key.path} is a secret`);
    assert.equal(key.required, row.required, `${key.path} required`);
  }
});

/**
 * Keys of which the list hopes for a meaning and that have nothing here to act on; each says why in its entry: threads
 * and buffers of a Java server, operations that the registry lacks, roles of nodes that need none, intervals of what is noticed at once.
 */
const meaningless = new RegExp(
  [
    String.raw`^passthru_http\.(?:secondary_worker_|io_threads_per_reactor)`,
    String.raw`^mediation\.synapse\.temp_data_chunk_size$`,
    String.raw`^transport\.https\.properties\.enableLookups$`,
    String.raw`^transport\.passthru_https\.(?:listener|sender)\.ssl_profile[._]interval$`,
    String.raw`^transport\.http\.listener\.ssl_profile\.read_interval$`,
    String.raw`^registry_handler\.filter_properties\.\w+Pattern$`,
    String.raw`^server\.mode$`,
    String.raw`^datasource\.(?:driver|jmx_enable)$`,
    String.raw`^oauth\.extensions\.token_types\.persist_access_token_alias$`,
    // Of the dashboard's file.
    String.raw`^user_store\.type$`,
  ].join('|'),
);

test('treatments are those of the list, but for what means nothing here', { skip }, () => {
  for (const row of rows) {
    const key = keyOf(row);
    if (!key || key.section === 'database.<name>' || key.treatment === row.treatment) continue;
    assert.equal(key.treatment, 'inert', key.path);
    assert.ok(meaningless.test(key.path), `${key.path} is inert, and the list gives it a meaning`);
  }
});

/** Where the list gives no values, ours come from the same tables of the original. */
function listedBySemantic(row: Row, key: Key<unknown>): readonly unknown[] {
  const extended = ['transport.http', 'transport.passthru_https'];
  return extended.includes(row.section) ? (key.type.allowed ?? []) : [];
}

test('no path is declared twice and each is found', () => {
  for (const file of ['server', 'dashboard'] as const) {
    const catalog = catalogOf(file);
    const paths = catalog.keys.map((key) => key.path);
    assert.equal(new Set(paths).size, paths.length);
    for (const key of catalog.keys) {
      const written = key.path.replace('<http|https>', 'http').replace('<ws|wss>', 'ws');
      if (key.spellingOf === undefined) assert.equal(catalog.find(written)?.path, key.path);
      else assert.ok(catalog.find(key.spellingOf), `${key.path} stands for a known key`);
    }
  }
});

test('every key says what it is and what it does', () => {
  for (const key of [...catalogOf('server').keys, ...catalogOf('dashboard').keys]) {
    assert.match(key.doc, /\.$/, key.path);
    assert.match(key.effect, /\.$/, key.path);
  }
});

test('every default can be read as its key', () => {
  for (const key of catalogOf('server').keys) {
    if (key.default === undefined || String(key.default).includes('$ref')) continue;
    assert.ok(key.whenAbsent !== undefined || key.type.parse(key.default).ok, key.path);
  }
});
