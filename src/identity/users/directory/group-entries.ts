import { Attribute, Change, type Entry } from 'ldapts';
import { MillraceError } from '#errors';
import type { Tenant } from '../../tenants/tenant.ts';
import { escapeDn, escapeFilter, escapeFilterPattern, fillDn, fillFilter, firstValueOf, foldDn } from './escape.ts';
import type { DirectoryConnections } from './connections.ts';
import type { GroupFacts } from '../user-store.ts';
import { isoTime } from '../../claims/ldap-time.ts';
import { valueOf, valuesOf, type Entries } from './entries.ts';
import { joinDn, placesOf } from './places.ts';
import type { DirectorySettings } from './settings.ts';

/** The groups of a directory. */
export interface GroupEntries {
  /** Names of the groups that hold an entry. */
  of(tenant: Tenant, member: Entry): Promise<readonly string[]>;
  list(tenant: Tenant, pattern: string, limit: number): Promise<readonly string[]>;
  describe(tenant: Tenant, limit: number): Promise<readonly GroupFacts[]>;
  /** Distinguished names of the members; undefined without such a group. */
  members(tenant: Tenant, name: string): Promise<readonly string[] | undefined>;
  /** @throws MillraceError `MR_ROLE_UNKNOWN` */
  change(tenant: Tenant, name: string, change: { readonly add?: string; readonly remove?: string }): Promise<void>;
  create(tenant: Tenant, name: string, members: readonly string[]): Promise<void>;
  delete(tenant: Tenant, name: string): Promise<void>;
}

export interface GroupEntriesParts {
  readonly settings: DirectorySettings;
  readonly entries: Entries;
  readonly connections: DirectoryConnections;
}

export function createGroupEntries({ settings, entries, connections }: GroupEntriesParts): GroupEntries {
  const { group: schema, user, connection } = settings;
  const attributes = [schema.nameAttribute, memberRequest()];
  /** Stands in a group that may not be empty (RFC 4519 §3.5 wants a member). */
  const placeholder = connection.account?.dn ?? 'cn=nobody';

  function memberRequest(): string {
    const isRanged = settings.kind === 'active_directory' && schema.memberRange > 0;
    return isRanged ? `${schema.memberAttribute};range=0-${schema.memberRange - 1}` : schema.memberAttribute;
  }

  const find = async (tenant: Tenant, name: string): Promise<Entry | undefined> => {
    const places = placesOf(settings, tenant);
    for (const pattern of places.groupPatterns) {
      const entry = await entries.read(fillDn(pattern, name), attributes);
      if (entry) return entry;
    }
    const filter = fillFilter(schema.searchFilter, name);
    const [entry] = await entries.findBelow(places.groupBases, { filter, attributes, limit: 1 });
    return entry;
  };

  const isPlaceholder = (dn: string): boolean => foldDn(dn) === foldDn(placeholder);
  const valuesIn = (entry: Entry): Promise<readonly string[]> =>
    entries.allValues(entry, schema.memberAttribute, schema.memberRange);

  const existing = async (tenant: Tenant, name: string): Promise<Entry> => {
    const entry = schema.isRead ? await find(tenant, name) : undefined;
    if (entry) return entry;
    throw new MillraceError({ code: 'MR_ROLE_UNKNOWN', status: 400, message: `There is no group "${name}"` });
  };

  const modify = (dn: string, operation: 'add' | 'delete', value: string): Promise<void> => {
    const modification = new Attribute({ type: schema.memberAttribute, values: [value] });
    return connections.use((client) => client.modify(dn, new Change({ operation, modification })));
  };

  return {
    async of(tenant, member) {
      if (!schema.isRead) return [];
      const { groupBases } = placesOf(settings, tenant);
      if (user.memberOfAttribute !== undefined) {
        const isGroup = (dn: string): boolean => groupBases.some((base) => foldDn(dn).endsWith(`,${foldDn(base)}`));
        return valuesOf(member, user.memberOfAttribute).filter(isGroup).map(firstValueOf);
      }
      const filter = `(&${schema.listFilter}(${schema.memberAttribute}=${escapeFilter(member.dn)}))`;
      const found = await entries.findBelow(groupBases, { filter, attributes: [schema.nameAttribute] });
      return found.flatMap((entry) => valueOf(entry, schema.nameAttribute) ?? []);
    },
    async list(tenant, pattern, limit) {
      if (!schema.isRead) return [];
      const filter = `(&${schema.listFilter}(${schema.nameAttribute}=${escapeFilterPattern(pattern)}))`;
      const { groupBases } = placesOf(settings, tenant);
      const found = await entries.findBelow(groupBases, { filter, attributes: [schema.nameAttribute], limit });
      return found.flatMap((entry) => valueOf(entry, schema.nameAttribute) ?? []);
    },
    async describe(tenant, limit) {
      if (!schema.isRead) return [];
      const { idAttribute, createdAttribute, modifiedAttribute } = schema;
      const wanted = [schema.nameAttribute, createdAttribute, modifiedAttribute, ...(idAttribute ? [idAttribute] : [])];
      const { groupBases } = placesOf(settings, tenant);
      const found = await entries.findBelow(groupBases, { filter: schema.listFilter, attributes: wanted, limit });
      return found.flatMap((entry) => {
        const name = valueOf(entry, schema.nameAttribute);
        if (name === undefined) return [];
        return {
          name,
          id: idAttribute && valueOf(entry, idAttribute),
          created: isoTime(valueOf(entry, createdAttribute)),
          modified: isoTime(valueOf(entry, modifiedAttribute)),
        };
      });
    },
    async members(tenant, name) {
      const entry = schema.isRead ? await find(tenant, name) : undefined;
      return entry && (await valuesIn(entry)).filter((dn) => !isPlaceholder(dn));
    },
    async change(tenant, name, { add, remove }) {
      const entry = await existing(tenant, name);
      const members = await valuesIn(entry);
      const has = (dn: string): boolean => members.some((each) => foldDn(each) === foldDn(dn));
      if (add !== undefined && !has(add)) await modify(entry.dn, 'add', add);
      if (remove === undefined || !has(remove)) return;
      if (members.length === 1 && !schema.mayBeEmpty) await modify(entry.dn, 'add', placeholder);
      await modify(entry.dn, 'delete', remove);
    },
    async create(tenant, name, members) {
      const places = placesOf(settings, tenant);
      if (await find(tenant, name)) {
        throw new MillraceError({ code: 'MR_ROLE_EXISTS', status: 409, message: `There is a group "${name}" already` });
      }
      const [pattern] = places.groupPatterns;
      const dn = pattern
        ? fillDn(pattern, name)
        : joinDn(`${schema.nameAttribute}=${escapeDn(name)}`, places.groupBases[0] ?? '');
      const held = members.length === 0 && !schema.mayBeEmpty ? [placeholder] : [...members];
      await connections.use((client) =>
        client.add(dn, {
          objectClass: [schema.objectClass],
          [schema.nameAttribute]: [name],
          ...(schema.writesAccountName && { sAMAccountName: [name] }),
          ...(held.length > 0 && { [schema.memberAttribute]: held }),
        }),
      );
    },
    async delete(tenant, name) {
      const entry = await existing(tenant, name);
      await connections.use((client) => client.del(entry.dn));
    },
  };
}
