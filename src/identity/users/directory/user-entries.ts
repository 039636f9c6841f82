import type { Entry } from 'ldapts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { User } from '../users.ts';
import type { TimedCache } from '../cache.ts';
import { escapeFilter, escapeFilterPattern, fillDn, fillFilter, foldDn, unescapeTyped } from './escape.ts';
import { guidFilter, valueOf, type Entries } from './entries.ts';
import { placesOf } from './places.ts';
import type { DirectorySettings } from './settings.ts';

/** A user with the entry that holds it. */
export interface FoundUser {
  readonly user: User;
  readonly entry: Entry;
}

/** Finds the entries of users. */
export interface UserEntries {
  byName(tenant: Tenant, name: string): Promise<FoundUser | undefined>;
  byId(tenant: Tenant, id: string): Promise<FoundUser | undefined>;
  list(tenant: Tenant, pattern: string, limit: number): Promise<readonly FoundUser[]>;
  /** Two at most. */
  byAttribute(tenant: Tenant, attribute: string, value: string): Promise<readonly FoundUser[]>;
  /** The user whose entry has this name; undefined for entries that are no users. */
  byDn(tenant: Tenant, dn: string): Promise<FoundUser | undefined>;
  /** Forgets where a user was found. */
  forget(tenant: Tenant, name: string): void;
}

export interface UserEntriesParts {
  readonly domain: string;
  readonly settings: DirectorySettings;
  readonly entries: Entries;
  /** Distinguished names by tenant and name. */
  readonly names: TimedCache<string>;
  readonly fold: (name: string) => string;
}

/** Ids of entries without an attribute for it are made of the name. */
const nameId = 'name:';

export function createUserEntries({ domain, settings, entries, names, fold }: UserEntriesParts): UserEntries {
  const { user: schema } = settings;
  const attributes = [
    '*',
    schema.idAttribute,
    schema.nameAttribute,
    ...(schema.memberOfAttribute ? [schema.memberOfAttribute] : []),
  ];
  const keyOf = (tenant: Tenant, name: string): string => `${tenant.id}/${fold(name)}`;

  const found = (tenant: Tenant, entry: Entry): FoundUser | undefined => {
    const name = valueOf(entry, schema.nameAttribute);
    if (name === undefined) return undefined;
    const id = valueOf(entry, schema.idAttribute) ?? nameId + Buffer.from(fold(name)).toString('base64url');
    const shown = schema.displayNameAttribute && valueOf(entry, schema.displayNameAttribute);
    return { user: { id, name, storeDomain: domain, tenant, ...(shown ? { displayName: shown } : {}) }, entry };
  };

  const isSameName = (entry: Entry, name: string): boolean => {
    const own = valueOf(entry, schema.nameAttribute);
    return own !== undefined && fold(own) === fold(name);
  };

  const oneOf = async (tenant: Tenant, filter: string): Promise<Entry | undefined> => {
    const { userBases } = placesOf(settings, tenant);
    for (const base of userBases) {
      const [entry, ...others] = await entries.find({ base, filter, attributes, limit: 2 });
      // Two entries of one name: nobody could say which of them signed in.
      if (entry) return others.length === 0 ? entry : undefined;
    }
    return undefined;
  };

  const byName = async (tenant: Tenant, name: string): Promise<FoundUser | undefined> => {
    const cached = names.get(keyOf(tenant, name));
    const known = cached === undefined ? undefined : await entries.read(cached, attributes);
    if (known && isSameName(known, name)) return found(tenant, known);
    for (const pattern of placesOf(settings, tenant).userPatterns) {
      const entry = await entries.read(fillDn(pattern, name), attributes);
      if (entry && isSameName(entry, name)) return found(tenant, entry);
    }
    const entry = await oneOf(tenant, fillFilter(schema.searchFilter, name));
    // A directory compares as it likes; where case counts here, it counts.
    if (!entry || fold(valueOf(entry, schema.nameAttribute) ?? name) !== fold(name)) return undefined;
    names.set(keyOf(tenant, name), entry.dn);
    return found(tenant, entry);
  };

  return {
    byName: (tenant, typed) => byName(tenant, settings.readsEscapes ? unescapeTyped(typed) : typed),
    async byId(tenant, id) {
      if (id.startsWith(nameId)) {
        return byName(tenant, Buffer.from(id.slice(nameId.length), 'base64url').toString('utf8'));
      }
      const isGuid = schema.idAttribute.toLowerCase() === 'objectguid';
      if (isGuid && !/^[0-9a-f-]{36}$/i.test(id)) return undefined;
      const value = isGuid ? guidFilter(id) : escapeFilter(id);
      const own = schema.idFilter?.includes(`${schema.idAttribute}=?`) ? schema.idFilter : undefined;
      const filter = own?.replaceAll('?', () => value) ?? `(&${schema.listFilter}(${schema.idAttribute}=${value}))`;
      const entry = await oneOf(tenant, filter);
      return entry && found(tenant, entry);
    },
    async list(tenant, pattern, limit) {
      const name = `(${schema.nameAttribute}=${pattern === '*' ? '*' : escapeFilterPattern(pattern)})`;
      const filter = `(&${schema.listFilter}${name})`;
      const listed = await entries.findBelow(placesOf(settings, tenant).userBases, { filter, attributes, limit });
      return listed.flatMap((entry) => found(tenant, entry) ?? []);
    },
    async byAttribute(tenant, attribute, value) {
      const filter = `(&${schema.listFilter}(${attribute}=${escapeFilter(value)}))`;
      const { userBases } = placesOf(settings, tenant);
      const listed = await entries.findBelow(userBases, { filter, attributes, limit: 2 });
      return listed.flatMap((entry) => found(tenant, entry) ?? []);
    },
    async byDn(tenant, dn) {
      const inPlace = placesOf(settings, tenant).userBases.some((base) => foldDn(dn).endsWith(`,${foldDn(base)}`));
      const entry = inPlace ? await entries.read(dn, attributes) : undefined;
      return entry && found(tenant, entry);
    },
    forget: (tenant, name) => names.delete(keyOf(tenant, name)),
  };
}
