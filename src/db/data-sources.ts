import { type Clock, type Home, systemClock } from '#core';
import { parseJdbcUrl } from '#core/java';
import { MillraceError } from '#errors';
import type { Database } from './database.ts';
import { openForeignDatabase } from './open.ts';
import type { PoolOptions } from './pool.ts';

/** How to reach a database that is not our own. */
export interface ConnectionFacts {
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly pool?: PoolOptions | undefined;
}

/** The databases of artifacts: each is opened when it is first used and shared by all that name the same. */
export interface DataSources extends AsyncDisposable {
  readonly names: readonly string[];
  /**
   * The data source of a name such as `jdbc/Orders`.
   *
   * @throws MillraceError `MR_DATA_SOURCE_UNKNOWN` naming those that there are, or an error of `connect`
   */
  named(name: string): Promise<Database>;
  /** The same where somebody has opened it before; undefined otherwise. */
  opened(name: string): Promise<Database> | undefined;
  /** The database behind a connection. @throws MillraceError as `openForeignDatabase` */
  connect(facts: ConnectionFacts): Promise<Database>;
}

/** Makes data sources; `configured` has those with a name. */
export function createDataSources(
  home: Home,
  configured: ReadonlyMap<string, ConnectionFacts>,
  clock: Clock = systemClock,
): DataSources {
  const opened = new Map<string, Promise<Database>>();
  const connect = (facts: ConnectionFacts): Promise<Database> => {
    const key = identityOf(facts);
    const known = opened.get(key);
    if (known) return known;
    const { url, username, password, pool } = facts;
    const opening = openForeignDatabase({
      home,
      url,
      clock,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(pool && { pool }),
    });
    opened.set(key, opening);
    // What could not be opened is tried again by the next one who wants it.
    opening.catch(() => opened.delete(key));
    return opening;
  };
  return {
    names: [...configured.keys()],
    async named(name) {
      const facts = configured.get(plainName(name));
      if (facts) return connect(facts);
      const known = [...configured.keys()].join(', ') || 'none';
      throw new MillraceError({
        code: 'MR_DATA_SOURCE_UNKNOWN',
        message: `There is no data source "${name}"; those of the configuration: ${known}`,
      });
    },
    opened(name) {
      const facts = configured.get(plainName(name));
      return facts && opened.get(identityOf(facts));
    },
    connect,
    async [Symbol.asyncDispose]() {
      const all = [...opened.values()];
      opened.clear();
      for (const opening of all) {
        const database = await opening.catch(() => undefined);
        await database?.[Symbol.asyncDispose]();
      }
    },
  };
}

/** Artifacts write `jdbc/NAME`, `java:comp/env/jdbc/NAME` or the name alone. */
function plainName(name: string): string {
  return name.trim().replace(/^(?:java:)?(?:comp\/env\/)?(?:jdbc\/)?/, '');
}

/** An embedded database is one, whoever opens it; others differ by account and pool. */
function identityOf({ url, username, password, pool }: ConnectionFacts): string {
  const { vendor, mode, database } = parseJdbcUrl(url);
  return vendor === 'h2' ? JSON.stringify([vendor, mode, database]) : JSON.stringify([url, username, password, pool]);
}
