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

/** The claims that stores know values of. Names of users, groups and roles come from elsewhere. */
export const oidcClaims: readonly OidcClaim[] = [
  ...table.map(([name, scope, local, type = 'text']) => ({ name, scope, local: localDialect + local, type })),
  ...addressTable.map(([name, local]) => ({
    name,
    scope: 'address',
    local: localDialect + local,
    type: 'text' as const,
    partOfAddress: true as const,
  })),
];

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
