import { isoTime } from './ldap-time.ts';
import { localDialect } from './local-claims.ts';

/** What a claim of OpenID Connect is made of. */
export interface OidcClaim {
  readonly name: string;
  /** The scope that shows it (OpenID Connect Core 5.4, identity 4.2). */
  readonly scope: string;
  /** Its local claim. */
  readonly local: string;
  readonly type: 'text' | 'boolean' | 'time';
  /** The member of `address` that it is. */
  readonly partOfAddress?: true;
}

type Row = readonly [name: string, scope: string, local: string, type?: OidcClaim['type']];

const table: readonly Row[] = [
  ['name', 'profile', 'fullname'],
  ['family_name', 'profile', 'lastname'],
  ['given_name', 'profile', 'givenname'],
  ['middle_name', 'profile', 'middleName'],
  ['nickname', 'profile', 'nickname'],
  ['preferred_username', 'profile', 'displayName'],
  ['profile', 'profile', 'profile'],
  ['picture', 'profile', 'photourl'],
  ['website', 'profile', 'url'],
  ['gender', 'profile', 'gender'],
  ['birthdate', 'profile', 'dob'],
  ['zoneinfo', 'profile', 'timeZone'],
  ['locale', 'profile', 'local'],
  ['updated_at', 'profile', 'modified', 'time'],
  ['email', 'email', 'emailaddress'],
  ['email_verified', 'email', 'identity/emailVerified', 'boolean'],
  ['phone_number', 'phone', 'telephone'],
  ['phone_number_verified', 'phone', 'identity/phoneVerified', 'boolean'],
];

const addressTable: readonly (readonly [name: string, local: string])[] = [
  ['formatted', 'addresses'],
  ['street_address', 'streetaddress'],
  ['locality', 'locality'],
  ['region', 'region'],
  ['postal_code', 'postalcode'],
  ['country', 'country'],
];

/** The dialect of OpenID Connect (identity 4.2). */
export const oidcDialect = 'http://wso2.org/oidc/claim';

/** Claims that describe an assertion or a token, and no user: nothing else gives them a value. */
export const claimsOfTokens: ReadonlySet<string> = new Set(
  (
    'iss sub aud exp nbf iat jti azp nonce auth_time at_hash c_hash s_hash acr amr sid scope client_id ' +
    'aut cnf act typ events binding_ref binding_type'
  ).split(' '),
);

/** The claims that stores know values of. Names of users, groups and roles come from elsewhere. */
export const oidcClaims: readonly OidcClaim[] = [
  ...table.map(([name, scope, local, type = 'text']) => ({ name, scope, local: localDialect + local, type })),
  ...addressTable.map(([name, local]) => addressPart(name, localDialect + local)),
];

/** Claims of users that are no values of stores. */
const fromElsewhere: ReadonlySet<string> = new Set(['username', 'groups', 'roles']);

/**
 * The claims of a file that maps names to local claims. What OpenID Connect knows keeps its scope and type; other names
 * are texts of the scope `profile`.
 */
export function oidcClaimsOf(mapping: ReadonlyMap<string, string>): readonly OidcClaim[] {
  const standard = new Map(oidcClaims.map((claim) => [claim.name, claim]));
  const claims: OidcClaim[] = [];
  for (const [name, local] of mapping) {
    if (claimsOfTokens.has(name) || fromElsewhere.has(name)) continue;
    // Its parts are members of one claim; alone it is the whole address as a text.
    if (name === 'address') {
      if (!mapping.has('formatted')) claims.push(addressPart('formatted', local));
    } else claims.push({ scope: 'profile', type: 'text', ...standard.get(name), name, local });
  }
  return claims;
}

function addressPart(name: string, local: string): OidcClaim {
  return { name, scope: 'address', local, type: 'text', partOfAddress: true };
}

/** The value as its type wants it; undefined for text that is no value of the type. */
export function typedValue(text: string, type: OidcClaim['type']): unknown {
  if (type === 'boolean') return text.trim().toLowerCase() === 'true';
  return type === 'time' ? secondsOf(text.trim()) : text;
}

/** Seconds since the epoch of a number, an ISO date or an LDAP time. */
function secondsOf(text: string): number | undefined {
  if (/^\d{9,10}$/.test(text)) return Number(text);
  if (/^\d{12,13}$/.test(text)) return Math.floor(Number(text) / 1000);
  const time = isoTime(text);
  return time === undefined ? undefined : Math.floor(Date.parse(time) / 1000);
}
