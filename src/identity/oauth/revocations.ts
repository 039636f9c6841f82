import { getLogger, type Clock } from '#core';
import { openChangeCursor, type ChangeRecord, type Database } from '#db';
import { toError } from '#errors';
import { revokedTopic } from './token-revoke.ts';

const log = getLogger('identity');

/** A token that was revoked on any node. */
export interface Revocation {
  readonly tenantId: number;
  /** The `jti` of a JWT; the key by which an opaque token is found. */
  readonly key: string;
  readonly form: 'opaque' | 'jwt';
  readonly clientId: string;
  /** Milliseconds since the epoch; null for tokens that never end. */
  readonly expires: number | null;
}

export interface RevocationReader extends AsyncDisposable {
  /** Reads what is new at once; gives how many revocations it handed on. */
  poll(): Promise<number>;
}

export interface RevocationReaderParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Milliseconds between two looks. */
  readonly interval: number;
  readonly receive: (revocation: Revocation) => void;
  /** Takes every change, so that what is kept in memory of the old state goes. */
  readonly changed?: (change: ChangeRecord) => void;
}

/** Reads revocations from the change log, none twice, beginning with what comes from now on. */
export async function openRevocations(parts: RevocationReaderParts): Promise<RevocationReader> {
  const { database, clock, interval, receive, changed } = parts;
  const cursor = await openChangeCursor(database, clock);
  let running: Promise<number> | undefined;
  let stop: (() => void) | undefined;
  let hasEnded = false;

  const read = async (): Promise<number> => {
    let count = 0;
    for (;;) {
      const changes = await cursor.next();
      if (changes.length === 0) return count;
      for (const change of changes) {
        changed?.(change);
        if (change.topic === revokedTopic) {
          receive(revocationOf(change));
          count++;
        }
      }
    }
  };
  const poll = (): Promise<number> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
  const schedule = (): void => {
    if (hasEnded) return;
    stop = clock.after(interval, () => {
      poll()
        .catch((error: unknown) => log.warn({ err: toError(error) }, 'revoked tokens could not be read'))
        .finally(schedule);
    });
  };
  schedule();
  return {
    poll,
    async [Symbol.asyncDispose]() {
      hasEnded = true;
      stop?.();
      await running;
    },
  };
}

function revocationOf({ tenant, key, payload }: ChangeRecord): Revocation {
  const facts = JSON.parse(payload ?? '{}') as Pick<Revocation, 'form' | 'clientId' | 'expires'>;
  return { tenantId: Number(tenant), key, form: facts.form, clientId: facts.clientId, expires: facts.expires };
}
