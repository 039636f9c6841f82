import type { ClaimTables } from '../claims/claim-tables.ts';
import { extensionSchemas, userSchema, type UserTable } from './user-table.ts';

/** An attribute as a schema describes it (RFC 7643 §7). */
export type Attribute = Readonly<Record<string, unknown>>;

export function attribute(name: string, facts: Attribute = {}): Attribute {
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

export function complex(name: string, subAttributes: readonly Attribute[], facts: Attribute = {}): Attribute {
  return attribute(name, { type: 'complex', subAttributes, ...facts });
}

const readOnlyList = { multiValued: true, mutability: 'readOnly' } as const;

/** The attributes of users by schema, that of users first; what the file declares of a claim is told with them. */
export function userSchemas(
  { single, lists, address }: UserTable,
  claims: Pick<ClaimTables, 'declared'>,
): ReadonlyMap<string, readonly Attribute[]> {
  const factsOf = (claim: string | undefined): Attribute => {
    const declared = claim === undefined ? undefined : claims.declared(claim);
    return {
      ...(declared?.description !== undefined && { description: declared.description }),
      ...(declared?.displayName !== undefined && { displayName: declared.displayName }),
      ...(declared?.displayOrder !== undefined && { displayOrder: String(declared.displayOrder) }),
      ...(declared?.regEx && { regEx: declared.regEx.pattern }),
      ...(declared && { supportedByDefault: String(declared.isSupportedByDefault), required: declared.isRequired }),
      ...(declared?.isReadOnly && { mutability: 'readOnly' }),
    };
  };
  const nested = (rows: UserTable['single']): readonly Attribute[] =>
    [...Map.groupBy(rows, ([[name = '']]) => name)].map(([name, group]) => {
      const inner = group.flatMap(([[, ...path], claim]) => (path.length === 0 ? [] : [[path, claim] as const]));
      const own = group.find(([path]) => path.length === 1);
      return inner.length === 0 ? attribute(name, factsOf(own?.[1])) : complex(name, nested(inner));
    });
  const below = (schema: string): UserTable['single'] =>
    single.flatMap(([[first, ...path], claim]) => (first === schema ? [[path, claim] as const] : []));
  const items = ['type', 'value', 'primary'].map((name) => attribute(name));
  const user = [
    attribute('userName', { required: true, mutability: 'immutable', uniqueness: 'server' }),
    attribute('password', { mutability: 'writeOnly', returned: 'never' }),
    ...nested(single.filter(([[first = '']]) => !extensionSchemas.includes(first))),
    attribute('active', { type: 'boolean' }),
    ...lists.map(({ name, primary }) => complex(name, items, { ...factsOf(primary), multiValued: true })),
    complex(
      'addresses',
      address.map(([name, claim]) => attribute(name, factsOf(claim))),
      { multiValued: true },
    ),
    complex(
      'groups',
      ['value', 'display', '$ref'].map((name) => attribute(name)),
      readOnlyList,
    ),
    complex(
      'roles',
      ['type', 'value'].map((name) => attribute(name)),
      readOnlyList,
    ),
  ];
  const extensions = extensionSchemas.flatMap((schema) => {
    const rows = below(schema);
    return rows.length === 0 ? [] : [[schema, nested(rows)] as const];
  });
  return new Map([[userSchema, user], ...extensions]);
}
