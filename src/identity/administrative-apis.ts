import type { Config } from '#config';
import type { Clock } from '#core';
import { jsonResponse, type FetchHandler } from '#rest';
import type { AdministrativeApiParts } from './http/administrative-api.ts';
import { createClientsApi } from './oauth/clients-api.ts';
import type { OAuthServices } from './oauth/services.ts';
import { createTokenList } from './oauth/token-list.ts';
import { createProtection } from './oauth/token-protection.ts';
import { createTokensApi } from './oauth/tokens-api.ts';
import type { Database } from '#db';
import type { KeyRing } from './keys/key-ring.ts';
import { createKeysApi } from './keys/keys-api.ts';
import { createRecoveryApi } from './recovery/recovery-api.ts';
import type { Recovery } from './recovery/recovery.ts';
import { createScimApi } from './scim/scim-api.ts';
import { createTenantsApi, type TenantCreated } from './tenants/tenants-api.ts';
import type { UserGround } from './users/ground.ts';

export interface AdministrativeApisParts
  extends
    AdministrativeApiParts,
    UserGround,
    Pick<OAuthServices, 'clients' | 'tokens' | 'grants' | 'settings' | 'own' | 'scopes' | 'readStatement'> {
  readonly keys: KeyRing;
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  /** Undefined where it is off. */
  readonly recovery: Recovery | undefined;
  readonly tenantCreated?: TenantCreated;
}

/** The administrative APIs of users, tenants, clients, tokens and keys, by their paths. */
export function administrativeApis(parts: AdministrativeApisParts): ReadonlyMap<string, FetchHandler> {
  const tokenList = createTokenList(parts.database, createProtection(parts.settings.protection));
  const described = {
    '/scim2': createScimApi(parts),
    '/api/server/v1/tenants': createTenantsApi(parts),
    '/api/server/v1/clients': createClientsApi(parts),
    '/api/server/v1/tokens': createTokensApi({ ...parts, tokenList }),
    '/api/server/v1/signing-keys': createKeysApi(parts),
  };
  const apis = new Map<string, FetchHandler>();
  for (const [path, api] of Object.entries(described)) {
    apis.set(path, api.fetch);
    apis.set(`${path}/openapi.json`, async () => jsonResponse(await api.openapi()));
  }
  const { recovery } = parts;
  if (recovery) {
    const { current, former } = createRecoveryApi({ ...parts, recovery });
    apis.set(current.basePath, current.fetch);
    apis.set(former.basePath, former.fetch);
  }
  return apis;
}
