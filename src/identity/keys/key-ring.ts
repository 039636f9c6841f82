import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { getLogger, type Clock } from '#core';
import { appendChange, type Database, type SqlRow, type Transaction } from '#db';
import { MillraceError } from '#errors';
import { superTenant, type Tenant } from '../tenants/tenant.ts';
import type { Protection } from '../oauth/token-protection.ts';
import { signingKeyOf } from './key-store-keys.ts';
import type { KeyState, RingKey, SigningKey, SigningKeys } from './signing-keys.ts';

const generate = promisify(generateKeyPair);
const log = getLogger('identity');

export interface KeyRingParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Encrypts private keys in the database. */
  readonly protection: Protection;
  /** Keys of the key store, the first of an algorithm being the super tenant's own; read again when it changes. */
  readonly ofKeyStore: () => readonly SigningKey[];
  /** Milliseconds for which the last token of a key of the tenant may be good; negative when it may never end. */
  readonly longestLifetime: (tenant: Tenant) => Promise<number>;
}

/** How long the keys of a tenant are kept in memory. */
const cacheTime = 5000;

/**
 * How long a new key is published before it signs: longer than verifiers may keep the set (the `max-age` of the JWKS)
 * and than other nodes keep theirs.
 */
export const keyLead = 10 * 60_000;

/** In the database, the end of a key that stays published for ever. */
const never = Number.MAX_SAFE_INTEGER;

interface Entry {
  readonly key: SigningKey;
  readonly created: number;
  /** From when on it signs. */
  readonly start: number;
  /** Until when it is published; undefined for one that nothing has followed. */
  readonly end: number | undefined;
}

interface Ring {
  readonly entries: readonly Entry[];
  readonly until: number;
}

/**
 * The keys of each tenant, stored encrypted in the database and so the same on all nodes. The super tenant begins with
 * the key of the key store; another one that comes into the key store later follows as in a rotation.
 */
export class KeyRing implements SigningKeys {
  readonly #parts: KeyRingParts;
  readonly #rings = new Map<number, Ring>();
  /** Keys that were read already, by id: reading one takes longer than signing with it. */
  readonly #read = new Map<string, SigningKey>();

  constructor(parts: KeyRingParts) {
    this.#parts = parts;
  }

  async current(tenant: Tenant, algorithm = 'RS256'): Promise<SigningKey> {
    const found = signs(await this.#entries(tenant), algorithm, this.#parts.clock.now());
    if (found) return found.key;
    if (algorithm !== 'RS256' && algorithm !== 'ES256') {
      throw new MillraceError({
        code: 'MR_SIGNING_ALGORITHM',
        status: 400,
        message: `Tokens are signed with RS256 or ES256, not with ${algorithm}`,
      });
    }
    await this.#add(tenant, await newKey(algorithm), 'first');
    return this.current(tenant, algorithm);
  }

  async published(tenant: Tenant): Promise<readonly SigningKey[]> {
    await this.current(tenant);
    return (await this.list(tenant)).map(({ key }) => key);
  }

  /** The published keys with what they do: those that sign, those that will, and those whose tokens have yet to end. */
  async list(tenant: Tenant): Promise<readonly RingKey[]> {
    const now = this.#parts.clock.now();
    const entries = (await this.#entries(tenant)).filter(({ end }) => end === undefined || end > now);
    const stateOf = (entry: Entry): KeyState => {
      if (entry.start > now) return 'next';
      return signs(entries, entry.key.algorithm, now) === entry ? 'current' : 'former';
    };
    const order: readonly KeyState[] = ['current', 'next', 'former'];
    return entries
      .map((entry) => ({
        key: entry.key,
        state: stateOf(entry),
        created: entry.created,
        signsFrom: entry.start,
        publishedUntil: entry.end === never ? undefined : entry.end,
      }))
      .toSorted((left, right) => order.indexOf(left.state) - order.indexOf(right.state));
  }

  /**
   * Makes a key that follows the present one. It is published at once and signs when all verifiers have had time to
   * see it, or without delay when the present one must not be used any more; the former stays published until its last
   * token has ended.
   */
  async rotate(
    tenant: Tenant,
    algorithm: SigningKey['algorithm'],
    options: { readonly immediately?: boolean } = {},
  ): Promise<SigningKey> {
    await this.current(tenant, algorithm);
    const pair = await newKey(algorithm);
    await this.#add(tenant, pair, options.immediately === true ? 'now' : 'later');
    return pair.key;
  }

  /**
   * Ends the publication of a key at once, so that nothing it signed is good any more; one that signs is replaced.
   *
   * @throws MillraceError `MR_KEY_UNKNOWN` (404)
   */
  async revoke(tenant: Tenant, id: string): Promise<void> {
    const found = (await this.list(tenant)).find(({ key }) => key.id === id);
    if (!found) {
      throw new MillraceError({ code: 'MR_KEY_UNKNOWN', status: 404, message: `${tenant.domain} has no key ${id}` });
    }
    if (found.state === 'current') await this.rotate(tenant, found.key.algorithm, { immediately: true });
    const { database, clock } = this.#parts;
    await database.transaction(async (transaction) => {
      const sql = 'UPDATE mr_signing_key SET retired = ? WHERE tenant = ? AND id = ?';
      await transaction.run(sql, [clock.now(), tenant.id, id]);
      await this.#changed(transaction, tenant, id);
    });
    this.#rings.delete(tenant.id);
  }

  async #entries(tenant: Tenant): Promise<readonly Entry[]> {
    const { database, clock, ofKeyStore } = this.#parts;
    const now = clock.now();
    const known = this.#rings.get(tenant.id);
    if (known && known.until > now) return known.entries;
    const rows = await database.all('SELECT * FROM mr_signing_key WHERE tenant = ? ORDER BY created, id', [tenant.id]);
    const ofStore = tenant.id === superTenant.id ? ofKeyStore() : [];
    const missing = ofStore.find(({ id }) => !rows.some((row) => row['id'] === id));
    if (missing) {
      const hasAny = rows.some((row) => row['algorithm'] === missing.algorithm);
      const pem = missing.privateKey.export({ type: 'pkcs8', format: 'pem' });
      log.info({ tenant: tenant.domain, key: missing.id }, 'a signing key came from the key store');
      await this.#add(tenant, { key: missing, pem }, hasAny ? 'later' : 'first');
      return this.#entries(tenant);
    }
    const entries = rows
      .filter(({ retired }) => retired === null || Number(retired) > now)
      .map((row) => this.#entryOf(row, ofStore));
    this.#rings.set(tenant.id, { entries, until: now + cacheTime });
    return entries;
  }

  /** Adds a key. Of two nodes that make a first one at the same time, the first to come stays. */
  async #add(tenant: Tenant, { key, pem }: NewKey, when: 'first' | 'now' | 'later'): Promise<void> {
    const { database, clock, protection, longestLifetime } = this.#parts;
    const lifetime = await longestLifetime(tenant);
    const now = clock.now();
    const start = when === 'later' ? now + keyLead : now;
    const certificate = key.certificate?.toString() ?? null;
    await database.transaction(async (transaction) => {
      const alike = 'SELECT id FROM mr_signing_key WHERE tenant = ? AND algorithm = ? AND retired IS NULL';
      const present = await transaction.all(alike, [tenant.id, key.algorithm]);
      if (when === 'first' ? present.length > 0 : present.some(({ id }) => id === key.id)) return;
      await transaction.run(
        'UPDATE mr_signing_key SET retired = ? WHERE tenant = ? AND algorithm = ? AND retired IS NULL',
        [lifetime < 0 ? never : start + lifetime, tenant.id, key.algorithm],
      );
      // A key that comes back to the key store begins anew.
      await transaction.run('DELETE FROM mr_signing_key WHERE tenant = ? AND id = ?', [tenant.id, key.id]);
      await transaction.run(
        'INSERT INTO mr_signing_key (id, tenant, algorithm, private_key, public_key, certificate, created, ' +
          'signs_from, retired) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)',
        [
          key.id,
          tenant.id,
          key.algorithm,
          protection.store(pem),
          key.publicKey.export({ type: 'spki', format: 'pem' }),
          certificate,
          now,
          start,
        ],
      );
      await this.#changed(transaction, tenant, key.id);
    });
    this.#rings.delete(tenant.id);
  }

  async #changed(transaction: Transaction, { domain }: Tenant, id: string): Promise<void> {
    const change = { tenant: domain, topic: 'identity.key', key: id, payload: null };
    await appendChange(transaction, change, this.#parts.clock);
  }

  /** A key that the key store holds as well needs no decryption, and so no encryption key that all nodes share. */
  #entryOf(row: SqlRow, ofStore: readonly SigningKey[]): Entry {
    const { protection } = this.#parts;
    const certificate = row['certificate'];
    const id = String(row['id']);
    const key =
      this.#read.get(id) ??
      ofStore.find((each) => each.id === id) ??
      signingKeyOf(
        protection.restore(String(row['private_key'])) ?? '',
        typeof certificate === 'string' ? certificate : undefined,
      );
    this.#read.set(id, key);
    const { retired } = row;
    return {
      key,
      created: Number(row['created']),
      start: Number(row['signs_from'] ?? row['created']),
      end: retired === null ? undefined : Number(retired),
    };
  }
}

/** The key that signs: of those that have begun the latest, and at the same moment the one that nothing has followed. */
function signs(entries: readonly Entry[], algorithm: string, now: number): Entry | undefined {
  return entries
    .filter(({ key, start }) => key.algorithm === algorithm && start <= now)
    .toSorted(
      (left, right) => right.start - left.start || Number(left.end !== undefined) - Number(right.end !== undefined),
    )[0];
}

interface NewKey {
  readonly key: SigningKey;
  readonly pem: string;
}

async function newKey(algorithm: SigningKey['algorithm']): Promise<NewKey> {
  const { privateKey } =
    algorithm === 'RS256'
      ? await generate('rsa', { modulusLength: 2048 })
      : await generate('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { key: signingKeyOf(pem, undefined), pem };
}
