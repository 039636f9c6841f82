import { isSuperTenant, type Tenant } from '../../tenants/tenant.ts';
import { escapeDn } from './escape.ts';
import type { DirectorySettings } from './settings.ts';

/** Where the users and groups of one tenant are. */
export interface Places {
  readonly userBases: readonly string[];
  readonly groupBases: readonly string[];
  readonly userPatterns: readonly string[];
  readonly groupPatterns: readonly string[];
  /** The entries that must be there before anything can be written, outermost first. */
  readonly units: readonly { readonly dn: string; readonly name: string }[];
}

/** The super tenant has what is configured; every other tenant a subtree of its own beside it (identity 5.2). */
export function placesOf({ user, group }: DirectorySettings, tenant: Tenant): Places {
  if (isSuperTenant(tenant)) {
    return {
      userBases: user.bases,
      groupBases: group.bases,
      userPatterns: user.dnPatterns,
      groupPatterns: group.dnPatterns,
      units: [],
    };
  }
  const root = parentOf(user.bases[0] ?? '');
  const top = joinDn(`ou=${escapeDn(tenant.domain)}`, root);
  const [users, groups] = [`ou=users,${top}`, `ou=groups,${top}`];
  return {
    userBases: [users],
    groupBases: [groups],
    userPatterns: [],
    groupPatterns: [],
    units: [
      { dn: top, name: tenant.domain },
      { dn: users, name: 'users' },
      { dn: groups, name: 'groups' },
    ],
  };
}

/** A distinguished name without its first part. */
export function parentOf(dn: string): string {
  const [, parent = ''] = /^(?:\\.|[^,\\])*,(.*)$/s.exec(dn) ?? [];
  return parent.trim();
}

export function joinDn(first: string, parent: string): string {
  return parent === '' ? first : `${first},${parent}`;
}
