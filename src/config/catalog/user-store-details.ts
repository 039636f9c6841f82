import { defineSection, key } from './define.ts';
import { boolean, duration, integer, text } from './types.ts';

export const userStoreDetails = defineSection({
  path: 'user_store.properties',
  doc: 'The primary user store in detail.',
  keys: {
    readTimeout: key('ReadTimeout', duration('ms'), {
      additional: true,
      doc: 'Read timeout of LDAP operations; 0 or less waits for ever.',
      effect: 'operation timeout of the LDAP client.',
    }),
    retryAttempts: key('RetryAttempts', integer({ min: 0 }), {
      additional: true,
      doc: 'Retries of an authentication that timed out.',
      effect: 'times that a bind is tried again.',
    }),
    backLinksEnabled: key('BackLinksEnabled', boolean(), {
      default: false,
      additional: true,
      doc: 'Back links.',
      effect: 'memberOf of the user entry is trusted for group lookups.',
    }),
    userCoreCacheTimeOut: key('UserCoreCacheTimeOut', duration('m'), {
      default: 5,
      additional: true,
      doc: 'Role cache expiry.',
      effect: 'TTL of user core caches.',
    }),
    caseInsensitiveUsername: key('CaseInsensitiveUsername', boolean(), {
      default: true,
      additional: true,
      doc: 'User names compared case-insensitively.',
      effect: 'names normalized to lower case in lookups.',
    }),
    anonymousBind: key('AnonymousBind', boolean(), {
      default: false,
      additional: true,
      doc: 'Bind without credentials.',
      effect: 'anonymous bind.',
    }),
    readOnly: key('ReadOnly', boolean(), {
      additional: true,
      doc: 'Read-only store.',
      effect: 'write operations refused.',
    }),
    emptyRolesAllowed: key('EmptyRolesAllowed', boolean(), {
      default: true,
      additional: true,
      doc: 'Groups without members.',
      effect: 'otherwise a placeholder member is written.',
    }),
    memberOfAttribute: key('MemberOfAttribute', text(), {
      additional: true,
      doc: 'Back-link attribute.',
      effect: 'memberOf.',
    }),
    roleDNPattern: key('RoleDNPattern', text(), {
      additional: true,
      doc: 'DN pattern of roles.',
      effect: 'direct lookup.',
    }),
    defaultRealmName: key('defaultRealmName', text(), {
      default: 'WSO2.ORG',
      additional: true,
      doc: 'Kerberos realm.',
      inert: 'only with kdcEnabled.',
    }),
    startTlsEnabled: key('StartTLSEnabled', boolean(), {
      default: false,
      additional: true,
      doc: 'StartTLS on LDAP.',
      effect: 'StartTLS before bind.',
    }),
    connectionRetryDelay: key('ConnectionRetryDelay', duration('ms'), {
      default: '2m',
      additional: true,
      doc: 'Delay after a failed connection.',
      effect: 'circuit breaker open time.',
    }),
    referral: key('Referral', text(), {
      default: 'follow',
      additional: true,
      doc: 'LDAP referrals.',
      effect: 'follow, ignore, throw.',
    }),
    maxRoleNameListLength: key('MaxRoleNameListLength', integer({ min: 0 }), {
      default: 100,
      additional: true,
      doc: 'Roles listed.',
      effect: 'longest list of roles.',
    }),
    multiAttributeSeparator: key('MultiAttributeSeparator', text(), {
      default: ',',
      additional: true,
      doc: 'Separator of multi-valued claims.',
      effect: 'split and join.',
    }),
    isBulkImportSupported: key('IsBulkImportSupported', boolean(), {
      default: true,
      additional: true,
      doc: 'Bulk import.',
      effect: 'enables the CSV import.',
    }),
    userIDAttribute: key('UserIDAttribute', text(), {
      default: 'scimId',
      additional: true,
      doc: 'Unique id attribute.',
      effect: 'stable user id.',
    }),
    userIdSearchFilter: key('UserIdSearchFilter', text(), {
      default: '(&(objectClass=person)(uid=?))',
      additional: true,
      doc: 'Search by id.',
      effect: 'filter.',
    }),
    groupIDEnabled: key('GroupIDEnabled', boolean(), {
      additional: true,
      doc: 'Groups have ids of their own.',
      effect: 'groups keep their id when they are renamed.',
    }),
    groupIdAttribute: key('GroupIdAttribute', text(), {
      default: 'entryUUID',
      additional: true,
      doc: 'Attribute of the group id.',
      effect: 'id of SCIM groups.',
    }),
    groupLastModifiedDateAttribute: key('GroupLastModifiedDateAttribute', text(), {
      default: 'modifyTimestamp',
      additional: true,
      doc: 'Attribute of the last change.',
      effect: 'date of SCIM groups.',
    }),
    groupCreatedDateAttribute: key('GroupCreatedDateAttribute', text(), {
      default: 'createTimestamp',
      additional: true,
      doc: 'Attribute of the creation.',
      effect: 'date of SCIM groups.',
    }),
    passwordDigest: key('PasswordDigest', text(), {
      default: 'SHA-256',
      additional: true,
      doc: 'Digest of stored passwords.',
      effect: 'digest of new passwords; old ones keep theirs.',
    }),
    storeSaltedPassword: key('StoreSaltedPassword', boolean(), {
      default: true,
      additional: true,
      doc: 'Salts stored passwords.',
      effect: 'each password has a salt of its own.',
    }),
    userNameUniqueAcrossTenants: key('UserNameUniqueAcrossTenants', boolean(), {
      default: false,
      additional: true,
      doc: 'Unique across tenants.',
      effect: 'uniqueness check.',
    }),
    isAdldsRole: key('isADLDSRole', boolean(), {
      additional: true,
      doc: 'Active Directory Lightweight Directory Services.',
      effect: 'roles are found the way that directory wants it.',
    }),
    userAccountControl: key('userAccountControl', integer({ min: 0 }), {
      additional: true,
      doc: 'Flags of new accounts.',
      effect: 'value written on creation; 512 is a normal account.',
    }),
    domainName: key('DomainName', text(), {
      additional: true,
      doc: 'Prefix of user names of this store.',
      effect: 'names read DOMAIN/name.',
    }),
    disabled: key('Disabled', boolean(), {
      additional: true,
      doc: 'Switch of the store.',
      effect: 'true leaves the store out.',
    }),
    sslCertificateValidationEnabled: key('SSLCertificateValidationEnabled', boolean(), {
      default: true,
      additional: true,
      doc: 'LDAPS certificate check.',
      effect: 'rejectUnauthorized.',
    }),
  },
});
