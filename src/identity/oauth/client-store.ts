import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { newRowId, type Clock } from '#core';
import { isConstraintViolation, appendChange, type Database, type SqlRow, type Transaction } from '#db';
import { MillraceError } from '#errors';
import type { Tenant } from '../tenants/tenant.ts';
import type { Client, Clients } from './client.ts';
import type { Protection } from './token-protection.ts';

/** What `createClients` works with. */
export interface ClientStoreParts {
  readonly database: Database;
  readonly protection: Protection;
  readonly clock: Clock;
  /** How long a client is kept in memory, in milliseconds. */
  readonly cacheTime: number;
  /** The tenant of a number; clients of one that is gone are not found. */
  readonly tenantOf: (id: number) => Promise<Tenant | undefined> | Tenant | undefined;
  /** Ends what a client holds, when it is deleted. */
  readonly revokeAll: (clientId: string) => Promise<unknown>;
}

/** What stands in the document of a row: everything that is in no column. */
type ClientDocument = Omit<Client, 'id' | 'tenant' | 'name' | 'owner'>;

/** Topic of changed and deleted clients, so that other nodes forget what they kept of them. */
export const clientChangedTopic = 'client.changed';

const cacheLimit = 20_000;

interface Kept {
  /** Its tenant is what it was when the row was read; `load` puts the present one in its place. */
  readonly client: Client;
  readonly secrets: readonly StoredSecret[];
  readonly until: number;
}

interface StoredSecret {
  /** SHA-256 of the secret. */
  readonly digest: Buffer;
  readonly stored: string;
  readonly expires: number | undefined;
}

/** A client with the values that most have; the caller changes what differs. */
export function newClient(facts: Pick<Client, 'id' | 'tenant' | 'name' | 'owner'> & Partial<Client>): Client {
  return {
    grantTypes: ['client_credentials'],
    redirectUris: [],
    postLogoutRedirectUris: [],
    backChannelLogoutUri: undefined,
    frontChannelLogoutUri: undefined,
    isPublic: false,
    isActive: true,
    isSaas: false,
    skipsConsent: false,
    skipsLogoutConsent: false,
    pkceMandatory: false,
    pkceAllowsPlain: false,
    requiresPushedRequests: false,
    requiresSignedRequests: false,
    requestObjectAlgorithm: undefined,
    tokenType: undefined,
    authentication: undefined,
    lifetimes: {},
    renewsRefreshToken: undefined,
    audiences: [],
    claims: [],
    scopeValidators: [],
    idTokenAlgorithm: undefined,
    userInfoAlgorithm: undefined,
    jwks: undefined,
    jwksUri: undefined,
    registrationTokenHash: undefined,
    metadata: {},
    ...facts,
  };
}

/** A client id or secret of the original's shape: 28 letters, digits and underscores (identity 2.10). */
export function newCredential(): string {
  const letters = randomBytes(21).toString('base64').replaceAll('/', '_').replaceAll('+', 'f');
  return letters.slice(0, 28);
}

/** The clients in the database, with those that were asked for lately in memory. */
export function createClients(parts: ClientStoreParts): Clients {
  const { database, protection, clock } = parts;
  const kept = new Map<string, Kept>();

  /** Grows with each change, so that what was read before one is not kept after it. */
  let changes = 0;

  const forget = (id: string): void => {
    changes++;
    kept.delete(id);
  };

  const read = async (id: string): Promise<Kept | undefined> => {
    const now = clock.now();
    const known = kept.get(id);
    if (known && known.until > now) return known;
    kept.delete(id);
    const before = changes;
    const row = await database.get('SELECT * FROM mr_client WHERE id = ?', [id]);
    const tenant = row && (await parts.tenantOf(Number(row['tenant'])));
    if (!row || !tenant) return undefined;
    const secrets = await database.all('SELECT stored, expires FROM mr_client_secret WHERE client_id = ?', [id]);
    const found = { client: clientOf(row, tenant), secrets: secrets.map(readSecret), until: now + parts.cacheTime };
    if (before !== changes) return found;
    if (kept.size >= cacheLimit) kept.delete(kept.keys().next().value ?? '');
    kept.set(id, found);
    return found;
  };

  /** A client with its tenant as that is now: who stops a tenant stops its clients at once. */
  const load = async (id: string): Promise<Client | undefined> => {
    const client = (await read(id))?.client;
    const tenant = client && (await parts.tenantOf(client.tenant.id));
    if (!tenant) return undefined;
    return tenant.isActive === client.tenant.isActive ? client : { ...client, tenant };
  };

  const readSecret = (row: SqlRow): StoredSecret => {
    const stored = String(row['stored']);
    const plain = stored.startsWith(hashPrefix) ? undefined : protection.restore(stored);
    const digest = plain === undefined ? Buffer.from(stored.slice(hashPrefix.length), 'hex') : digestOf(plain);
    return { digest, stored, expires: row['expires'] === null ? undefined : Number(row['expires']) };
  };

  const addSecret = async (transaction: Transaction, client: Client, secret: string): Promise<void> => {
    const stored = protection.store(secret) ?? hashPrefix + digestOf(secret).toString('hex');
    await transaction.run(
      'INSERT INTO mr_client_secret (id, client_id, stored, created, expires) VALUES (?, ?, ?, ?, ?)',
      [newRowId(), client.id, stored, clock.now(), null],
    );
  };

  /** Changes a client in one transaction with the note that tells other nodes of it. */
  const change = async (client: Client, work: (transaction: Transaction) => Promise<void>): Promise<void> => {
    await database.transaction(async (transaction) => {
      await work(transaction);
      const { id, tenant } = client;
      await appendChange(
        transaction,
        { tenant: tenant.domain, topic: clientChangedTopic, key: id, payload: null },
        clock,
      );
    });
    forget(client.id);
  };

  return {
    async find(tenant, id) {
      const found = await load(id);
      return found?.tenant.id === tenant.id ? found : undefined;
    },
    findAnywhere: load,
    async list(tenant) {
      const rows = await database.all('SELECT * FROM mr_client WHERE tenant = ? ORDER BY name', [tenant.id]);
      return rows.map((row) => clientOf(row, tenant));
    },
    async hasSecret(client, secret) {
      const given = digestOf(secret);
      const now = clock.now();
      let isRight = false;
      for (const { digest, expires } of (await read(client.id))?.secrets ?? []) {
        const isLiving = expires === undefined || expires > now;
        if (timingSafeEqual(digest, given) && isLiving) isRight = true;
      }
      return isRight;
    },
    async secretOf(client) {
      const newest = (await read(client.id))?.secrets.at(-1);
      return newest === undefined || newest.stored.startsWith(hashPrefix)
        ? undefined
        : protection.restore(newest.stored);
    },
    async create(client, secret) {
      const { id, tenant, name, owner, ...document } = client;
      const hasSecret = !client.isPublic && client.authentication !== 'private_key_jwt';
      const made = hasSecret ? (secret ?? newCredential()) : undefined;
      try {
        await database.transaction(async (transaction) => {
          const values = [id, tenant.id, name, owner, JSON.stringify(document), clock.now()];
          const sql = 'INSERT INTO mr_client (id, tenant, name, owner, document, created) VALUES (?, ?, ?, ?, ?, ?)';
          await transaction.run(sql, values);
          if (made !== undefined) await addSecret(transaction, client, made);
        });
      } catch (error) {
        throw isConstraintViolation(error) ? existsAlready(client) : error;
      }
      forget(id);
      return { client, secret: made };
    },
    update(client) {
      const { id, tenant, name, owner, ...document } = client;
      return change(client, async (transaction) => {
        const values = [name, owner, JSON.stringify(document), id, tenant.id];
        await transaction.run(
          'UPDATE mr_client SET name = ?, owner = ?, document = ? WHERE id = ? AND tenant = ?',
          values,
        );
      });
    },
    async newSecret(client) {
      const secret = newCredential();
      await change(client, async (transaction) => {
        await transaction.run('DELETE FROM mr_client_secret WHERE client_id = ?', [client.id]);
        await addSecret(transaction, client, secret);
      });
      return secret;
    },
    async delete(client) {
      await parts.revokeAll(client.id);
      await change(client, async (transaction) => {
        for (const sql of deletions) await transaction.run(sql, [client.id]);
      });
    },
    forget,
  };
}

const hashPrefix = 'sha256:';

/** What goes with a client, besides its tokens. */
const deletions = [
  'DELETE FROM mr_client_secret WHERE client_id = ?',
  'DELETE FROM mr_authorization_code WHERE client_id = ?',
  'DELETE FROM mr_consent WHERE client_id = ?',
  'DELETE FROM mr_pushed_request WHERE client_id = ?',
  'DELETE FROM mr_device_code WHERE client_id = ?',
  'DELETE FROM mr_client WHERE id = ?',
] as const;

function clientOf(row: SqlRow, tenant: Tenant): Client {
  const document = JSON.parse(String(row['document'])) as Partial<ClientDocument>;
  return newClient({
    id: String(row['id']),
    tenant,
    name: String(row['name']),
    owner: String(row['owner']),
    ...document,
  });
}

function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function existsAlready({ id, name, tenant }: Client): MillraceError {
  return new MillraceError({
    code: 'MR_CLIENT_EXISTS',
    status: 409,
    message: `A client with the id "${id}" or the name "${name}" exists already in ${tenant.domain}`,
  });
}
