import type { Clock } from '#core';
import { appendChange, type Database, type SqlRow } from '#db';
import { MillraceError } from '#errors';
import type { Sealing } from '../sealing.ts';
import type { NotifyTenant } from '../tenant.ts';
import type { Channel, Sender } from './sender.ts';

/** The senders of all tenants. */
export interface SenderStore {
  list(tenant: NotifyTenant, channel: Channel): Promise<readonly Sender[]>;
  /** Whatever its channel; undefined when the tenant has none of this name. */
  find(tenant: NotifyTenant, name: string): Promise<Sender | undefined>;
  /** False when the tenant has one of this name already. */
  add(tenant: NotifyTenant, sender: Sender): Promise<boolean>;
  /** False when there is none of this name and channel. */
  replace(tenant: NotifyTenant, sender: Sender): Promise<boolean>;
  remove(tenant: NotifyTenant, sender: Pick<Sender, 'name' | 'channel'>): Promise<boolean>;
  /** Everything, for checks. */
  all(): Promise<readonly { readonly tenantId: number; readonly sender: Sender }[]>;
}

export interface SenderStoreParts {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly clock: Clock;
}

/** Most senders that stay in memory. */
const keptSenders = 1000;

const changedTopic = 'notification-sender.changed';

/** Senders in the database, sealed as a whole, since any property may hold a password. */
export function createSenderStore({ database, sealing, clock }: SenderStoreParts): SenderStore {
  const read = (row: SqlRow): Sender => JSON.parse(sealing.open(String(row['document']))) as Sender;
  const known = new Map<string, Sender>();
  /** The same object for as long as the row is the same, which spares the path of an event the reading. */
  const readOnce = (row: SqlRow): Sender => {
    const sealed = String(row['document']);
    const kept = known.get(sealed);
    if (kept) return kept;
    const sender = read(row);
    if (known.size >= keptSenders) known.clear();
    known.set(sealed, sender);
    return sender;
  };
  const write = (sender: Sender): string => sealing.seal(JSON.stringify(sender));

  const change = (tenant: NotifyTenant, name: string, statement: readonly [string, readonly (string | number)[]]) =>
    database.transaction(async (transaction) => {
      const { changes } = await transaction.run(...statement);
      if (changes === 0) return false;
      await appendChange(transaction, { tenant: tenant.domain, topic: changedTopic, key: name, payload: null }, clock);
      return true;
    });

  return {
    async list(tenant, channel) {
      const rows = await database.all(
        'SELECT document FROM mr_notification_sender WHERE tenant = ? AND channel = ? ORDER BY name',
        [tenant.id, channel],
      );
      return rows.map(read);
    },
    async find(tenant, name) {
      const row = await database.get('SELECT document FROM mr_notification_sender WHERE tenant = ? AND name = ?', [
        tenant.id,
        name,
      ]);
      return row && readOnce(row);
    },
    add: (tenant, sender) =>
      change(tenant, sender.name, [
        'INSERT INTO mr_notification_sender (tenant, name, channel, document, changed) VALUES (?, ?, ?, ?, ?)',
        [tenant.id, sender.name, sender.channel, write(sender), clock.now()],
      ]).catch((error: unknown) => {
        if (error instanceof MillraceError && error.code === 'MR_DB_CONSTRAINT') return false;
        throw error;
      }),
    replace: (tenant, sender) =>
      change(tenant, sender.name, [
        'UPDATE mr_notification_sender SET document = ?, changed = ? WHERE tenant = ? AND name = ? AND channel = ?',
        [write(sender), clock.now(), tenant.id, sender.name, sender.channel],
      ]),
    remove: (tenant, { name, channel }) =>
      change(tenant, name, [
        'DELETE FROM mr_notification_sender WHERE tenant = ? AND name = ? AND channel = ?',
        [tenant.id, name, channel],
      ]),
    async all() {
      const rows = await database.all('SELECT tenant, document FROM mr_notification_sender ORDER BY tenant, name');
      return rows.map((row) => ({ tenantId: Number(row['tenant']), sender: read(row) }));
    },
  };
}
