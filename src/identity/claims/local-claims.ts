import type { AttributeOf, ClaimTarget } from '../users/user-store.ts';

/** The dialect in which stores are asked (identity 4.2). */
export const localDialect = 'http://wso2.org/claims/';

/** Where directories keep each local claim; names of claims are below the dialect. */
const attributes: Readonly<Record<string, string>> = {
  username: 'uid',
  userid: 'scimId',
  externalid: 'externalId',
  emailaddress: 'mail',
  givenname: 'givenName',
  lastname: 'sn',
  fullname: 'cn',
  displayName: 'displayName',
  middleName: 'middleName',
  nickname: 'nickName',
  mobile: 'mobile',
  telephone: 'telephoneNumber',
  streetaddress: 'street',
  locality: 'l',
  region: 'st',
  postalcode: 'postalCode',
  country: 'c',
  addresses: 'postalAddress',
  url: 'labeledURI',
  photourl: 'photoUrl',
  profile: 'profile',
  gender: 'gender',
  dob: 'dateOfBirth',
  timeZone: 'timeZone',
  local: 'preferredLanguage',
  organization: 'o',
  department: 'departmentNumber',
  title: 'title',
  created: 'createTimestamp',
  modified: 'modifyTimestamp',
  active: 'active',
  'identity/accountLocked': 'accountLock',
  'identity/accountDisabled': 'accountDisabled',
  'identity/emailVerified': 'emailVerified',
  'identity/phoneVerified': 'phoneVerified',
};

/** Claims that keep a user from signing in while they are `true`. */
export const blockingClaims: ReadonlySet<string> = new Set([
  `${localDialect}identity/accountLocked`,
  `${localDialect}identity/accountDisabled`,
]);

const multiValued: ReadonlySet<string> = new Set(['addresses']);

/** The attribute of a local claim in a directory whose names of users are in `nameAttribute`. */
export function attributeOfClaims(nameAttribute: string): AttributeOf {
  const targets = new Map<string, ClaimTarget>();
  for (const [name, attribute] of Object.entries(attributes)) {
    const own = name === 'username' ? nameAttribute : attribute;
    targets.set(localDialect + name, { attribute: own, isMultiValued: multiValued.has(name) });
  }
  return (claim) => targets.get(claim);
}
