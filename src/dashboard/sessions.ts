import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '#core';

/** Somebody who signed in. */
export interface ConsoleUser {
  readonly name: string;
  readonly isAdmin: boolean;
  /** How: with a password, or by the identity provider. */
  readonly by: 'password' | 'sso';
  /** What the provider said, for signing out there. */
  readonly idToken?: string | undefined;
  readonly accessToken?: string | undefined;
}

/** Sessions of browsers, in memory: after a restart everybody signs in again. */
export interface Sessions {
  start(user: ConsoleUser): string;
  find(id: string | undefined): ConsoleUser | undefined;
  end(id: string | undefined): ConsoleUser | undefined;
}

const idle = 60 * 60_000;
const longest = 12 * 60 * 60_000;
const most = 10_000;

/** Makes sessions that end after an hour without use and after twelve in any case; only hashes of their names are kept. */
export function createSessions(clock: Clock): Sessions {
  const sessions = new Map<string, { readonly user: ConsoleUser; readonly began: number; used: number }>();
  const keyOf = (id: string): string => createHash('sha256').update(id).digest('base64url');
  return {
    start(user) {
      const id = randomBytes(24).toString('base64url');
      sessions.set(keyOf(id), { user, began: clock.now(), used: clock.now() });
      if (sessions.size > most) sessions.delete(sessions.keys().next().value ?? '');
      return id;
    },
    find(id) {
      const key = id === undefined ? '' : keyOf(id);
      const session = sessions.get(key);
      if (!session) return undefined;
      if (clock.now() - session.used > idle || clock.now() - session.began > longest) {
        sessions.delete(key);
        return undefined;
      }
      session.used = clock.now();
      return session.user;
    },
    end(id) {
      const key = id === undefined ? '' : keyOf(id);
      const user = sessions.get(key)?.user;
      sessions.delete(key);
      return user;
    },
  };
}
