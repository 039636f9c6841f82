import { defineOperation, jsonResponse, pick, type RestApi, type SchemaBuilder } from '#rest';
import { createAdministrativeApi, type AdministrativeApiParts } from '../http/administrative-api.ts';
import { tenantOfRequest } from '../http/tenant-site.ts';
import type { KeyRing } from './key-ring.ts';
import type { RingKey, SigningKey } from './signing-keys.ts';

export interface KeysApiParts extends AdministrativeApiParts {
  readonly keys: KeyRing;
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
export function createKeysApi(parts: KeysApiParts): RestApi {
  const { keys } = parts;
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
      async handle({ request }) {
        const owner = tenantOfRequest(request);
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
      audited: ({ body }) => ({ action: 'created', type: 'signing_key', info: pick(body, 'immediately', 'algorithm') }),
      async handle({ request, body: { algorithm, immediately } }) {
        const owner = tenantOfRequest(request);
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
      audited: ({ path }) => ({ action: 'deleted', type: 'signing_key', info: pick(path, 'kid') }),
      async handle({ request, path: { kid = '' } }) {
        await keys.revoke(tenantOfRequest(request), kid);
      },
    }),
  ];
  return createAdministrativeApi('Signing keys', operations, parts);
}
