import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '#core';
import type { Database, SqlRow } from '#db';
import { MillraceError } from '#errors';
import { superTenant, type Tenant } from '../tenants/tenant.ts';
import type { Protection } from '../oauth/token-protection.ts';
import { signingKeyOf } from './key-store-keys.ts';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

const generate = promisify(generateKeyPair);

export interface KeyRingParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Encrypts private keys in the database. */
  readonly protection: Protection;
  /** Keys of the key store, the first of an algorithm being the super tenant's own; read again when it changes. */
  readonly ofKeyStore: () => readonly SigningKey[];
  /** Milliseconds for which a retired key is still published: the longest lifetime of a token. */
  readonly retention: number;
}

/** How long the keys of a tenant are kept in memory. */
const cacheTime = 5000;

interface Ring {
  readonly current: readonly SigningKey[];
  readonly former: readonly SigningKey[];
  readonly until: number;
}

/**
 * The keys of each tenant. The super tenant signs with the keys of the key store; every other key is made once, stored
 * encrypted in the database, and so the same on all nodes.
 */
export class KeyRing implements SigningKeys {
  readonly #parts: KeyRingParts;
  readonly #rings = new Map<number, Ring>();

  constructor(parts: KeyRingParts) {
    this.#parts = parts;
  }

  async current(tenant: Tenant, algorithm = 'RS256'): Promise<SigningKey> {
    const found = (await this.#ring(tenant)).current.find((key) => key.algorithm === algorithm);
    if (found) return found;
    if (algorithm !== 'RS256' && algorithm !== 'ES256') {
      throw new MillraceError({
        code: 'MR_SIGNING_ALGORITHM',
        message: `Tokens are signed with RS256 or ES256, not with ${algorithm}`,
      });
    }
    await this.#make(tenant, algorithm);
    return this.current(tenant, algorithm);
  }

  async published(tenant: Tenant): Promise<readonly SigningKey[]> {
    await this.current(tenant);
    const { current, former } = await this.#ring(tenant);
    return [...current, ...former];
  }

  /** Puts a new key in the place of the present one, which stays published until its last token has ended. */
  async rotate(tenant: Tenant, algorithm: SigningKey['algorithm']): Promise<SigningKey> {
    const { database, clock } = this.#parts;
    const sql = 'UPDATE mr_signing_key SET retired = ? WHERE tenant = ? AND algorithm = ? AND retired IS NULL';
    await database.run(sql, [clock.now(), tenant.id, algorithm]);
    await this.#make(tenant, algorithm);
    return this.current(tenant, algorithm);
  }

  async #ring(tenant: Tenant): Promise<Ring> {
    const { database, clock, ofKeyStore, retention } = this.#parts;
    const now = clock.now();
    const known = this.#rings.get(tenant.id);
    if (known && known.until > now) return known;
    const sql = 'SELECT * FROM mr_signing_key WHERE tenant = ? ORDER BY created DESC, id';
    const rows = await database.all(sql, [tenant.id]);
    const living = rows.filter(({ retired }) => retired === null).map((row) => this.#keyOf(row));
    const former = rows
      .filter(({ retired }) => retired !== null && (retention < 0 || Number(retired) + retention > now))
      .map((row) => this.#keyOf(row));
    const ofStore = tenant.id === superTenant.id ? ofKeyStore() : [];
    const ring = { current: [...ofStore, ...living], former, until: now + cacheTime };
    this.#rings.set(tenant.id, ring);
    return ring;
  }

  async #make(tenant: Tenant, algorithm: SigningKey['algorithm']): Promise<void> {
    const { database, clock, protection } = this.#parts;
    const { privateKey } =
      algorithm === 'RS256'
        ? await generate('rsa', { modulusLength: 2048 })
        : await generate('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const key = signingKeyOf(pem, undefined);
    const publicPem = key.publicKey.export({ type: 'spki', format: 'pem' });
    // Two nodes may get here at the same time; the first one's key stays.
    await database.transaction(async (transaction) => {
      const present = 'SELECT id FROM mr_signing_key WHERE tenant = ? AND algorithm = ? AND retired IS NULL';
      if (await transaction.get(present, [tenant.id, algorithm])) return;
      await transaction.run(
        'INSERT INTO mr_signing_key (id, tenant, algorithm, private_key, public_key, certificate, created, retired) ' +
          'VALUES (?, ?, ?, ?, ?, NULL, ?, NULL)',
        [key.id, tenant.id, algorithm, protection.store(pem), publicPem, clock.now()],
      );
    });
    this.#rings.delete(tenant.id);
  }

  #keyOf(row: SqlRow): SigningKey {
    const pem = this.#parts.protection.restore(String(row['private_key'])) ?? '';
    const certificate = row['certificate'];
    return signingKeyOf(pem, typeof certificate === 'string' ? certificate : undefined);
  }
}
