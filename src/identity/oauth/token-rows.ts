import type { SqlRow, SqlValue } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
import type { Protection } from './token-protection.ts';
import type { TokenOrder, TokenRecord, TokenState } from './tokens.ts';

/** Columns of the token tables in the order of `rowValues`. */
export const tokenColumns = [
  'id',
  'tenant',
  'client_id',
  'access_hash',
  'access_value',
  'refresh_hash',
  'refresh_value',
  'subject_id',
  'subject_name',
  'subject_store',
  'subject_tenant',
  'subject_domain',
  'subject_type',
  'identity_provider',
  'grant_type',
  'scopes',
  'refresh_scopes',
  'tuple_hash',
  'state',
  'state_id',
  'issued_at',
  'access_lifetime',
  'refresh_issued_at',
  'refresh_lifetime',
  'binding',
  'family',
  'form',
  'authenticated_at',
  'gone_at',
] as const;

const columns = tokenColumns.join(', ');

/** The statements of the token tables. */
export const tokenSql = {
  insert: `INSERT INTO mr_token (${columns}) VALUES (${tokenColumns.map(() => '?').join(', ')})`,
  byAccess: `SELECT * FROM mr_token WHERE access_hash = ?`,
  byRefresh: `SELECT * FROM mr_token WHERE refresh_hash = ?`,
  active: `SELECT * FROM mr_token WHERE tuple_hash = ? AND state = 'ACTIVE' AND state_id = 'NONE'`,
  setState: `UPDATE mr_token SET state = ?, state_id = ? WHERE id = ? AND state = 'ACTIVE'`,
  audit: `INSERT INTO mr_token_audit (${columns}, invalidated) VALUES (${tokenColumns.map(() => '?').join(', ')}, ?)`,
  delete: `DELETE FROM mr_token WHERE id = ? AND state = 'ACTIVE'`,
  former: `INSERT INTO mr_refresh_former (hash, family, tenant, client_id, rotated, expires) VALUES (?, ?, ?, ?, ?, ?)`,
  findFormer: `SELECT family, client_id, rotated FROM mr_refresh_former WHERE hash = ?`,
  // The index of these two has no empty values, and the database must see that none is asked for.
  ofFamily: `SELECT * FROM mr_token WHERE family = ? AND family <> ''`,
  // Tuples begin with their client, so that the rows of one need no index of their own.
  ofClient: `SELECT * FROM mr_token WHERE tuple_hash >= ? AND tuple_hash < ? AND client_id = ? AND state = 'ACTIVE'`,
  ofSubject: `SELECT * FROM mr_token WHERE subject_id = ? AND subject_id <> '' AND state = 'ACTIVE'`,
} as const;

/** A record with what only the store sees of it. */
export interface StoredToken {
  readonly record: TokenRecord;
  readonly accessHash: string;
  readonly accessValue: string | null;
  readonly refreshHash: string | null;
  readonly refreshValue: string | null;
  readonly tupleHash: string;
}

/** Reads a row. The tenants of the row are compared with the caller's by the store. */
export function storedToken(row: SqlRow): StoredToken {
  const { tenant, subject_tenant: subjectTenant, subject_domain: domain } = row;
  const clientId = String(row['client_id']);
  const isApplication = row['subject_type'] === 'application';
  const scopes = scopesOf(String(row['scopes']));
  const refreshScopes = scopesOf(String(row['refresh_scopes']));
  return {
    record: {
      id: String(row['id']),
      tenantId: Number(tenant),
      clientId,
      subject: {
        id: isApplication ? clientId : String(row['subject_id']),
        name: isApplication ? clientId : String(row['subject_name']),
        storeDomain: String(row['subject_store']),
        tenant: tenantOf(Number(subjectTenant), String(domain)),
        type: row['subject_type'] as TokenRecord['subject']['type'],
        identityProvider: String(row['identity_provider']),
      },
      grantType: String(row['grant_type']),
      scopes,
      refreshScopes: refreshScopes.length === 0 ? scopes : refreshScopes,
      state: row['state'] as TokenState,
      issuedAt: Number(row['issued_at']),
      accessLifetime: Number(row['access_lifetime']),
      refreshIssuedAt: numberOf(row['refresh_issued_at']),
      refreshLifetime: numberOf(row['refresh_lifetime']),
      binding: String(row['binding']),
      family: String(row['family']),
      form: row['form'] as TokenRecord['form'],
      authenticatedAt: numberOf(row['authenticated_at']),
    },
    accessHash: String(row['access_hash']),
    accessValue: textOf(row['access_value']),
    refreshHash: textOf(row['refresh_hash']),
    refreshValue: textOf(row['refresh_value']),
    tupleHash: String(row['tuple_hash']),
  };
}

/**
 * The values of a new row, in the order of `tokenColumns`. What an application's own token says twice is left out: each
 * text less in an index is a page less to write.
 */
export function rowValues(token: StoredToken, stateId = 'NONE'): SqlValue[] {
  const { record } = token;
  const { subject } = record;
  const isApplication = subject.type === 'application';
  const scopes = record.scopes.join(' ');
  const refreshScopes = record.refreshScopes.join(' ');
  return [
    record.id,
    record.tenantId,
    record.clientId,
    token.accessHash,
    token.accessValue,
    token.refreshHash,
    token.refreshValue,
    isApplication ? '' : subject.id,
    isApplication ? '' : subject.name,
    subject.storeDomain,
    subject.tenant.id,
    subject.tenant.domain,
    subject.type,
    subject.identityProvider,
    record.grantType,
    scopes,
    refreshScopes === scopes ? '' : refreshScopes,
    token.tupleHash,
    record.state,
    stateId,
    record.issuedAt,
    record.accessLifetime,
    record.refreshIssuedAt ?? null,
    record.refreshLifetime ?? null,
    record.binding,
    record.family,
    record.form,
    record.authenticatedAt ?? null,
    goneAt(record),
  ];
}

/** When neither value is good any more; null for tokens that never end. */
function goneAt(record: TokenRecord): number | null {
  if (record.accessLifetime < 0 || (record.refreshLifetime ?? 0) < 0) return null;
  const access = record.issuedAt + record.accessLifetime;
  return Math.max(access, (record.refreshIssuedAt ?? 0) + (record.refreshLifetime ?? 0));
}

type Hashing = Pick<Protection, 'hash'>;

/** What makes two orders ask for the same token (identity 4.4): one row of a tuple is active at a time. */
export function tupleOf(order: TokenOrder, protection: Hashing): string {
  const { subject } = order;
  const scopes = order.scopes.toSorted().join(' ');
  const parts = [subject.id, subject.tenant.id, subject.type, scopes, subject.identityProvider, order.binding];
  return clientPart(order.clientId, protection) + protection.hash(JSON.stringify([order.clientId, ...parts]));
}

/** The values of `ofClient`: the tuples that begin with the client. */
export function tuplesOfClient(clientId: string, protection: Hashing): readonly string[] {
  const part = clientPart(clientId, protection);
  // Tuples are hexadecimal digits; every letter from g on comes after them.
  return [part, `${part}g`, clientId];
}

function clientPart(clientId: string, protection: Hashing): string {
  return protection.hash(clientId).slice(0, 16);
}

/**
 * By what a token is found. Values begin with the time at which they were made; with that before the hash, rows that
 * are made one after the other stand side by side in the index, however large it is.
 */
export function tokenKey(value: string, protection: Hashing): string {
  return value.slice(0, 8) + protection.hash(value);
}

function tenantOf(id: number, domain: string): Tenant {
  return { id, domain, isActive: true };
}

function scopesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
