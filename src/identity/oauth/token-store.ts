import { LateWrites } from './late-writes.ts';
import { createRecentTuples } from './recent-tuples.ts';
import { findAccess, findFormer, findPair, findRefresh, isRefreshGood, type FormerRefresh } from './token-find.ts';
import { issueTokens } from './token-issue.ts';
import { renewTokens, type Renewal } from './token-renew.ts';
import { revokeFamily, revokeOfClient, revokeOfSubject, revokePair } from './token-revoke.ts';
import type { StoredToken } from './token-rows.ts';
import type { TokenGround, TokenStoreParts, TokenValues } from './token-store-parts.ts';
import type { IssuedTokens, TokenOrder, TokenRecord } from './tokens.ts';

/** The pairs of tokens, one active per client, subject, scopes and binding (identity 4.4 to 4.6). */
export class TokenStore {
  readonly #ground: TokenGround;

  constructor(parts: TokenStoreParts) {
    const late = new LateWrites(parts.settings.poolSize ?? 0);
    this.#ground = { ...parts, recent: createRecentTuples(), late };
  }

  issue(order: TokenOrder, values: TokenValues): Promise<IssuedTokens> {
    return issueTokens(this.#ground, order, values);
  }

  renew(renewal: Renewal): Promise<IssuedTokens> {
    return renewTokens(this.#ground, renewal);
  }

  findAccess(alias: string): Promise<TokenRecord | undefined> {
    return findAccess(this.#ground, alias);
  }

  findPair(alias: string): Promise<StoredToken | undefined> {
    return findPair(this.#ground, alias);
  }

  findRefresh(value: string): Promise<StoredToken | undefined> {
    return findRefresh(this.#ground, value);
  }

  findFormer(value: string): Promise<FormerRefresh | undefined> {
    return findFormer(this.#ground, value);
  }

  isRefreshGood(record: TokenRecord): boolean {
    return isRefreshGood(this.#ground, record);
  }

  revoke(token: StoredToken): Promise<boolean> {
    return revokePair(this.#ground, token);
  }

  revokeFamily(family: string): Promise<number> {
    return revokeFamily(this.#ground, family);
  }

  revokeOfClient(clientId: string): Promise<number> {
    return revokeOfClient(this.#ground, clientId);
  }

  revokeOfSubject(subjectId: string): Promise<number> {
    return revokeOfSubject(this.#ground, subjectId);
  }

  /** Waits until every token that was given is stored. */
  flush(): Promise<void> {
    return this.#ground.late.flush();
  }
}
