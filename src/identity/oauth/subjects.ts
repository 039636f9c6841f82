import type { User } from '../users/users.ts';
import type { Subject } from './tokens.ts';

/** The subject of a user of our own stores. */
export function userSubject(user: User): Subject {
  return {
    id: user.id,
    name: user.name,
    storeDomain: user.storeDomain,
    tenant: user.tenant,
    type: 'user',
    identityProvider: 'LOCAL',
  };
}

/** The user as `username` shows it: store domain unless it is the first one, and the tenant (identity 2.6). */
export function shownName({ name, storeDomain, tenant, type }: Subject): string {
  if (type === 'application') return name;
  const stored = storeDomain === '' || storeDomain === 'PRIMARY' ? name : `${storeDomain}/${name}`;
  return `${stored}@${tenant.domain}`;
}
