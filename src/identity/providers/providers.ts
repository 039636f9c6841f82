import { join } from 'node:path';
import type { Clock } from '#core';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { issuerOf } from '../oauth/issuer.ts';
import type { IdentitySettings } from '../settings.ts';
import { isSuperTenant, superTenant, type Tenant } from '../tenants/tenant.ts';
import { ProviderFolder } from './provider-files.ts';
import type { IdentityProvider, IdentityProviders } from './provider.ts';

export interface ProviderParts {
  readonly settings: Pick<IdentitySettings, 'publicUrl' | 'issuer'>;
  readonly keys: SigningKeys;
  readonly clock: Clock;
  /** Where the files of a tenant are. */
  readonly folderOf: (tenant: Tenant) => string;
}

/** Providers of the super tenant's folder whose names begin so are there for all tenants. */
const sharedPrefix = 'SHARED_';

/** The folders of identity providers below a home: the original's for the super tenant, one below each other tenant. */
export function providerFolders({ conf, directory }: { readonly conf: string; readonly directory: string }) {
  return (tenant: Tenant): string =>
    isSuperTenant(tenant)
      ? join(conf, 'identity', 'identity-providers')
      : join(directory, 'tenants', tenant.domain, 'identity-providers');
}

/** Providers from files, read again when they change, and the server itself. */
export function createIdentityProviders({ settings, keys, clock, folderOf }: ProviderParts): IdentityProviders {
  const folders = new Map<number, ProviderFolder>();

  const filesOf = (tenant: Tenant): readonly IdentityProvider[] => {
    const folder = folders.get(tenant.id) ?? new ProviderFolder(folderOf(tenant), clock);
    folders.set(tenant.id, folder);
    return folder.list();
  };

  const ofFiles = (tenant: Tenant): readonly IdentityProvider[] => {
    if (isSuperTenant(tenant)) return filesOf(tenant);
    const shared = filesOf(superTenant).filter(({ name }) => name.startsWith(sharedPrefix));
    return [...filesOf(tenant), ...shared];
  };

  const resident = async (tenant: Tenant): Promise<IdentityProvider> => {
    const published = await keys.published(tenant);
    const issuer = issuerOf(settings, tenant);
    return {
      name: 'LOCAL',
      isEnabled: true,
      isResident: true,
      alias: undefined,
      issuer,
      samlEntityId: issuer,
      jwksUri: undefined,
      certificates: [],
      keys: published.map(({ id, publicKey }) => ({ id, key: publicKey })),
      claims: new Map(),
      roleClaim: undefined,
      roles: new Map(),
      kerberos: undefined,
    };
  };

  const find = (tenant: Tenant, is: (provider: IdentityProvider) => boolean): IdentityProvider | undefined =>
    ofFiles(tenant).find((provider) => provider.isEnabled && is(provider));
  const isOwn = (tenant: Tenant, issuer: string): boolean => issuer === issuerOf(settings, tenant);

  return {
    ofIssuer: async (tenant, issuer) =>
      isOwn(tenant, issuer)
        ? resident(tenant)
        : (find(tenant, (each) => each.issuer === issuer) ?? find(tenant, ({ name }) => name === issuer)),
    ofSamlEntity: async (tenant, entityId) =>
      isOwn(tenant, entityId) ? resident(tenant) : find(tenant, (each) => each.samlEntityId === entityId),
    ofName: async (tenant, name) => find(tenant, (each) => each.name === name),
    withKerberos: async (tenant) => find(tenant, ({ kerberos }) => kerberos !== undefined),
  };
}
