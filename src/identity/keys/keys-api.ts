import type { Audit } from '#core';
import { MillraceError } from '#errors';
import { createRestApi, defineOperation, jsonResponse, type RestApi, type SchemaBuilder } from '#rest';
import { authenticateBy } from '../http/authenticate.ts';
import type { FindCaller } from '../oauth/callers.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { KeyRing } from './key-ring.ts';
import type { RingKey, SigningKey } from './signing-keys.ts';

export interface KeysApiParts {
  readonly keys: KeyRing;
  readonly tenants: { find(domain: string): Promise<Tenant | undefined> };
  readonly findCaller: FindCaller;
  readonly audit: Audit;
  readonly publicUrl: string;
}

interface RotationBody {
  readonly algorithm: SigningKey['algorithm'];
  readonly immediately: boolean;
}

const path = '/signing-keys';
const scopes = { view: 'internal_keystore_view', update: 'internal_keystore_update' } as const;

/** A key as administrators see it; what is private stays in the database. */
export function describeKey({ key, state, created, signsFrom, publishedUntil }: RingKey): Readonly<{
  kid: string;
  algorithm: string;
  state: string;
  created: string;
  signsFrom: string;
  publishedUntil: string | undefined;
}> {
  const time = (milliseconds: number): string => new Date(milliseconds).toISOString();
  return {
    kid: key.id,
    algorithm: key.algorithm,
    state,
    created: time(created),
    signsFrom: time(signsFrom),
    publishedUntil: publishedUntil === undefined ? undefined : time(publishedUntil),
  };
}

/** The administration of a tenant's signing keys, for administrators of the tenant. */
export function createKeysApi({ keys, tenants, findCaller, audit, publicUrl }: KeysApiParts): RestApi {
  const tenantOf = async (domain: string): Promise<Tenant> => {
    const tenant = await tenants.find(domain);
    if (tenant) return tenant;
    throw new MillraceError({ code: 'MR_TENANT_UNKNOWN', status: 404, message: `There is no tenant ${domain}` });
  };
  const keySchema = (z: SchemaBuilder): ReturnType<SchemaBuilder['object']> =>
    z.object({
      kid: z.string(),
      algorithm: z.enum(['RS256', 'ES256']),
      state: z.enum(['current', 'next', 'former']),
      created: z.string(),
      signsFrom: z.string(),
      publishedUntil: z.string().optional(),
    });

  const operations = [
    defineOperation({
      id: 'listSigningKeys',
      method: 'GET',
      path,
      summary: 'Lists the keys that are published, with what they do',
      scope: scopes.view,
      responses: { 200: { description: 'The keys', schema: (z) => z.object({ keys: z.array(keySchema(z)) }) } },
      async handle({ tenant }) {
        const owner = await tenantOf(tenant);
        await keys.current(owner);
        return { keys: (await keys.list(owner)).map(describeKey) };
      },
    }),
    defineOperation<Readonly<Record<string, string>>, unknown, RotationBody>({
      id: 'rotateSigningKey',
      method: 'POST',
      path,
      summary: 'Makes a key that follows the present one',
      scope: scopes.update,
      body: (z) =>
        z.object({
          algorithm: z.enum(['RS256', 'ES256']).default('RS256'),
          immediately: z.boolean().default(false),
        }),
      responses: { 201: { description: 'The key was made and is published', schema: keySchema } },
      async handle({ tenant, body: { algorithm, immediately } }) {
        const owner = await tenantOf(tenant);
        const made = await keys.rotate(owner, algorithm, { immediately });
        const found = (await keys.list(owner)).find(({ key }) => key.id === made.id);
        return jsonResponse(found && describeKey(found), 201);
      },
    }),
    defineOperation({
      id: 'revokeSigningKey',
      method: 'DELETE',
      path: `${path}/{kid}`,
      summary: 'Ends the publication of a key at once: tokens that it signed are not good any more',
      scope: scopes.update,
      responses: { 204: { description: 'The key is gone' } },
      async handle({ tenant, path: { kid = '' } }) {
        await keys.revoke(await tenantOf(tenant), kid);
      },
    }),
  ];
  return createRestApi({
    title: 'Signing keys',
    version: 'v1',
    basePath: '/api/server/v1',
    operations,
    publicUrl,
    audit,
    authenticate: authenticateBy(findCaller),
    challenge: 'Basic realm="millrace"',
  });
}
