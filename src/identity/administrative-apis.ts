import { identityMgtPasswordResetEmail, type Config } from '#config';
import type { Audit, Clock } from '#core';
import { jsonResponse, type FetchHandler } from '#rest';
import type { FindCaller } from './oauth/callers.ts';
import type { Database } from '#db';
import { createRecoveryApi } from './recovery/recovery-api.ts';
import { createRecoveryCodes } from './recovery/recovery-codes.ts';
import { createRecovery, type SendNotice } from './recovery/recovery.ts';
import { createScimApi } from './scim/scim-api.ts';
import { createTenantsApi, type TenantCreated } from './tenants/tenants-api.ts';
import type { UserGround } from './users/ground.ts';

export interface AdministrativeApisParts extends UserGround {
  readonly findCaller: FindCaller;
  readonly audit: Audit;
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  /** Sends the notices of account recovery. */
  readonly notify: SendNotice;
  readonly publicUrl: string;
  readonly tenantCreated?: TenantCreated;
}

/** The administrative APIs of users and tenants, by their paths. */
export function administrativeApis(parts: AdministrativeApisParts): ReadonlyMap<string, FetchHandler> {
  const tenants = createTenantsApi(parts);
  const scim = createScimApi(parts);
  const apis = new Map<string, FetchHandler>([
    ['/scim2', scim.fetch],
    ['/scim2/openapi.json', async () => jsonResponse(await scim.openapi())],
    ['/api/server/v1/tenants', tenants.fetch],
    ['/api/server/v1/tenants/openapi.json', async () => jsonResponse(await tenants.openapi())],
  ]);
  if (parts.config.get(identityMgtPasswordResetEmail.enablePasswordResetEmail)) {
    const recovery = createRecovery({ ...parts, codes: createRecoveryCodes(parts) });
    const { current, former } = createRecoveryApi({ ...parts, recovery });
    apis.set(current.basePath, current.fetch);
    apis.set(former.basePath, former.fetch);
  }
  return apis;
}
