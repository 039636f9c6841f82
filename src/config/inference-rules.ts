import type { Raw } from './catalog/types.ts';

/** What follows from the values of one key; `$1` is the name that the trigger's expression caught. */
export interface InferenceRule {
  readonly trigger: RegExp;
  readonly values?: Readonly<Record<string, Readonly<Record<string, Raw>>>>;
  /** What follows from any value, where the values cannot be listed. */
  readonly derive?: (text: string) => Readonly<Record<string, Raw>> | undefined;
}

const gatewayOnly = {
  'apim.throttling.enable_policy_deploy': false,
  'apim.throttling.enable_data_publishing': true,
  'apim.throttling.enable_decision_connection': true,
  'apim.throttling.enable_blacklist_condition': true,
  'indexing.enable': false,
};

const noTraffic = {
  'apim.throttling.enable_decision_connection': false,
  'apim.throttling.enable_data_publishing': false,
  'apim.throttling.enable_blacklist_condition': false,
  'transport.ws.sender.enable': false,
  'transport.wss.sender.enable': false,
};

const jdbcStore = {
  'user_store.class': 'org.wso2.carbon.user.core.jdbc.JDBCUserStoreManager',
  'user_store.properties.TenantManager': 'org.wso2.carbon.user.core.tenant.JDBCTenantManager',
  'user_store.properties.ReadOnly': false,
  'user_store.properties.ReadGroups': true,
  'user_store.properties.WriteGroups': true,
  'user_store.properties.PasswordDigest': 'SHA-256',
  'user_store.properties.StoreSaltedPassword': true,
  'user_store.properties.CaseInsensitiveUsername': true,
  'user_store.properties.UsernameJavaRegEx': String.raw`^[\S]{3,30}$`,
  'user_store.properties.PasswordJavaRegEx': String.raw`^[\S]{5,30}$`,
};

const directory = {
  'user_store.properties.TenantManager': 'org.wso2.carbon.user.core.tenant.CommonHybridLDAPTenantManager',
  'user_store.properties.PasswordHashMethod': 'PLAIN_TEXT',
};

/** The directory that the original's integration runtime expects beside it. */
const localDirectory = {
  'user_store.properties.ConnectionURL': 'ldap://localhost:10389',
  'user_store.properties.ConnectionName': 'uid=admin,ou=system',
};

const readOnlyDirectory = {
  ...directory,
  ...localDirectory,
  'user_store.class': 'org.wso2.carbon.user.core.ldap.ReadOnlyLDAPUserStoreManager',
  'user_store.properties.ReadOnly': true,
  'user_store.properties.WriteGroups': false,
  'user_store.properties.SCIMEnabled': false,
  'user_store.properties.UserSearchBase': 'ou=Users,$ref{user_store.base_dn}',
  'user_store.properties.GroupSearchBase': 'ou=Groups,$ref{user_store.base_dn}',
};

const readWriteDirectory = {
  ...directory,
  ...localDirectory,
  'user_store.class': 'org.wso2.carbon.user.core.ldap.ReadWriteLDAPUserStoreManager',
  'user_store.properties.ReadOnly': false,
  'user_store.properties.WriteGroups': true,
  'user_store.properties.UserEntryObjectClass': 'identityPerson',
  'user_store.properties.GroupEntryObjectClass': 'groupOfNames',
  'user_store.properties.EmptyRolesAllowed': true,
  'user_store.properties.StartTLSEnabled': false,
  'user_store.properties.SCIMEnabled': true,
  'user_store.properties.ConnectionRetryDelay': '2m',
  'user_store.properties.UserSearchBase': 'ou=Users,$ref{user_store.base_dn}',
  'user_store.properties.GroupSearchBase': 'ou=Groups,$ref{user_store.base_dn}',
};

const activeDirectory = {
  ...directory,
  'user_store.class': 'org.wso2.carbon.user.core.ldap.ActiveDirectoryUserStoreManager',
  'user_store.properties.ReadOnly': false,
  'user_store.properties.WriteGroups': true,
  'user_store.properties.UserSearchBase': 'cn=Users,$ref{user_store.base_dn}',
  'user_store.properties.GroupSearchBase': 'cn=Groups,$ref{user_store.base_dn}',
  'user_store.properties.MemberOfAttribute': 'memberOf',
  'user_store.properties.Referral': 'follow',
  'user_store.properties.isADLDSRole': false,
  'user_store.properties.userAccountControl': 512,
  'user_store.properties.MembershipAttributeRange': 1500,
};

const tokenPersistence = (processor: string): Readonly<Record<string, Raw>> => ({
  'oauth.extensions.token_persistence_processor': `org.wso2.carbon.identity.oauth.tokenprocessor.${processor}PersistenceProcessor`,
});

const hashedTokens = { ...tokenPersistence('Hashing'), 'oauth.hash_tokens_and_secrets': true };

function databaseType(driver: string, validationQuery: string): Readonly<Record<string, Raw>> {
  return { 'database.$1.driver': driver, 'database.$1.validationQuery': validationQuery };
}

const vendorsByUrl: Readonly<Record<string, string>> = {
  mysql: 'mysql',
  mariadb: 'mariadb',
  postgresql: 'postgre',
  sqlserver: 'mssql',
  oracle: 'oracle',
  db2: 'db2',
  h2: 'h2',
};

/** People often write `driver` and `url` only. */
function vendorOfUrl(url: string): Readonly<Record<string, Raw>> | undefined {
  const vendor = vendorsByUrl[/^jdbc:(\w+):/.exec(url)?.[1] ?? ''];
  return vendor === undefined ? undefined : { 'database.$1.type': vendor };
}

/** Data sources and user stores of the original follow from these; the file's own values always win. */
export const inferenceRules: readonly InferenceRule[] = [
  {
    trigger: /^server\.server_role$/,
    values: {
      'gateway-worker': gatewayOnly,
      'api-publisher': noTraffic,
      'api-devportal': noTraffic,
      'control-plane': noTraffic,
      'api-key-manager': { ...noTraffic, 'apim.throttling.enable_policy_deploy': false, 'indexing.enable': false },
      'traffic-manager': {
        'apim.throttling.enable_decision_connection': false,
        'apim.throttling.enable_data_publishing': false,
        'apim.throttling.enable_blacklist_condition': false,
        'apim.throttling.enable_policy_deploy': false,
      },
    },
  },
  {
    trigger: /^user_store\.type$/,
    values: {
      database: jdbcStore,
      database_unique_id: {
        ...jdbcStore,
        'user_store.class': 'org.wso2.carbon.user.core.jdbc.UniqueIDJDBCUserStoreManager',
      },
      read_only_ldap: readOnlyDirectory,
      read_only_ldap_unique_id: {
        ...readOnlyDirectory,
        'user_store.class': 'org.wso2.carbon.user.core.ldap.UniqueIDReadOnlyLDAPUserStoreManager',
      },
      read_write_ldap: readWriteDirectory,
      read_write_ldap_unique_id: {
        ...readWriteDirectory,
        'user_store.class': 'org.wso2.carbon.user.core.ldap.UniqueIDReadWriteLDAPUserStoreManager',
      },
      active_directory: activeDirectory,
      active_directory_unique_id: {
        ...activeDirectory,
        'user_store.class': 'org.wso2.carbon.user.core.ldap.UniqueIDActiveDirectoryUserStoreManager',
        'user_store.properties.UserIDAttribute': 'objectGuid',
      },
    },
  },
  {
    trigger: /^database\.(\w+)\.type$/,
    values: {
      mysql: databaseType('com.mysql.jdbc.Driver', 'SELECT 1'),
      mariadb: databaseType('org.mariadb.jdbc.Driver', 'SELECT 1'),
      postgre: databaseType('org.postgresql.Driver', 'SELECT 1; COMMIT'),
      mssql: databaseType('com.microsoft.sqlserver.jdbc.SQLServerDriver', 'SELECT 1'),
      oracle: databaseType('oracle.jdbc.OracleDriver', 'SELECT 1 FROM DUAL'),
      db2: databaseType('com.ibm.db2.jcc.DB2Driver', 'SELECT 1 FROM sysibm.sysdummy1'),
      h2: databaseType('org.h2.Driver', 'SELECT 1'),
    },
  },
  { trigger: /^database\.(\w+)\.url$/, derive: vendorOfUrl },
  {
    trigger: /^keystore\.primary\.(\w+)$/,
    derive: (text) => ({ 'keystore.tls.$1': text, 'keystore.internal.$1': text }),
  },
  { trigger: /^keystore\.tls\.(\w+)$/, derive: (text) => ({ 'keystore.primary.$1': text }) },
  // The original's portal notifications overwrite the mail settings of events.
  { trigger: /^apim\.notifications\.(\w+)$/, derive: (text) => ({ 'output_adapter.email.$1': text }) },
  {
    trigger: /^apim\.jwt\.encoding$/,
    values: {
      base64: { 'apim.jwt.generator_impl': 'org.wso2.carbon.apimgt.keymgt.token.JWTGenerator' },
      base64url: { 'apim.jwt.generator_impl': 'org.wso2.carbon.apimgt.keymgt.token.URLSafeJWTGenerator' },
    },
  },
  {
    trigger: /^apim\.jwt\.enable_user_claims$/,
    values: {
      true: { 'apim.jwt.claims_extractor_impl': 'org.wso2.carbon.apimgt.impl.token.DefaultClaimsRetriever' },
    },
  },
  {
    trigger: /^apim\.devportal\.application_sharing_type$/,
    values: {
      default: {
        'apim.devportal.application_sharing_impl': 'org.wso2.carbon.apimgt.impl.DefaultGroupIDExtractorImpl',
      },
      saml: { 'apim.devportal.application_sharing_impl': 'org.wso2.carbon.apimgt.impl.SAMLGroupIDExtractorImpl' },
    },
  },
  {
    trigger: /^apim\.key_manager\.key_validation_handler_type$/,
    values: {
      default: {
        'apim.key_manager.key_validation_handler_impl':
          'org.wso2.carbon.apimgt.keymgt.handlers.DefaultKeyValidationHandler',
      },
    },
  },
  {
    trigger: /^apim\.throttling\.decision_connection_type$/,
    values: {
      andes: {
        'apim.throttling.jms.java_naming_factory_initial': 'org.wso2.andes.jndi.PropertiesFileInitialContextFactory',
      },
    },
  },
  {
    trigger: /^apim\.oauth_config\.enable_token_encryption$/,
    values: { true: tokenPersistence('EncryptionDecryption') },
  },
  { trigger: /^apim\.oauth_config\.enable_token_hashing$/, values: { true: hashedTokens } },
  {
    trigger: /^transport\.(wss?)\.sender\.enable$/,
    values: {
      true: {
        'transport.$1.sender.parameters.ws.outflow.dispatch.sequence': 'outflowDispatchSeq',
        'transport.$1.sender.parameters.ws.outflow.dispatch.fault.sequence': 'outflowFaultSeq',
      },
    },
  },
];
