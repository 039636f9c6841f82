import { type Clock, type Lease, type Leases, systemClock } from '#core';
import { MillraceError } from '#errors';
import type { Database, Transaction } from './database.ts';

interface LeaseRow extends Readonly<Record<string, unknown>> {
  readonly holder: string;
  readonly fencing: number;
  readonly expires: number;
}

/**
 * Leases in a shared database. Times are those of the nodes' clocks: a lease must be longer than they may differ.
 *
 * @param isGone true for a holder that is known to have ended: its leases are free at once
 */
export function createDatabaseLeases(
  database: Database,
  clock: Clock = systemClock,
  isGone: (holder: string) => boolean = () => false,
): Leases {
  /** Changes the end of this very lease unless it has ended; whether it was still there. */
  const moveEnd = async (lease: Lease, expires: number): Promise<boolean> => {
    const { changes } = await database.run(
      'UPDATE mr_lease SET expires = ? WHERE name = ? AND holder = ? AND fencing = ? AND expires > ?',
      [expires, lease.name, lease.holder, lease.fencing, clock.now()],
    );
    return changes === 1;
  };
  return {
    acquire({ name, holder, ttl }) {
      const take = async (transaction: Transaction): Promise<Lease | undefined> => {
        const now = clock.now();
        const expiresAt = now + ttl;
        const held = (await transaction.get('SELECT holder, fencing, expires FROM mr_lease WHERE name = ?', [name])) as
          | LeaseRow
          | undefined;
        if (!held) {
          await transaction.run('INSERT INTO mr_lease (name, holder, fencing, expires) VALUES (?, ?, 1, ?)', [
            name,
            holder,
            expiresAt,
          ]);
          return { name, holder, fencing: 1, expiresAt };
        }
        const isOver = held.expires <= now || isGone(held.holder);
        if (!isOver && held.holder !== holder) return undefined;
        const fencing = isOver ? held.fencing + 1 : held.fencing;
        // The old number in the condition keeps two nodes from taking it over at once where reading does not lock.
        const { changes } = await transaction.run(
          'UPDATE mr_lease SET holder = ?, fencing = ?, expires = ? WHERE name = ? AND fencing = ?',
          [holder, fencing, expiresAt, name, held.fencing],
        );
        return changes === 1 ? { name, holder, fencing, expiresAt } : undefined;
      };
      // Two nodes that see no row both insert one; the database lets one of them do it.
      return database.transaction(take).catch((error: unknown) => {
        if (error instanceof MillraceError && error.code === 'MR_DB_CONSTRAINT') return undefined;
        throw error;
      });
    },
    async renew(lease, ttl) {
      const expiresAt = clock.now() + ttl;
      return (await moveEnd(lease, expiresAt)) ? { ...lease, expiresAt } : undefined;
    },
    async release(lease) {
      await moveEnd(lease, 0);
    },
  };
}
