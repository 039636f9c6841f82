import { bulkLimits } from './bulk.ts';
import { groupSchema } from './scim-groups.ts';
import { attribute, complex, type Attribute } from './user-schemas.ts';
import { enterpriseSchema, systemSchema, userSchema } from './user-table.ts';

/** Most resources of one answer. */
export const mostResults = 200;

/** What this service can do (RFC 7643 §5, identity 5.5). */
export function serviceProviderConfig(base: string): unknown {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: bulkLimits.operations, maxPayloadSize: bulkLimits.size },
    filter: { supported: true, maxResults: mostResults },
    changePassword: { supported: true },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      { type: 'oauthbearertoken', name: 'OAuth bearer token', description: 'RFC 6750', primary: true },
      { type: 'httpbasic', name: 'HTTP Basic', description: 'RFC 7617' },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceTypes(base: string, extensions: readonly string[]): readonly unknown[] {
  const type = (name: string, endpoint: string, schema: string): Record<string, unknown> => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  });
  return [
    {
      ...type('User', '/Users', userSchema),
      schemaExtensions: extensions.map((schema) => ({ schema, required: false })),
    },
    type('Group', '/Groups', groupSchema),
  ];
}

/** The schemas of resources (RFC 7643 §7, §8.7); `attributes` by the schema of users. */
export function schemas(base: string, attributes: ReadonlyMap<string, readonly Attribute[]>): readonly unknown[] {
  const schema = (id: string, name: string, own: readonly Attribute[]): unknown => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    attributes: own,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  });
  const [user, ...extensions] = [...attributes].map(([id, own]) => schema(id, schemaNames[id] ?? id, own));
  const group = schema(groupSchema, 'Group', [
    attribute('displayName', { required: true, mutability: 'immutable', uniqueness: 'server' }),
    complex(
      'members',
      ['value', 'display', 'type', '$ref'].map((name) => attribute(name)),
      { multiValued: true },
    ),
  ]);
  return [user, group, ...extensions];
}

const schemaNames: Readonly<Record<string, string>> = {
  [userSchema]: 'User',
  [enterpriseSchema]: 'EnterpriseUser',
  [systemSchema]: 'SystemUser',
};
