import { createHash } from 'node:crypto';
import type { Tenant } from '../tenants/tenant.ts';

/** The id of a group, made of its name: roles and groups of directories have no other in common. */
export function groupIdOf(tenant: Tenant, name: string): string {
  const hex = createHash('sha256').update(`${tenant.id}/${name.toLowerCase()}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
