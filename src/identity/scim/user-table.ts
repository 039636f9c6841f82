import { getLogger } from '#core';
import type { ClaimTables, ExternalClaims } from '../claims/claim-tables.ts';
import { localDialect } from '../claims/local-claims.ts';

const log = getLogger('identity');

export const coreSchema = 'urn:ietf:params:scim:schemas:core:2.0';
export const userSchema = `${coreSchema}:User`;
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const systemSchema = 'urn:scim:wso2:schema';

/** Schemas whose attributes stand below their name in a resource. */
export const extensionSchemas: readonly string[] = [enterpriseSchema, systemSchema];

type Single = readonly [path: readonly string[], claim: string];

/** A list whose items differ by their type; `primary` is the claim of an item without a claim of its own type. */
interface TypedList {
  readonly name: string;
  readonly primary: string | undefined;
  readonly types: Readonly<Record<string, string>>;
}

/** Which local claim each attribute of a user's resource is (identity 5.5). */
export interface UserTable {
  readonly single: readonly Single[];
  readonly lists: readonly TypedList[];
  readonly address: readonly (readonly [name: string, claim: string])[];
}

/** What holds where no file declares the dialects of SCIM; names of claims are below the local dialect. */
const single: readonly Single[] = [
  [['externalId'], 'externalid'],
  [['name', 'formatted'], 'fullname'],
  [['name', 'givenName'], 'givenname'],
  [['name', 'familyName'], 'lastname'],
  [['name', 'middleName'], 'middleName'],
  [['name', 'honorificPrefix'], 'honorificPrefix'],
  [['name', 'honorificSuffix'], 'honorificSuffix'],
  [['displayName'], 'displayName'],
  [['nickName'], 'nickname'],
  [['profileUrl'], 'url'],
  [['title'], 'title'],
  [['userType'], 'userType'],
  [['preferredLanguage'], 'local'],
  [['locale'], 'locale'],
  [['timezone'], 'timeZone'],
  [[enterpriseSchema, 'employeeNumber'], 'employeeNumber'],
  [[enterpriseSchema, 'costCenter'], 'costCenter'],
  [[enterpriseSchema, 'organization'], 'organization'],
  [[enterpriseSchema, 'division'], 'division'],
  [[enterpriseSchema, 'department'], 'department'],
];

const lists: readonly TypedList[] = [
  {
    name: 'emails',
    primary: 'emailaddress',
    types: { work: 'emails.work', home: 'emails.home', other: 'emails.other' },
  },
  {
    name: 'phoneNumbers',
    primary: 'telephone',
    types: { mobile: 'mobile', home: 'homephone', work: 'workphone', other: 'otherphone' },
  },
];

const address: readonly (readonly [name: string, claim: string])[] = [
  ['formatted', 'addresses'],
  ['streetAddress', 'streetaddress'],
  ['locality', 'locality'],
  ['region', 'region'],
  ['postalCode', 'postalcode'],
  ['country', 'country'],
];

/** Attributes that are no values of claims here, or whose claims the server keeps itself. */
const fromElsewhere = /^(?:id|userName|password|active|schemas|resourceType|(?:meta|groups|roles)(?:\..*)?)$/;

const listNames: ReadonlySet<string> = new Set(['emails', 'phoneNumbers', 'ims', 'photos']);

/** The table of the dialects of SCIM, as the file declares them. */
export function userTable(claims: Pick<ClaimTables, 'dialect'>): UserTable {
  const core = claims.dialect(userSchema);
  const local = (claim: string): string => localDialect + claim;
  const builtIn: UserTable = {
    single: single.map(([path, claim]) => [path, local(claim)]),
    lists: lists.map(({ name, primary, types }) => ({
      name,
      primary: primary === undefined ? undefined : local(primary),
      types: Object.fromEntries(Object.entries(types).map(([type, claim]) => [type, local(claim)])),
    })),
    address: address.map(([name, claim]) => [name, local(claim)]),
  };
  const extensions = extensionSchemas.flatMap((schema): readonly Single[] => {
    const declared = claims.dialect(schema);
    if (!declared) return builtIn.single.filter(([[first]]) => first === schema);
    return named(declared, schema).map(([name, claim]) => [[schema, ...name.split('.')], claim]);
  });
  const common = claims.dialect(coreSchema);
  const shared = common ? named(common, coreSchema) : [];
  if (!core) {
    const replaced = new Set(shared.map(([name]) => name));
    const kept = builtIn.single.filter(
      ([[first = '', second]]) => !extensionSchemas.includes(first) && !(second === undefined && replaced.has(first)),
    );
    return { ...builtIn, single: [...shared.map(singleOf), ...kept, ...extensions] };
  }
  const externalId = builtIn.single.filter(([[first]]) => first === 'externalId' && !common);
  const entries = named(core, userSchema);
  const ofList = entries.filter(([name]) => listNames.has(partsOf(name)[0]));
  const ofAddress = entries.filter(([name]) => partsOf(name)[0] === 'addresses');
  const others = entries.filter((entry) => !ofList.includes(entry) && !ofAddress.includes(entry));
  return {
    single: [...externalId, ...[...shared, ...others].map(singleOf), ...extensions],
    lists: listsOf(ofList),
    address: addressOf(ofAddress, builtIn.address),
  };
}

type Entry = readonly [name: string, claim: string];

function named(declared: ExternalClaims, schema: string): readonly Entry[] {
  return [...declared].flatMap(([uri, claim]) => {
    const name = uri.startsWith(`${schema}:`) ? uri.slice(schema.length + 1) : uri;
    return fromElsewhere.test(name) ? [] : [[name, claim] as const];
  });
}

function partsOf(name: string): readonly [first: string, rest: string | undefined] {
  const dot = name.indexOf('.');
  return dot < 0 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)];
}

function singleOf([name, claim]: Entry): Single {
  return [name.split('.'), claim];
}

function listsOf(entries: readonly Entry[]): readonly TypedList[] {
  const groups = Map.groupBy(entries, ([name]) => partsOf(name)[0]);
  return [...groups].map(([list, members]) => ({
    name: list,
    primary: members.find(([name]) => name === list)?.[1],
    types: Object.fromEntries(
      members.flatMap(([name, claim]) => {
        const [, type] = partsOf(name);
        return type === undefined ? [] : [[type, claim]];
      }),
    ),
  }));
}

/** One address is shown; parts that a file leaves out stay what they are. */
function addressOf(entries: readonly Entry[], builtIn: UserTable['address']): UserTable['address'] {
  const parts = new Map(builtIn);
  for (const [name, claim] of entries) {
    const [, part = 'formatted'] = partsOf(name);
    if (parts.has(part)) parts.set(part, claim);
    else log.warn({ claim: name }, 'one address of a user is shown over SCIM; this claim is left out');
  }
  return [...parts];
}
