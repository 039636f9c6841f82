import type { SqlRow, SqlValue } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
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
  audit:
    `INSERT INTO mr_token_audit (${columns}, invalidated) ` +
    `SELECT ${columns.replace('state, state_id', '?, ?')}, ? FROM mr_token WHERE id = ?`,
  delete: `DELETE FROM mr_token WHERE id = ?`,
  former: `INSERT INTO mr_refresh_former (hash, family, tenant, client_id, rotated, expires) VALUES (?, ?, ?, ?, ?, ?)`,
  findFormer: `SELECT family, client_id, rotated FROM mr_refresh_former WHERE hash = ?`,
  ofFamily: `SELECT * FROM mr_token WHERE family = ?`,
  ofClient: `SELECT * FROM mr_token WHERE client_id = ? AND state = 'ACTIVE'`,
  ofSubject: `SELECT * FROM mr_token WHERE subject_id = ? AND state = 'ACTIVE'`,
} as const;

/** A record with what only the store sees of it. */
export interface StoredToken {
  readonly record: TokenRecord;
  readonly accessHash: string;
  readonly accessValue: string | null;
  readonly refreshHash: string | null;
  readonly refreshValue: string | null;
}

/** Reads a row. The tenants of the row are compared with the caller's by the store. */
export function storedToken(row: SqlRow): StoredToken {
  const { tenant, subject_tenant: subjectTenant, subject_domain: domain } = row;
  return {
    record: {
      id: String(row['id']),
      tenantId: Number(tenant),
      clientId: String(row['client_id']),
      subject: {
        id: String(row['subject_id']),
        name: String(row['subject_name']),
        storeDomain: String(row['subject_store']),
        tenant: tenantOf(Number(subjectTenant), String(domain)),
        type: row['subject_type'] as TokenRecord['subject']['type'],
        identityProvider: String(row['identity_provider']),
      },
      grantType: String(row['grant_type']),
      scopes: scopesOf(String(row['scopes'])),
      refreshScopes: scopesOf(String(row['refresh_scopes'])),
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
  };
}

/** The values of a new row, in the order of `tokenColumns`. */
export function rowValues(token: StoredToken, tupleHash: string): SqlValue[] {
  const { record } = token;
  const { subject } = record;
  return [
    record.id,
    record.tenantId,
    record.clientId,
    token.accessHash,
    token.accessValue,
    token.refreshHash,
    token.refreshValue,
    subject.id,
    subject.name,
    subject.storeDomain,
    subject.tenant.id,
    subject.tenant.domain,
    subject.type,
    subject.identityProvider,
    record.grantType,
    record.scopes.join(' '),
    record.refreshScopes.join(' '),
    tupleHash,
    record.state,
    'NONE',
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

/** What makes two orders ask for the same token (identity 4.4): one row of a tuple is active at a time. */
export function tupleOf(order: TokenOrder): string {
  const { subject } = order;
  const scopes = [...order.scopes].sort().join(' ');
  const parts = [
    order.clientId,
    subject.id,
    subject.tenant.id,
    subject.type,
    scopes,
    subject.identityProvider,
    order.binding,
  ];
  return JSON.stringify(parts);
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
