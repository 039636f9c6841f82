import { createHash } from 'node:crypto';
import type { Clock } from '#core';

/** What a token server gave. */
export interface Token {
  readonly accessToken: string;
  /** Milliseconds for which it holds; undefined when the server does not say. */
  readonly lifetime: number | undefined;
  /** The refresh token to use from now on, when the server changed it. */
  readonly refreshToken: string | undefined;
}

interface Entry {
  token: Promise<string>;
  /** The token once it has come. */
  present: string | undefined;
  /** When it ends; never while it is under way. */
  until: number;
  refreshToken: string | undefined;
}

/** Most tokens that one endpoint keeps; dynamic credentials make a token for each of their values. */
const maximumTokens = 1000;

/**
 * The tokens of one endpoint: each is kept as long as its server says, but no longer than the configuration, and
 * however many messages need one at the same time, the server is asked once (runtime-core 5.3).
 */
export class TokenCache {
  readonly #clock: Clock;
  readonly #lifetime: number;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock, lifetime: number) {
    this.#clock = clock;
    this.#lifetime = lifetime;
  }

  /** The token for these credentials; `fetch` gets one, with the refresh token that an earlier answer brought. */
  obtain(credentials: string, fetch: (refreshToken: string | undefined) => Promise<Token>): Promise<string> {
    const key = keyOf(credentials);
    const known = this.#entries.get(key);
    if (known && known.until > this.#clock.monotonic()) return known.token;
    const entry: Entry = {
      token: Promise.resolve(''),
      present: undefined,
      until: Number.POSITIVE_INFINITY,
      refreshToken: known?.refreshToken,
    };
    entry.token = this.#fill(key, entry, fetch);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#limit();
    return entry.token;
  }

  /** Drops a token that was refused, unless another one has taken its place already. */
  forget(credentials: string, refused: string): void {
    const entry = this.#entries.get(keyOf(credentials));
    if (entry?.present === refused) entry.until = 0;
  }

  async #fill(key: string, entry: Entry, fetch: (refreshToken: string | undefined) => Promise<Token>): Promise<string> {
    try {
      const { accessToken, lifetime, refreshToken } = await fetch(entry.refreshToken);
      entry.present = accessToken;
      entry.until = this.#clock.monotonic() + Math.min(this.#lifetime, lifetime ?? this.#lifetime);
      entry.refreshToken = refreshToken ?? entry.refreshToken;
      return accessToken;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    }
  }

  #limit(): void {
    if (this.#entries.size <= maximumTokens) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** Credentials are not kept in clear beyond the message that brought them. */
function keyOf(credentials: string): string {
  return createHash('sha256').update(credentials).digest('base64');
}
