import { bulkLimits } from './bulk.ts';
import { groupSchema } from './scim-groups.ts';
import { enterpriseSchema, userSchema } from './user-attributes.ts';

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

export function resourceTypes(base: string): readonly unknown[] {
  const type = (name: string, endpoint: string, schema: string): Record<string, unknown> => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint,
    schema,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  });
  return [
    { ...type('User', '/Users', userSchema), schemaExtensions: [{ schema: enterpriseSchema, required: false }] },
    type('Group', '/Groups', groupSchema),
  ];
}

type Attribute = Readonly<Record<string, unknown>>;

function attribute(name: string, facts: Attribute = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...facts,
  };
}

const complex = (name: string, names: readonly string[], facts: Attribute = {}): Attribute =>
  attribute(name, { type: 'complex', subAttributes: names.map((each) => attribute(each)), ...facts });

const many = { multiValued: true } as const;

/** The schemas of resources (RFC 7643 §7, §8.7). */
export function schemas(base: string): readonly unknown[] {
  const schema = (id: string, name: string, attributes: readonly Attribute[]): unknown => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    attributes,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  });
  return [
    schema(userSchema, 'User', [
      attribute('userName', { required: true, mutability: 'immutable', uniqueness: 'server' }),
      attribute('password', { mutability: 'writeOnly', returned: 'never' }),
      complex('name', ['formatted', 'givenName', 'familyName', 'middleName', 'honorificPrefix', 'honorificSuffix']),
      ...['displayName', 'nickName', 'profileUrl', 'title', 'userType'].map((name) => attribute(name)),
      ...['preferredLanguage', 'locale', 'timezone'].map((name) => attribute(name)),
      attribute('active', { type: 'boolean' }),
      complex('emails', ['type', 'value', 'primary'], many),
      complex('phoneNumbers', ['type', 'value', 'primary'], many),
      complex('addresses', ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'], many),
      complex('groups', ['value', 'display', '$ref'], { ...many, mutability: 'readOnly' }),
      complex('roles', ['type', 'value'], { ...many, mutability: 'readOnly' }),
    ]),
    schema(groupSchema, 'Group', [
      attribute('displayName', { required: true, mutability: 'immutable', uniqueness: 'server' }),
      complex('members', ['value', 'display', 'type', '$ref'], many),
    ]),
    schema(
      enterpriseSchema,
      'EnterpriseUser',
      ['employeeNumber', 'costCenter', 'organization', 'division', 'department'].map((name) => attribute(name)),
    ),
  ];
}
