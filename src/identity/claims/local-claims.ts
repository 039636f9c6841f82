import type { ClaimTarget } from '../users/user-store.ts';

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

/** The claims that hold where no file declares others. */
export const localClaims: ReadonlyMap<string, ClaimTarget> = new Map(
  Object.entries(attributes).map(([name, attribute]) => [
    localDialect + name,
    { attribute, isMultiValued: multiValued.has(name) },
  ]),
);

/** The name of a user: stores keep it in an attribute that their configuration names. */
export const usernameClaim = `${localDialect}username`;

/** Claims that the server itself reads: a file that leaves them out does not take them away. */
export const neededClaims: ReadonlySet<string> = new Set([
  usernameClaim,
  ...['userid', 'created', 'modified'].map((name) => localDialect + name),
  ...[...localClaims.keys()].filter((claim) => claim.startsWith(`${localDialect}identity/`)),
]);
