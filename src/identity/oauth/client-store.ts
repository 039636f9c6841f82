import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { newRowId, type Clock } from '#core';
import { isConstraintViolation, appendChange, type Database, type SqlRow } from '#db';
import { MillraceError } from '#errors';
import type { Tenant } from '../tenants/tenant.ts';
import type { Client, Clients } from './client.ts';
import type { Protection } from './token-protection.ts';

/** What `createClients` works with. */
export interface ClientStoreParts {
  readonly database: Database;
  readonly protection: Protection;
  readonly clock: Clock;
  /** The tenant of a number; clients of one that is gone are not found. */
  readonly tenantOf: (id: number) => Promise<Tenant | undefined> | Tenant | undefined;
  /** Ends what a client holds, when it is deleted. */
  readonly revokeAll: (clientId: string) => Promise<unknown>;
}

/** What stands in the document of a row: everything that is in no column. */
type ClientDocument = Omit<Client, 'id' | 'tenant' | 'name' | 'owner'>;

/** Topic of changed and deleted clients, so that other nodes forget what they kept of them. */
export const clientChangedTopic = 'client.changed';

/** How long a client is kept in memory. A change on another node is seen after this time at the latest. */
const cacheTime = 5000;
const cacheLimit = 20_000;

interface Kept {
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

  const load = async (id: string): Promise<Kept | undefined> => {
    const now = clock.now();
    const known = kept.get(id);
    if (known && known.until > now) return known;
    kept.delete(id);
    const row = await database.get('SELECT * FROM mr_client WHERE id = ?', [id]);
    const tenant = row && (await parts.tenantOf(Number(row['tenant'])));
    if (!row || !tenant) return undefined;
    const secrets = await database.all('SELECT stored, expires FROM mr_client_secret WHERE client_id = ?', [id]);
    const found = { client: clientOf(row, tenant), secrets: secrets.map(readSecret), until: now + cacheTime };
    if (kept.size >= cacheLimit) kept.delete(kept.keys().next().value ?? '');
    kept.set(id, found);
    return found;
  };

  const readSecret = (row: SqlRow): StoredSecret => {
    const stored = String(row['stored']);
    const plain = stored.startsWith(hashPrefix) ? undefined : protection.restore(stored);
    const digest = plain === undefined ? Buffer.from(stored.slice(hashPrefix.length), 'hex') : digestOf(plain);
    return { digest, stored, expires: row['expires'] === null ? undefined : Number(row['expires']) };
  };

  const addSecret = async (client: Client, secret: string): Promise<void> => {
    const stored = protection.store(secret) ?? hashPrefix + digestOf(secret).toString('hex');
    await database.run(
      'INSERT INTO mr_client_secret (id, client_id, stored, created, expires) VALUES (?, ?, ?, ?, ?)',
      [newRowId(), client.id, stored, clock.now(), null],
    );
    kept.delete(client.id);
  };

  return {
    async find(tenant, id) {
      const found = await load(id);
      return found?.client.tenant.id === tenant.id ? found.client : undefined;
    },
    findAnywhere: async (id) => (await load(id))?.client,
    async list(tenant) {
      const rows = await database.all('SELECT * FROM mr_client WHERE tenant = ? ORDER BY name', [tenant.id]);
      return rows.map((row) => clientOf(row, tenant));
    },
    async hasSecret(client, secret) {
      const given = digestOf(secret);
      const now = clock.now();
      let isRight = false;
      for (const { digest, expires } of (await load(client.id))?.secrets ?? []) {
        const isLiving = expires === undefined || expires > now;
        if (timingSafeEqual(digest, given) && isLiving) isRight = true;
      }
      return isRight;
    },
    async secretOf(client) {
      const newest = (await load(client.id))?.secrets.at(-1);
      return newest === undefined || newest.stored.startsWith(hashPrefix)
        ? undefined
        : protection.restore(newest.stored);
    },
    async create(client, secret) {
      const { id, tenant, name, owner, ...document } = client;
      await database
        .run('INSERT INTO mr_client (id, tenant, name, owner, document, created) VALUES (?, ?, ?, ?, ?, ?)', [
          id,
          tenant.id,
          name,
          owner,
          JSON.stringify(document),
          clock.now(),
        ])
        .catch((error: unknown) => {
          throw isConstraintViolation(error) ? existsAlready(client) : error;
        });
      if (client.isPublic || client.authentication === 'private_key_jwt') return { client, secret: undefined };
      const made = secret ?? newCredential();
      await addSecret(client, made);
      return { client, secret: made };
    },
    async update(client) {
      const { id, tenant, name, owner, ...document } = client;
      await database.transaction(async (transaction) => {
        const values = [name, owner, JSON.stringify(document), id, tenant.id];
        await transaction.run(
          'UPDATE mr_client SET name = ?, owner = ?, document = ? WHERE id = ? AND tenant = ?',
          values,
        );
        await appendChange(
          transaction,
          { tenant: tenant.domain, topic: clientChangedTopic, key: id, payload: null },
          clock,
        );
      });
      kept.delete(id);
    },
    async newSecret(client) {
      const secret = newCredential();
      await database.run('DELETE FROM mr_client_secret WHERE client_id = ?', [client.id]);
      await addSecret(client, secret);
      return secret;
    },
    async delete(client) {
      await parts.revokeAll(client.id);
      await database.transaction(async (transaction) => {
        for (const sql of deletions) await transaction.run(sql, [client.id]);
        const change = { tenant: client.tenant.domain, topic: clientChangedTopic, key: client.id, payload: null };
        await appendChange(transaction, change, clock);
      });
      kept.delete(client.id);
    },
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
