import { defineSection, key } from './define.ts';
import { boolean, className, duration, integer, oneOf, secret, text } from './types.ts';

export const userStore = defineSection({
  path: 'user_store',
  doc: 'Where users are kept.',
  keys: {
    type: key(
      'type',
      oneOf(
        'database',
        'read_only_ldap',
        'read_write_ldap',
        'active_directory',
        'database_unique_id',
        'read_only_ldap_unique_id',
        'read_write_ldap_unique_id',
        'active_directory_unique_id',
      ),
      {
        default: 'database',
        additional: true,
        doc: 'Kind of the primary user store.',
        effect: 'selects the kind of store.',
      },
    ),
    class: key('class', className(), {
      additional: true,
      doc: 'User store manager class.',
      mapped: 'known class names choose the kind of store, whatever type says; others stop the start.',
    }),
    baseDn: key('base_dn', text(), {
      default: 'dc=wso2,dc=org',
      additional: true,
      doc: 'Base DN.',
      effect: 'suffix of the default search bases.',
    }),
  },
});

export const userStoreProperties = defineSection({
  path: 'user_store.properties',
  doc: 'The primary user store in detail.',
  keys: {
    tenantManager: key(
      'TenantManager',
      className([
        'org.wso2.carbon.user.core.tenant.JDBCTenantManager',
        'org.wso2.carbon.user.core.tenant.CommonHybridLDAPTenantManager',
      ]),
      {
        required: true,
        whenAbsent: 'chosen by user_store.type',
        doc: 'Tenant manager class.',
        mapped: 'JDBC tenant manager or hybrid LDAP tenant manager by known class name; other -> extension.',
      },
    ),
    maxUserNameListLength: key('MaxUserNameListLength', integer({ min: 0 }), {
      default: 100,
      doc: 'Users listed; 0 lists all.',
      effect: 'limit of list operations (LDAP size limit).',
    }),
    connectionUrl: key('ConnectionURL', text(), {
      doc: 'User store server URL.',
      mapped:
        'ldap:// or ldaps:// of the LDAP client; several URLs separated by blanks = fail-over; JDBC URL for database stores.',
    }),
    connectionName: key('ConnectionName', text(), {
      required: true,
      whenAbsent: 'none; directories need it',
      doc: 'DN of the connecting user.',
      effect: 'bind DN; needs read and search permissions.',
    }),
    connectionPassword: key('ConnectionPassword', secret(), {
      doc: 'Password of that user.',
      effect: 'bind password.',
    }),
    displayNameAttribute: key('DisplayNameAttribute', text(), {
      default: '',
      doc: 'Listing name.',
      effect: 'attribute shown in lists.',
    }),
    passwordHashMethod: key('PasswordHashMethod', oneOf('SHA', 'SHA-1', 'SHA-256', 'MD5', 'PLAIN_TEXT'), {
      default: 'PLAIN_TEXT',
      doc: 'Hash of stored passwords.',
      effect: 'format written to userPassword ({SHA}, {SHA-256}, {MD5}, plain).',
    }),
    userEntryObjectClass: key('UserEntryObjectClass', text(), {
      default: 'identityPerson',
      doc: 'Object class of users.',
      effect: 'objectClass written and searched.',
    }),
    userSearchBase: key('UserSearchBase', text(), {
      default: 'ou=Users,dc=wso2,dc=org',
      doc: 'DN of users.',
      effect: 'search base; several separated by #.',
    }),
    userNameListFilter: key('UserNameListFilter', text(), {
      default: '(objectClass=person)',
      doc: 'Filter for listing.',
      effect: 'LDAP filter.',
    }),
    userNameSearchFilter: key('UserNameSearchFilter', text(), {
      default: '(&(objectClass=person)(uid=?))',
      doc: 'Filter for searching; ? is the user name.',
      effect: 'LDAP filter with escaped substitution.',
    }),
    userNameAttribute: key('UserNameAttribute', text(), {
      default: 'uid',
      doc: 'Attribute that identifies a user.',
      effect: 'RDN and login attribute.',
    }),
    passwordJavaScriptRegEx: key('PasswordJavaScriptRegEx', text(), {
      default: '^[\\S]{5,30}$',
      doc: 'Front-end pattern.',
      effect: 'validation in the UI.',
    }),
    usernameJavaScriptRegEx: key('UsernameJavaScriptRegEx', text(), {
      default: '^[\\S]{3,30}$',
      doc: 'Front-end pattern.',
      effect: 'validation in the UI.',
    }),
    usernameJavaRegEx: key('UsernameJavaRegEx', text(), {
      default: '[a-zA-Z0-9._\\-|//]{5,30}$',
      note: 'documented length 5 to 30; a user_store.type may infer another',
      doc: 'Validation pattern.',
      effect: 'server-side full match.',
    }),
    passwordJavaRegEx: key('PasswordJavaRegEx', text(), {
      default: '^[\\S]{5,30}$',
      doc: 'Validation pattern.',
      effect: 'server-side full match.',
    }),
    rolenameJavaRegEx: key('RolenameJavaRegEx', text(), {
      default: '[a-zA-Z0-9._\\-|//]{5,30}$',
      note: 'documented length 5 to 30; a user_store.type may infer another',
      doc: 'Validation pattern.',
      effect: 'server-side full match.',
    }),
    readGroups: key('ReadGroups', boolean(), {
      default: true,
      doc: 'Read groups.',
      effect: 'false: group keys optional, roles only from the hybrid database.',
    }),
    writeGroups: key('WriteGroups', boolean(), {
      default: true,
      doc: 'Write groups.',
      effect: 'false: external groups read-only.',
    }),
    groupSearchBase: key('GroupSearchBase', text(), {
      default: 'ou=Groups,dc=wso2,dc=org',
      doc: 'DN of groups.',
      effect: 'where searches for groups begin.',
    }),
    groupNameListFilter: key('GroupNameListFilter', text(), {
      default: '(objectClass=groupOfNames)',
      doc: 'Filter for listing groups.',
      effect: 'LDAP filter of the list.',
    }),
    groupEntryObjectClass: key('GroupEntryObjectClass', text(), {
      default: 'groupOfNames',
      doc: 'Object class.',
      effect: 'objectClass written.',
    }),
    groupNameSearchFilter: key('GroupNameSearchFilter', text(), {
      default: '(&(objectClass=groupOfNames)(cn=?))',
      doc: 'Filter for finding a group.',
      effect: 'LDAP filter; ? stands for the name.',
    }),
    groupNameAttribute: key('GroupNameAttribute', text(), {
      default: 'cn',
      doc: 'Name attribute of groups.',
      effect: 'attribute that holds the group name.',
    }),
    membershipAttribute: key('MembershipAttribute', text(), {
      default: 'member',
      doc: 'Members.',
      effect: 'attribute listing member DNs.',
    }),
    membershipAttributeRange: key('MembershipAttributeRange', integer({ min: -1 }), {
      default: 1500,
      doc: 'Range size.',
      effect: 'range retrieval step (member;range=0-1499) for directories that limit values.',
    }),
    userRoleCacheEnabled: key('UserRoleCacheEnabled', boolean(), {
      default: true,
      aliases: ['UserRolesCacheEnabled', 'user_store.user_roles_cache_enabled'],
      doc: 'Cache the role list.',
      effect: 'role cache of a user.',
    }),
    userDNPattern: key('UserDNPattern', text(), {
      doc: 'DN pattern.',
      effect: '{0} replaced by the name: direct bind without search.',
    }),
    replaceEscapeCharactersAtUserLogin: key('ReplaceEscapeCharactersAtUserLogin', boolean(), {
      default: true,
      doc: 'Only backslash forms are treated as escapes.',
      effect: '\\ and \\\\ in the login name are escaped before use in a DN or filter.',
    }),
    multiTenantRealmConfigBuilder: key('MultiTenantRealmConfigBuilder', className(), {
      doc: 'Tenant realm builder.',
      mapped: 'known class names select simple (shared database) or LDAP (one subtree per tenant) realms.',
    }),
    ldapConnectionTimeout: key('LDAPConnectionTimeout', duration('ms'), {
      default: 5000,
      doc: 'Inactivity before disconnect.',
      effect: 'connect timeout of the LDAP client.',
    }),
    scimEnabled: key('SCIMEnabled', boolean(), {
      default: false,
      note: 'true for read-write directories',
      doc: 'SCIM support.',
      effect: 'users get SCIM ids and appear in the SCIM API.',
    }),
    kdcEnabled: key('kdcEnabled', boolean(), {
      default: false,
      doc: 'Directory acts as KDC.',
      inert: 'no Kerberos key distribution center; true is a start-up warning.',
    }),
    connectionPoolingEnabled: key('ConnectionPoolingEnabled', boolean(), {
      default: false,
      note: 'the integration runtime of the original uses true',
      doc: 'LDAP connection pooling.',
      effect: 'reuse bound connections.',
    }),
  },
});
