import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '#core';
import type { Database, SqlRow } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
import type { User, Users } from '../users/users.ts';
import type { Session, Sessions } from './session.ts';

export interface SessionParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: Users;
  readonly tenantById: (id: number) => Promise<Tenant | undefined>;
}

/** How long a session lives without a request, and one that the user wants to be remembered (identity 2.2). */
const idleTime = 15 * 60_000;
const rememberedTime = 14 * 24 * 3_600_000;
/** The end of a session moves once within this time, so that most requests write nothing. */
const renewalTime = 60_000;

/** The sessions in the database, where all nodes see them. A cookie's value is only in the browser. */
export function createSessions({ database, clock, users, tenantById }: SessionParts): Sessions {
  const endOf = (isRemembered: boolean): number => clock.now() + (isRemembered ? rememberedTime : idleTime);

  const load = async (row: SqlRow | undefined): Promise<Session | undefined> => {
    if (!row || Number(row['expires']) <= clock.now()) return undefined;
    const tenant = await tenantById(Number(row['tenant']));
    const user = tenant?.isActive ? await users.byId(tenant, String(row['user_id'])) : undefined;
    if (!tenant || !user || (await users.isBlocked(user))) return undefined;
    const id = String(row['id']);
    const clients = await database.all('SELECT client_id FROM mr_session_client WHERE session_id = ?', [id]);
    return {
      id,
      tenant,
      user,
      authenticatedAt: Number(row['authenticated_at']),
      expires: Number(row['expires']),
      isRemembered: Number(row['remembered']) === 1,
      methods: JSON.parse(String(row['methods'])) as readonly string[],
      clients: clients.map((client) => String(client['client_id'])),
      browserState: String(row['browser_state']),
    };
  };

  const end = async ({ id }: Pick<Session, 'id'>): Promise<void> => {
    await database.transaction(async (transaction) => {
      await transaction.run('DELETE FROM mr_session WHERE id = ?', [id]);
      await transaction.run('DELETE FROM mr_session_client WHERE session_id = ?', [id]);
    });
  };

  return {
    async begin(user, { isRemembered, methods, continues }) {
      const secret = randomBytes(32).toString('base64url');
      const session: Session = {
        id: continues?.id ?? randomUUID(),
        tenant: user.tenant,
        user,
        authenticatedAt: clock.now(),
        expires: endOf(isRemembered),
        isRemembered,
        methods,
        clients: continues?.clients ?? [],
        browserState: randomBytes(18).toString('base64url'),
      };
      await database.transaction(async (transaction) => {
        if (continues) await transaction.run('DELETE FROM mr_session WHERE id = ?', [continues.id]);
        await transaction.run(
          'INSERT INTO mr_session (hash, id, tenant, user_id, browser_state, methods, authenticated_at, remembered, expires) ' +
            'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
          [
            hashOf(secret),
            session.id,
            user.tenant.id,
            user.id,
            session.browserState,
            JSON.stringify(methods),
            session.authenticatedAt,
            isRemembered ? 1 : 0,
            session.expires,
          ],
        );
      });
      return { session, secret };
    },
    async find(secret) {
      const hash = hashOf(secret);
      const session = await load(await database.get('SELECT * FROM mr_session WHERE hash = ?', [hash]));
      if (!session) return undefined;
      const expires = endOf(session.isRemembered);
      if (expires - session.expires < renewalTime) return session;
      await database.run('UPDATE mr_session SET expires = ? WHERE hash = ?', [expires, hash]);
      return { ...session, expires };
    },
    byId: async (id) => load(await database.get('SELECT * FROM mr_session WHERE id = ?', [id])),
    async addClient(session, clientId) {
      if (session.clients.includes(clientId)) return;
      await database.transaction(async (transaction) => {
        const values = [session.id, clientId];
        await transaction.run('DELETE FROM mr_session_client WHERE session_id = ? AND client_id = ?', values);
        await transaction.run('INSERT INTO mr_session_client (session_id, client_id) VALUES (?, ?)', values);
      });
    },
    end,
    async endAll(user: User) {
      for (const row of await database.all('SELECT id FROM mr_session WHERE user_id = ?', [user.id])) {
        await end({ id: String(row['id']) });
      }
    },
  };
}

/** What stands in the database for a random value: enough for 256 random bits, and useless to whoever reads it. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
