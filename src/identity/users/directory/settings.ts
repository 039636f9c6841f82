import { MillraceError } from '#errors';
import { flagOf, numberOf, textOf, type StoreProperties } from '../store-properties.ts';
import { directoryPassword } from './password-format.ts';

export type DirectoryKind = 'read_only_ldap' | 'read_write_ldap' | 'active_directory';
export type Referral = 'follow' | 'ignore' | 'throw';

/** How a directory is reached. Times are in milliseconds, 0 for no limit. */
export interface ConnectionSettings {
  /** Tried in order until one answers. */
  readonly urls: readonly string[];
  /** Service account; undefined binds anonymously. */
  readonly account: { readonly dn: string; readonly password: string } | undefined;
  readonly connectTimeout: number;
  readonly readTimeout: number;
  readonly usesStartTls: boolean;
  readonly checksCertificate: boolean;
  readonly isPooled: boolean;
  /** After so many failures in a row nothing is tried for `retryDelay`. */
  readonly failuresAllowed: number;
  readonly retryDelay: number;
  readonly referral: Referral;
}

/** How users are found and written. */
export interface UserSchema {
  readonly bases: readonly string[];
  readonly nameAttribute: string;
  readonly idAttribute: string;
  readonly idFilter: string | undefined;
  readonly searchFilter: string;
  readonly listFilter: string;
  readonly dnPatterns: readonly string[];
  readonly objectClass: string;
  readonly displayNameAttribute: string | undefined;
  readonly passwordMethod: string;
  /** Flags of a new account in Active Directory. */
  readonly accountControl: number | undefined;
  readonly memberOfAttribute: string | undefined;
  /** Written as they are when a user is made, never changed afterwards. */
  readonly immutableAttributes: ReadonlySet<string>;
}

/** How groups are found and written. */
export interface GroupSchema {
  readonly isRead: boolean;
  readonly isWritten: boolean;
  readonly bases: readonly string[];
  readonly nameAttribute: string;
  readonly searchFilter: string;
  readonly listFilter: string;
  readonly dnPatterns: readonly string[];
  readonly objectClass: string;
  readonly memberAttribute: string;
  /** Members asked for at once from a directory that gives them in ranges; 0 asks for all of them. */
  readonly memberRange: number;
  readonly mayBeEmpty: boolean;
  /** Undefined where groups have no ids of their own. */
  readonly idAttribute: string | undefined;
  readonly createdAttribute: string;
  readonly modifiedAttribute: string;
  /** New groups of Active Directory have their name in `sAMAccountName` too; its lightweight services do not know it. */
  readonly writesAccountName: boolean;
}

/** Everything that a directory store is told (identity 5.2). */
export interface DirectorySettings {
  readonly kind: DirectoryKind;
  readonly isReadOnly: boolean;
  readonly connection: ConnectionSettings;
  readonly user: UserSchema;
  readonly group: GroupSchema;
  /** Backslashes in a typed name escape what follows them. */
  readonly readsEscapes: boolean;
  readonly retriesAtSignIn: number;
  readonly cachesRoles: boolean;
  readonly cachesNames: boolean;
  readonly cacheTime: number;
  readonly writesId: boolean;
}

/**
 * Reads the properties of a directory store.
 *
 * @throws MillraceError `MR_STORE_PROPERTY` naming the property, what was expected and what was found
 */
export function readDirectorySettings(properties: StoreProperties, type: string): DirectorySettings {
  const kind = type.replace(/_unique_id$/, '') as DirectoryKind;
  const isActiveDirectory = kind === 'active_directory';
  const isReadOnly = flagOf(properties, 'ReadOnly', kind === 'read_only_ldap');
  const nameAttribute = textOf(properties, 'UserNameAttribute') ?? (isActiveDirectory ? 'sAMAccountName' : 'uid');
  const ownId = isActiveDirectory ? 'objectGUID' : 'entryUUID';
  const isScimEnabled = flagOf(properties, 'SCIMEnabled', false);
  const usesScimId = type.endsWith('_unique_id') || properties.has('UserIDAttribute');
  const idAttribute = usesScimId ? (textOf(properties, 'UserIDAttribute') ?? 'scimId') : ownId;
  const passwordMethod = textOf(properties, 'PasswordHashMethod') ?? 'PLAIN_TEXT';
  directoryPassword('', passwordMethod);
  return {
    kind,
    isReadOnly,
    connection: readConnection(properties),
    user: {
      bases: partsOf(properties, 'UserSearchBase', 'ou=Users,dc=wso2,dc=org'),
      nameAttribute,
      idAttribute,
      idFilter: textOf(properties, 'UserIdSearchFilter') ?? textOf(properties, 'UserIDSearchFilter'),
      searchFilter:
        textOf(properties, 'UserNameSearchFilter') ??
        (isActiveDirectory
          ? `(&(objectClass=user)(${nameAttribute}=?))`
          : `(&(objectClass=person)(${nameAttribute}=?))`),
      listFilter: textOf(properties, 'UserNameListFilter') ?? '(objectClass=person)',
      dnPatterns: partsOf(properties, 'UserDNPattern'),
      objectClass: textOf(properties, 'UserEntryObjectClass') ?? (isActiveDirectory ? 'user' : 'identityPerson'),
      displayNameAttribute: textOf(properties, 'DisplayNameAttribute'),
      passwordMethod,
      accountControl: isActiveDirectory ? numberOf(properties, 'userAccountControl', 512) : undefined,
      memberOfAttribute: memberOf(properties),
      immutableAttributes: new Set(listOf(properties, 'ImmutableAttributes').map((name) => name.toLowerCase())),
    },
    group: {
      isRead: flagOf(properties, 'ReadGroups', true),
      isWritten: !isReadOnly && flagOf(properties, 'WriteGroups', true),
      bases: partsOf(properties, 'GroupSearchBase', 'ou=Groups,dc=wso2,dc=org'),
      nameAttribute: textOf(properties, 'GroupNameAttribute') ?? 'cn',
      searchFilter:
        textOf(properties, 'GroupNameSearchFilter') ??
        (isActiveDirectory ? '(&(objectClass=group)(cn=?))' : '(&(objectClass=groupOfNames)(cn=?))'),
      listFilter:
        textOf(properties, 'GroupNameListFilter') ??
        (isActiveDirectory ? '(objectClass=group)' : '(objectClass=groupOfNames)'),
      dnPatterns: partsOf(properties, 'RoleDNPattern'),
      objectClass: textOf(properties, 'GroupEntryObjectClass') ?? (isActiveDirectory ? 'group' : 'groupOfNames'),
      memberAttribute: textOf(properties, 'MembershipAttribute') ?? 'member',
      memberRange: Math.max(0, numberOf(properties, 'MembershipAttributeRange', 1500)),
      mayBeEmpty: flagOf(properties, 'EmptyRolesAllowed', true),
      idAttribute: flagOf(properties, 'GroupIDEnabled', false)
        ? (textOf(properties, 'GroupIdAttribute') ?? ownId)
        : undefined,
      createdAttribute:
        textOf(properties, 'GroupCreatedDateAttribute') ?? (isActiveDirectory ? 'whenCreated' : 'createTimestamp'),
      modifiedAttribute:
        textOf(properties, 'GroupLastModifiedDateAttribute') ?? (isActiveDirectory ? 'whenChanged' : 'modifyTimestamp'),
      writesAccountName: isActiveDirectory && !flagOf(properties, 'isADLDSRole', false),
    },
    readsEscapes: flagOf(properties, 'ReplaceEscapeCharactersAtUserLogin', true),
    retriesAtSignIn: Math.max(0, numberOf(properties, 'RetryAttempts', 0)),
    cachesRoles: flagOf(properties, 'UserRoleCacheEnabled', flagOf(properties, 'UserRolesCacheEnabled', true)),
    cachesNames: flagOf(properties, 'UserDNCacheEnabled', true),
    cacheTime: numberOf(properties, 'UserCoreCacheTimeOut', 5 * 60_000),
    writesId: usesScimId && isScimEnabled && idAttribute.toLowerCase() !== ownId.toLowerCase(),
  };
}

/** The groups of a user stand in the user's own entry when there is such an attribute and it may be trusted. */
function memberOf(properties: StoreProperties): string | undefined {
  const named = textOf(properties, 'MemberOfAttribute');
  return named ?? (flagOf(properties, 'BackLinksEnabled', false) ? 'memberOf' : undefined);
}

function readConnection(properties: StoreProperties): ConnectionSettings {
  const urls = (properties.get('ConnectionURL') ?? '').split(/\s+/).filter((url) => url !== '');
  const wrong = urls.find((url) => !/^ldaps?:\/\/[^/]+\/?$/i.test(url));
  if (wrong !== undefined || urls.length === 0) {
    throw wrongProperty('ConnectionURL', 'ldap://HOST:PORT or ldaps://HOST:PORT', wrong ?? '');
  }
  const dn = textOf(properties, 'ConnectionName');
  const isAnonymous = flagOf(properties, 'AnonymousBind', false);
  if (dn === undefined && !isAnonymous) throw wrongProperty('ConnectionName', 'the DN of the service account', '');
  const password = properties.get('ConnectionPassword') ?? '';
  // A bind with a name and no password succeeds as nobody (RFC 4513 §5.1.2), which would show as missing users later.
  if (!isAnonymous && password === '') throw wrongProperty('ConnectionPassword', 'the password of ConnectionName', '');
  return {
    urls,
    account: dn === undefined || isAnonymous ? undefined : { dn, password },
    connectTimeout: numberOf(properties, 'LDAPConnectionTimeout', 5000),
    readTimeout: Math.max(0, numberOf(properties, 'ReadTimeout', 5000)),
    usesStartTls: flagOf(properties, 'StartTLSEnabled', false),
    checksCertificate: flagOf(properties, 'SSLCertificateValidationEnabled', true),
    isPooled: flagOf(properties, 'ConnectionPoolingEnabled', false),
    failuresAllowed: Math.max(1, numberOf(properties, 'ConnectionRetryCount', 2)),
    retryDelay: numberOf(properties, 'ConnectionRetryDelay', 120_000),
    referral: readReferral(textOf(properties, 'Referral')),
  };
}

function readReferral(text = 'follow'): Referral {
  const known: readonly Referral[] = ['follow', 'ignore', 'throw'];
  const found = known.find((each) => each === text.toLowerCase());
  if (found) return found;
  throw wrongProperty('Referral', known.join(', '), text);
}

/** Several DNs or patterns stand between `#`. */
function partsOf(properties: StoreProperties, name: string, whenAbsent?: string): readonly string[] {
  const text = textOf(properties, name) ?? whenAbsent ?? '';
  return text
    .split('#')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function listOf(properties: StoreProperties, name: string): readonly string[] {
  return (properties.get(name) ?? '').split(/[\s,]+/).filter((part) => part !== '');
}

function wrongProperty(name: string, expected: string, found: string): MillraceError {
  return new MillraceError({
    code: 'MR_STORE_PROPERTY',
    status: 400,
    message: `${name}: expected ${expected}, found ${found === '' ? 'nothing' : `"${found}"`}`,
  });
}
