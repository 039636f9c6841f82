import { join } from 'node:path';
import { userStore, userStoreDetails, userStoreProperties, type Config } from '#config';
import type { Clock, Home } from '#core';
import { openDatabase, type Database } from '#db';
import { MillraceError } from '#errors';
import type { ClaimTables } from '../claims/claim-tables.ts';
import { isSuperTenant, type Tenant } from '../tenants/tenant.ts';
import { createDatabaseStore } from './database-store.ts';
import type { Trusted } from './directory/connections.ts';
import { createDirectoryStore } from './directory/directory-store.ts';
import { readDirectorySettings } from './directory/settings.ts';
import { readPasswordHashing } from './passwords.ts';
import { usersSchema } from './schema.ts';
import { storeTypeOf, type Decrypt, type StoreFile } from './store-file.ts';
import { createStoreFolder, type StoreFolder } from './store-folder.ts';
import { flagOf, propertiesOfConfig, textOf, type StoreProperties } from './store-properties.ts';
import { readStoreRules } from './store-rules.ts';
import type { UserStore } from './user-store.ts';

/** The stores of all tenants. */
export interface Stores extends AsyncDisposable {
  /** The first store, unless it is off, then those of the files in the order of their names (identity 5.3). */
  of(tenant: Tenant): Promise<readonly UserStore[]>;
  /** Names of the tenant's files whose stores cannot be opened. */
  faulty(tenant: Tenant): Promise<readonly string[]>;
}

export interface StoresParts {
  readonly config: Config;
  readonly home: Home;
  readonly database: Database;
  readonly clock: Clock;
  readonly decrypt: Decrypt;
  readonly claims: ClaimTables;
  /** What directories are checked against; the authorities that Node knows when absent. */
  readonly trusted?: Trusted | undefined;
}

interface StoreFacts {
  readonly type: string;
  readonly domain: string;
  readonly properties: StoreProperties;
}

/**
 * Opens the first store, and the others as they are needed.
 *
 * @throws MillraceError `MR_STORE_PROPERTY`
 */
export function openStores(parts: StoresParts): Stores {
  const { config, home, clock } = parts;
  const type = typeOf(config);
  const properties = propertiesOfConfig(config);
  const domain = (config.get(userStoreDetails.domainName) ?? 'PRIMARY').toUpperCase();
  const first = openStore({ type, domain, properties }, parts);
  // Tenants of an installation whose directory is not divided by tenant are in the database.
  const ofTenants =
    isDirectory(type) && !dividesByTenant(config)
      ? openStore({ type: 'database', domain, properties: new Map() }, parts)
      : first;
  const isFirstOff = flagOf(properties, 'Disabled', false);
  const folders = new Map<number, StoreFolder>();

  const folderOf = (tenant: Tenant): StoreFolder => {
    const known = folders.get(tenant.id);
    if (known) return known;
    const folder = isSuperTenant(tenant)
      ? home.userstores
      : join(home.directory, 'repository', 'tenants', String(tenant.id), 'userstores');
    const open = (file: StoreFile): Promise<UserStore> => openSecondary(file, domain, parts);
    const made = createStoreFolder({ folder, clock, decrypt: parts.decrypt, open });
    folders.set(tenant.id, made);
    return made;
  };

  return {
    async of(tenant) {
      const others = await folderOf(tenant).stores();
      if (isFirstOff) return others;
      return [isSuperTenant(tenant) ? first : ofTenants, ...others];
    },
    faulty: (tenant) => folderOf(tenant).faulty(),
    async [Symbol.asyncDispose]() {
      for (const folder of folders.values()) await folder[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
      if (ofTenants !== first) await ofTenants[Symbol.asyncDispose]();
    },
  };
}

/**
 * The kind of the first store: the class says it where the file names one, as the original builds that.
 *
 * @throws MillraceError `MR_STORE_CLASS` for a class that is not known
 */
function typeOf(config: Config): string {
  const className = config.get(userStore.class);
  if (className === undefined) return config.get(userStore.type);
  const found = storeTypeOf(className);
  if (found !== undefined) return found;
  throw new MillraceError({
    code: 'MR_STORE_CLASS',
    message: `user_store.class: expected a user store manager of the original for databases or directories, found ${className}`,
  });
}

function isDirectory(type: string): boolean {
  return !type.startsWith('database');
}

/** The realm builder decides when it is named, else the tenant manager (identity 5.2). */
function dividesByTenant(config: Config): boolean {
  const builder = config.get(userStoreProperties.multiTenantRealmConfigBuilder);
  if (builder !== undefined) return !builder.endsWith('SimpleRealmConfigBuilder');
  return !(config.get(userStoreProperties.tenantManager) ?? '').endsWith('.JDBCTenantManager');
}

type Ground = Pick<StoresParts, 'database' | 'clock' | 'claims' | 'trusted'>;

function openStore(facts: StoreFacts, ground: Ground): UserStore {
  return isDirectory(facts.type) ? openDirectory(facts, ground) : openTables(facts, ground);
}

function openTables({ domain, properties }: StoreFacts, { database, clock, claims }: Ground): UserStore {
  const rules = readStoreRules(properties);
  const hashing = readPasswordHashing(properties);
  return createDatabaseStore({ domain, database, clock, rules, hashing, keptWith: claims.keptWith(domain) });
}

function openDirectory(
  { type, domain, properties }: StoreFacts,
  { clock, claims, trusted }: Omit<Ground, 'database'>,
): UserStore {
  const rules = readStoreRules(properties, { isDirectory: true });
  const settings = readDirectorySettings(properties, type);
  const attributeOf = claims.attributesOf({ domain, nameAttribute: settings.user.nameAttribute });
  return createDirectoryStore({ domain, settings, rules, clock, attributeOf, trusted });
}

async function openSecondary(file: StoreFile, primary: string, parts: StoresParts): Promise<UserStore> {
  const { domain, className, properties } = file;
  if (domain === primary) throw wrongFile(`DomainName: ${domain} is the domain of the first user store`);
  const type = storeTypeOf(className);
  if (type === undefined) throw wrongFile(`The class ${className} is no user store that is known here`);
  if (isDirectory(type)) return openDirectory({ type, domain, properties }, parts);
  const url = textOf(properties, 'url');
  if (url === undefined) throw wrongFile(`${domain}: expected a property url, the address of the database`);
  const username = textOf(properties, 'userName');
  const password = properties.get('password');
  const database = await openDatabase({
    home: parts.home,
    schemas: [usersSchema],
    url,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  });
  const store = openTables({ type, domain, properties }, { ...parts, database });
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

function wrongFile(message: string): MillraceError {
  return new MillraceError({ code: 'MR_STORE_FILE', status: 400, message });
}
