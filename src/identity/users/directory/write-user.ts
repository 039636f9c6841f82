import { randomUUID } from 'node:crypto';
import { AlreadyExistsError, Attribute, Change, NoSuchAttributeError, ResultCodeError, type Entry } from 'ldapts';
import { MillraceError } from '#errors';
import type { Tenant } from '../../tenants/tenant.ts';
import type { AttributeOf } from '../user-store.ts';
import type { NewUser } from '../users.ts';
import type { DirectoryConnections } from './connections.ts';
import { escapeDn, fillDn } from './escape.ts';
import { activeDirectoryPassword, directoryPassword } from './password-format.ts';
import { joinDn, placesOf } from './places.ts';
import type { DirectorySettings } from './settings.ts';

/** Writes the entries of users. */
export interface UserWriter {
  /** Makes the units of a tenant that are not there yet. */
  prepare(tenant: Tenant): Promise<void>;
  create(tenant: Tenant, user: Omit<NewUser, 'roles'>): Promise<void>;
  setPassword(entry: Entry, password: string): Promise<void>;
  setClaims(entry: Entry, claims: ReadonlyMap<string, string | null>): Promise<void>;
}

export interface UserWriterParts {
  readonly settings: DirectorySettings;
  readonly connections: DirectoryConnections;
  readonly attributeOf: AttributeOf;
  readonly separator: string;
}

export function createUserWriter({ settings, connections, attributeOf, separator }: UserWriterParts): UserWriter {
  const { user: schema } = settings;
  const isActiveDirectory = settings.kind === 'active_directory';

  const passwordAttribute = (password: string): Attribute =>
    isActiveDirectory
      ? new Attribute({ type: 'unicodePwd', values: [activeDirectoryPassword(password)] })
      : new Attribute({ type: 'userPassword', values: [directoryPassword(password, schema.passwordMethod)] });

  const ensureUnits = async (tenant: Tenant): Promise<void> => {
    for (const { dn, name } of placesOf(settings, tenant).units) {
      const attributes = { objectClass: ['organizationalUnit'], ou: [name] };
      await connections
        .use((client) => client.add(dn, attributes))
        .catch((error: unknown) => {
          if (!(error instanceof AlreadyExistsError)) throw error;
        });
    }
  };

  const valuesOfClaim = (claim: string, value: string): readonly [string, readonly string[]] | undefined => {
    const target = attributeOf(claim);
    return target && [target.attribute, target.isMultiValued ? value.split(separator).filter(Boolean) : [value]];
  };

  return {
    prepare: ensureUnits,
    async create(tenant, { name, password, claims = new Map() }) {
      const places = placesOf(settings, tenant);
      const [pattern] = places.userPatterns;
      const naming = isActiveDirectory ? 'cn' : schema.nameAttribute;
      const dn = pattern ? fillDn(pattern, name) : joinDn(`${naming}=${escapeDn(name)}`, places.userBases[0] ?? '');
      // Every person has these two (RFC 4519 §3.12).
      const attributes: Record<string, readonly string[]> = { cn: [name], sn: [name] };
      for (const [claim, value] of claims) {
        const [attribute, values] = valuesOfClaim(claim, value) ?? [];
        if (attribute !== undefined && values && values.length > 0) attributes[attribute] = values;
      }
      if (isActiveDirectory) attributes['userAccountControl'] = [String(schema.accountControl ?? 512)];
      if (settings.writesId) attributes[schema.idAttribute] = [randomUUID()];
      if (naming === 'cn') attributes['cn'] = [name];
      attributes[schema.nameAttribute] = [name];
      attributes['objectClass'] = [schema.objectClass];
      const list = Object.entries(attributes).map(([type, values]) => new Attribute({ type, values: [...values] }));
      await ensureUnits(tenant);
      try {
        await connections.use((client) => client.add(dn, [...list, passwordAttribute(password)]));
      } catch (error) {
        if (error instanceof AlreadyExistsError) throw existsAlready(name);
        throw refusedBy(error);
      }
    },
    async setPassword({ dn }, password) {
      const change = new Change({ operation: 'replace', modification: passwordAttribute(password) });
      await connections.use((client) => client.modify(dn, change)).catch(rethrow);
    },
    async setClaims({ dn }, claims) {
      const changes: Change[] = [];
      for (const [claim, value] of claims) {
        const [attribute, values = []] = valuesOfClaim(claim, value ?? '') ?? [];
        if (attribute === undefined) throw unmapped(claim);
        if (schema.immutableAttributes.has(attribute.toLowerCase())) continue;
        const modification = new Attribute({ type: attribute, values: value === null ? [] : [...values] });
        changes.push(new Change({ operation: 'replace', modification }));
      }
      if (changes.length === 0) return;
      await connections
        .use((client) => client.modify(dn, changes))
        .catch((error: unknown) => {
          if (!(error instanceof NoSuchAttributeError)) throw refusedBy(error);
        });
    },
  };
}

function rethrow(error: unknown): never {
  throw refusedBy(error);
}

function existsAlready(name: string): MillraceError {
  return new MillraceError({ code: 'MR_USER_EXISTS', status: 409, message: `There is a user "${name}" already` });
}

function unmapped(claim: string): MillraceError {
  const message = `The user store has no attribute for the claim ${claim}`;
  return new MillraceError({ code: 'MR_CLAIM_UNKNOWN', status: 400, message });
}

/** What a directory refuses is the caller's to mend; other failures stay what they are. */
function refusedBy(error: unknown): unknown {
  if (!(error instanceof ResultCodeError)) return error;
  return new MillraceError({
    code: 'MR_STORE_REFUSED',
    status: 400,
    message: `The user store refuses the change (result ${error.code})`,
    detail: error.message,
    cause: error,
  });
}
