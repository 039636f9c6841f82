import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { getLogger, newRowId, type Clock } from '#core';
import { isConstraintViolation, appendChange, type Database, type SqlRow, type Transaction } from '#db';
import { toError } from '#errors';
import { OAuthError } from './errors.ts';
import { LateWrites } from './late-writes.ts';
import { createRecentTuples } from './recent-tuples.ts';
import type { Protection } from './token-protection.ts';
import { rowValues, storedToken, tokenKey, tokenSql, tupleOf, tuplesOfClient, type StoredToken } from './token-rows.ts';
import type { IssuedTokens, TokenOrder, TokenRecord, TokenState } from './tokens.ts';
import { isLive, remaining } from './validity.ts';

/** What the configuration says about keeping tokens. */
export interface TokenStoreSettings {
  /** Milliseconds that clocks may differ (identity 4.7). */
  readonly skew: number;
  /** Gives a new token at each request instead of the live one. */
  readonly renewsAccessToken: boolean;
  /** Removes rows that are no longer active. */
  readonly cleansUp: boolean;
  /** Copies them to the audit table first. */
  readonly retainsForAudit: boolean;
  /** How often an insert is repeated that another request was faster with. */
  readonly retries: number;
  /** How many new rows are written at a time behind the answers; 0 and absent write them before. */
  readonly poolSize?: number;
}

export interface TokenStoreParts {
  readonly database: Database;
  readonly protection: Protection;
  readonly clock: Clock;
  readonly settings: TokenStoreSettings;
}

/** A new access token: what the client gets, and by what it is found again (its own value, or the `jti` of a JWT). */
export interface AccessValue {
  readonly value: string;
  readonly alias: string;
}

/** Makes the values of one pair of tokens. */
export interface TokenValues {
  access(issuedAt: number): Promise<AccessValue> | AccessValue;
  refresh(issuedAt: number): string;
}

/** What was made for one row. */
interface MadeValues {
  readonly access: AccessValue;
  readonly refresh: string | undefined;
  readonly tuple: string;
}

const log = getLogger('identity');

/** Milliseconds until a row that could not be written is tried again, times the number of tries. */
const retryPause = 100;

/** Who lost tokens, told to other nodes. */
export const revokedTopic = 'token.revoked';

/** The pairs of tokens, one active per client, subject, scopes and binding (identity 4.4 to 4.6). */
export class TokenStore {
  readonly #database: Database;
  readonly #protection: Protection;
  readonly #clock: Clock;
  readonly #settings: TokenStoreSettings;
  readonly #recent = createRecentTuples();
  readonly #late: LateWrites;

  constructor({ database, protection, clock, settings }: TokenStoreParts) {
    this.#database = database;
    this.#protection = protection;
    this.#clock = clock;
    this.#settings = settings;
    this.#late = new LateWrites(settings.poolSize ?? 0);
  }

  /**
   * Issues what a grant ordered: the live opaque token again where that is allowed, else a new pair that takes the
   * place of the old one in the same transaction.
   *
   * @throws OAuthError `server_error` when other requests were faster each time
   */
  async issue(order: TokenOrder, values: TokenValues): Promise<IssuedTokens> {
    const tuple = tupleOf(order, this.#protection);
    if (this.#recent.has(tuple)) {
      await this.#late.settled(tuple);
      const reusable = this.#reusable(order, await this.#database.get(tokenSql.active, [tuple]));
      if (reusable) return reusable;
    } else {
      this.#recent.add(tuple);
      const first = await this.#insertFirst(order, { values, tuple });
      if (first) return first;
    }
    for (let attempt = 0; ; attempt++) {
      const issuedAt = this.#clock.now();
      const access = await values.access(issuedAt);
      try {
        return await this.#database.transaction(async (transaction) => {
          const row = await transaction.get(tokenSql.active, [tuple]);
          const again = this.#reusable(order, row);
          if (again) return again;
          const former = row && storedToken(row);
          const refresh = this.#refreshFor(order, former, { issuedAt, values });
          if (former) await this.#retire(transaction, former, this.#stateAfterIssue(former));
          const record = newRecord(order, { issuedAt, refresh });
          await this.#insert(transaction, record, { access, refresh: refresh?.value, tuple });
          return { record, accessToken: access.value, refreshToken: refresh?.value, isReused: false };
        });
      } catch (error) {
        if (!isConstraintViolation(error)) throw error;
        if (attempt >= this.#settings.retries) {
          throw new OAuthError('server_error', 'The token could not be stored', { cause: error });
        }
      }
    }
  }

  /** Inserts where nothing was; undefined when another request was faster. One statement needs no transaction. */
  async #insertFirst(
    order: TokenOrder,
    { values, tuple }: { readonly values: TokenValues; readonly tuple: string },
  ): Promise<IssuedTokens | undefined> {
    const issuedAt = this.#clock.now();
    const access = await values.access(issuedAt);
    const refresh = order.refreshLifetime === undefined ? undefined : { value: values.refresh(issuedAt), issuedAt };
    const record = newRecord(order, { issuedAt, refresh });
    const token = this.#tokenOf(record, { access, refresh: refresh?.value, tuple });
    const issued = { record, accessToken: access.value, refreshToken: refresh?.value, isReused: false };
    if (this.#late.hasRoom()) {
      const keys = [tuple, token.accessHash, ...(token.refreshHash === null ? [] : [token.refreshHash])];
      this.#late.add(keys, () => this.#writeLate(token));
      return issued;
    }
    try {
      await this.#database.run(tokenSql.insert, rowValues(token));
    } catch (error) {
      if (isConstraintViolation(error)) return undefined;
      throw error;
    }
    return issued;
  }

  /**
   * Writes a row whose token was given already. Where another node was faster both tokens are good: this one stands
   * beside the active row.
   */
  async #writeLate(token: StoredToken): Promise<void> {
    let stateId: string | undefined;
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#database.run(tokenSql.insert, stateId === undefined ? rowValues(token) : rowValues(token, stateId));
        return;
      } catch (error) {
        if (attempt >= this.#settings.retries) {
          const { id, clientId } = token.record;
          log.error({ err: toError(error), id, clientId }, 'a token that was given could not be stored');
          return;
        }
        if (isConstraintViolation(error)) stateId = randomUUID();
        else await pause(retryPause * (attempt + 1));
      }
    }
  }

  /** Waits until every token that was given is stored. */
  flush(): Promise<void> {
    return this.#late.flush();
  }

  /**
   * Renews a pair by its refresh token (identity 3.4): the old row ends in the transaction that inserts the new one.
   *
   * @throws OAuthError `invalid_grant` when another request renewed it first
   */
  async renew(
    former: StoredToken,
    order: TokenOrder,
    options: {
      readonly values: TokenValues;
      readonly refreshToken: string | undefined;
      readonly refreshIssuedAt?: number;
    },
  ): Promise<IssuedTokens> {
    const { values, refreshToken } = options;
    const tuple = tupleOf(order, this.#protection);
    const issuedAt = this.#clock.now();
    await this.#late.settled(tuple);
    const access = await values.access(issuedAt);
    const value = refreshToken ?? values.refresh(issuedAt);
    const refresh = { value, issuedAt: options.refreshIssuedAt ?? issuedAt };
    return this.#database.transaction(async (transaction) => {
      const ended = await this.#retire(transaction, former, 'INACTIVE');
      if (!ended) throw new OAuthError('invalid_grant', 'The refresh token was used already');
      const other = await transaction.get(tokenSql.active, [tuple]);
      if (other) await this.#retire(transaction, storedToken(other), 'INACTIVE');
      if (refreshToken === undefined) await this.#rememberFormer(transaction, former, issuedAt);
      const record = newRecord({ ...order, family: former.record.family }, { issuedAt, refresh });
      await this.#insert(transaction, record, { access, refresh: value, tuple });
      return { record, accessToken: access.value, refreshToken: value, isReused: false };
    });
  }

  /** The record of an access token by its value or `jti`, while it is good; undefined otherwise. */
  async findAccess(alias: string): Promise<TokenRecord | undefined> {
    const row = await this.#byAccess(alias);
    if (!row) return undefined;
    const { record } = storedToken(row);
    const isGood = record.state === 'ACTIVE' && isLive(record.issuedAt, record.accessLifetime, this.#now());
    return isGood ? record : undefined;
  }

  /** The pair with a refresh token, the active one if there is one. */
  async findRefresh(value: string): Promise<StoredToken | undefined> {
    // A value that was given again stands in the rows that ended, too, where these are kept.
    const key = this.#keyOf(value);
    await this.#late.settled(key);
    const rows = await this.#database.all(tokenSql.byRefresh, [key]);
    const row = rows.find(({ state }) => state === 'ACTIVE') ?? rows[0];
    return row && storedToken(row);
  }

  /** The pair with an access token, in whatever state. */
  async findPair(alias: string): Promise<StoredToken | undefined> {
    const row = await this.#byAccess(alias);
    return row && storedToken(row);
  }

  async #byAccess(alias: string): Promise<SqlRow | undefined> {
    const key = this.#keyOf(alias);
    await this.#late.settled(key);
    return this.#database.get(tokenSql.byAccess, [key]);
  }

  /** The family of a refresh token that was exchanged for another one before. */
  async findFormer(value: string): Promise<{ family: string; clientId: string; rotated: number } | undefined> {
    const row = await this.#database.get(tokenSql.findFormer, [this.#keyOf(value)]);
    if (!row) return undefined;
    return { family: String(row['family']), clientId: String(row['client_id']), rotated: Number(row['rotated']) };
  }

  /** True when the refresh part of a record is good. */
  isRefreshGood({ refreshIssuedAt, refreshLifetime, state }: TokenRecord): boolean {
    if (state !== 'ACTIVE' || refreshIssuedAt === undefined || refreshLifetime === undefined) return false;
    return isLive(refreshIssuedAt, refreshLifetime, this.#now());
  }

  /** Ends one pair; false when it had ended already. */
  async revoke(token: StoredToken): Promise<boolean> {
    return this.#database.transaction((transaction) => this.#revokeIn(transaction, token));
  }

  /** Ends every pair that came of one sign-in; gives how many. */
  revokeFamily(family: string): Promise<number> {
    return this.#revokeAll(tokenSql.ofFamily, [family]);
  }

  revokeOfClient(clientId: string): Promise<number> {
    return this.#revokeAll(tokenSql.ofClient, tuplesOfClient(clientId, this.#protection));
  }

  revokeOfSubject(subjectId: string): Promise<number> {
    return this.#revokeAll(tokenSql.ofSubject, [subjectId]);
  }

  async #revokeAll(sql: string, values: readonly string[]): Promise<number> {
    // Tokens that have no family, or no user, have an empty text there.
    if (values[0] === '') return 0;
    await this.#late.flush();
    return this.#database.transaction(async (transaction) => {
      let count = 0;
      for (const row of await transaction.all(sql, values)) {
        if (await this.#revokeIn(transaction, storedToken(row))) count++;
      }
      return count;
    });
  }

  async #revokeIn(transaction: Transaction, token: StoredToken): Promise<boolean> {
    const { record } = token;
    if (!(await this.#retire(transaction, token, 'REVOKED'))) return false;
    const expires = record.accessLifetime < 0 ? null : record.issuedAt + record.accessLifetime;
    const payload = JSON.stringify({ form: record.form, expires, clientId: record.clientId });
    // A JWT is told by its `jti`, an opaque token by its hash: neither lets anybody use it.
    const alias = record.form === 'jwt' ? this.#protection.restore(token.accessValue) : undefined;
    const key = alias ?? token.accessHash;
    const change = { tenant: String(record.tenantId), topic: revokedTopic, key, payload };
    await appendChange(transaction, change, this.#clock);
    return true;
  }

  /** Takes a row out of the active ones; false when it was not active any more. */
  async #retire(transaction: Transaction, token: StoredToken, state: TokenState): Promise<boolean> {
    const { record } = token;
    const stateId = randomUUID();
    const { cleansUp, retainsForAudit } = this.#settings;
    if (!cleansUp) return (await transaction.run(tokenSql.setState, [state, stateId, record.id])).changes > 0;
    // Of several who end a row one deletes it, and that one keeps the copy.
    const { changes } = await transaction.run(tokenSql.delete, [record.id]);
    if (changes === 0 || !retainsForAudit) return changes > 0;
    const ended = { ...token, record: { ...record, state } };
    await transaction.run(tokenSql.audit, [...rowValues(ended, stateId), this.#clock.now()]);
    return true;
  }

  async #rememberFormer(transaction: Transaction, { record, refreshHash }: StoredToken, now: number): Promise<void> {
    if (refreshHash === null) return;
    const { family, tenantId, clientId, refreshIssuedAt = now, refreshLifetime = 0 } = record;
    const expires = refreshLifetime < 0 ? Number.MAX_SAFE_INTEGER : refreshIssuedAt + refreshLifetime;
    await transaction.run(tokenSql.former, [refreshHash, family, tenantId, clientId, now, expires]);
  }

  async #insert(transaction: Pick<Transaction, 'run'>, record: TokenRecord, made: MadeValues): Promise<void> {
    await transaction.run(tokenSql.insert, rowValues(this.#tokenOf(record, made)));
  }

  #tokenOf(record: TokenRecord, { access, refresh, tuple }: MadeValues): StoredToken {
    return {
      record,
      accessHash: this.#keyOf(access.alias),
      accessValue: this.#protection.store(access.alias),
      refreshHash: refresh === undefined ? null : this.#keyOf(refresh),
      refreshValue: refresh === undefined ? null : this.#protection.store(refresh),
      tupleHash: tuple,
    };
  }

  /** The live token of a row, to be given again, when everything allows it. */
  #reusable(order: TokenOrder, row: Readonly<Record<string, unknown>> | undefined): IssuedTokens | undefined {
    if (!row || order.form === 'jwt' || this.#settings.renewsAccessToken) return undefined;
    const token = storedToken(row);
    const { record } = token;
    const now = this.#now();
    if (record.form === 'jwt' || !isLive(record.issuedAt, record.accessLifetime, now)) return undefined;
    const wantsRefresh = order.refreshLifetime !== undefined;
    if (wantsRefresh !== (token.refreshHash !== null)) return undefined;
    if (wantsRefresh && !isLive(record.refreshIssuedAt ?? 0, record.refreshLifetime ?? 0, now)) return undefined;
    const accessToken = this.#protection.restore(token.accessValue);
    const refreshToken = wantsRefresh ? this.#protection.restore(token.refreshValue) : undefined;
    if (accessToken === undefined || (wantsRefresh && refreshToken === undefined)) return undefined;
    return { record, accessToken, refreshToken, isReused: true };
  }

  /** The refresh token of a new pair: the old one's while that is good and readable, else a new one. */
  #refreshFor(
    order: TokenOrder,
    former: StoredToken | undefined,
    { issuedAt, values }: { readonly issuedAt: number; readonly values: TokenValues },
  ): { value: string; issuedAt: number } | undefined {
    if (order.refreshLifetime === undefined) return undefined;
    const kept =
      former && this.isRefreshGood(former.record) ? this.#protection.restore(former.refreshValue) : undefined;
    if (kept !== undefined && former) return { value: kept, issuedAt: former.record.refreshIssuedAt ?? issuedAt };
    return { value: values.refresh(issuedAt), issuedAt };
  }

  #stateAfterIssue({ record }: StoredToken): TokenState {
    if (remaining(record.issuedAt, record.accessLifetime, this.#now()) <= 0) return 'EXPIRED';
    return this.#settings.renewsAccessToken || record.form === 'jwt' ? 'REVOKED' : 'INACTIVE';
  }

  #keyOf(value: string): string {
    return tokenKey(value, this.#protection);
  }

  /** Now as checks of own tokens see it: what ended within the skew still counts (identity 4.7). */
  #now(): number {
    return this.#clock.now() - this.#settings.skew;
  }
}

function newRecord(
  order: TokenOrder,
  made: { readonly issuedAt: number; readonly refresh: { readonly issuedAt: number } | undefined },
): TokenRecord {
  return {
    id: newRowId(),
    tenantId: order.tenant.id,
    clientId: order.clientId,
    subject: order.subject,
    grantType: order.grantType,
    scopes: order.scopes,
    refreshScopes: order.refreshScopes ?? order.scopes,
    state: 'ACTIVE',
    issuedAt: made.issuedAt,
    accessLifetime: order.accessLifetime,
    refreshIssuedAt: made.refresh?.issuedAt,
    refreshLifetime: made.refresh ? order.refreshLifetime : undefined,
    binding: order.binding,
    // Nothing comes of an application's own token that cannot be renewed.
    family: order.family ?? (made.refresh || order.subject.type !== 'application' ? newRowId() : ''),
    form: order.form,
    authenticatedAt: order.authenticatedAt,
  };
}
