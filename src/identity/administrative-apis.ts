import type { Config } from '#config';
import type { Audit, Clock } from '#core';
import { jsonResponse, type FetchHandler } from '#rest';
import type { FindCaller } from './oauth/callers.ts';
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
  extends UserGround, Pick<OAuthServices, 'clients' | 'tokens' | 'grants' | 'settings' | 'own'> {
  readonly findCaller: FindCaller;
  readonly keys: KeyRing;
  readonly audit: Audit;
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  /** Undefined where it is off. */
  readonly recovery: Recovery | undefined;
  readonly publicUrl: string;
  readonly tenantCreated?: TenantCreated;
}

/** The administrative APIs of users, tenants, clients, tokens and keys, by their paths. */
export function administrativeApis(parts: AdministrativeApisParts): ReadonlyMap<string, FetchHandler> {
  const tenants = createTenantsApi(parts);
  const scim = createScimApi(parts);
  const keys = createKeysApi(parts);
  const clients = createClientsApi(parts);
  const tokenList = createTokenList(parts.database, createProtection(parts.settings.protection));
  const tokens = createTokensApi({ ...parts, tokenList });
  const apis = new Map<string, FetchHandler>([
    ['/scim2', scim.fetch],
    ['/scim2/openapi.json', async () => jsonResponse(await scim.openapi())],
    ['/api/server/v1/tenants', tenants.fetch],
    ['/api/server/v1/tenants/openapi.json', async () => jsonResponse(await tenants.openapi())],
    ['/api/server/v1/clients', clients.fetch],
    ['/api/server/v1/clients/openapi.json', async () => jsonResponse(await clients.openapi())],
    ['/api/server/v1/tokens', tokens.fetch],
    ['/api/server/v1/tokens/openapi.json', async () => jsonResponse(await tokens.openapi())],
    ['/api/server/v1/signing-keys', keys.fetch],
    ['/api/server/v1/signing-keys/openapi.json', async () => jsonResponse(await keys.openapi())],
  ]);
  const { recovery } = parts;
  if (recovery) {
    const { current, former } = createRecoveryApi({ ...parts, recovery });
    apis.set(current.basePath, current.fetch);
    apis.set(former.basePath, former.fetch);
  }
  return apis;
}
