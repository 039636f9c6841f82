import type { Audit } from '#core';
import { jsonResponse, type FetchHandler } from '#rest';
import type { FindCaller } from './oauth/callers.ts';
import { createScimApi } from './scim/scim-api.ts';
import { createTenantsApi } from './tenants/tenants-api.ts';
import type { UserGround } from './users/ground.ts';

export interface AdministrativeApisParts extends UserGround {
  readonly findCaller: FindCaller;
  readonly audit: Audit;
  readonly publicUrl: string;
}

/** The administrative APIs of users and tenants, by their paths. */
export function administrativeApis(parts: AdministrativeApisParts): ReadonlyMap<string, FetchHandler> {
  const tenants = createTenantsApi(parts);
  const scim = createScimApi(parts);
  return new Map<string, FetchHandler>([
    ['/scim2', scim.fetch],
    ['/scim2/openapi.json', async () => jsonResponse(await scim.openapi())],
    ['/api/server/v1/tenants', tenants.fetch],
    ['/api/server/v1/tenants/openapi.json', async () => jsonResponse(await tenants.openapi())],
  ]);
}
