import type { SectionKeys } from './define.ts';
import { server, superAdmin, systemParameter } from './server.ts';
import { databaseConfiguration, databaseApimDb, databaseSharedDb, databaseLocal, datasource } from './database.ts';
import { database } from './database-named.ts';
import {
  keystoreTls,
  keystorePrimary,
  keystoreInternal,
  truststore,
  encryption,
  secrets,
  runtimeSecrets,
} from './keystore.ts';
import { userStore, userStoreProperties } from './user-store.ts';
import { userStoreDetails } from './user-store-details.ts';
import { httpConnector, httpsConnector, connector } from './transport-connectors.ts';
import { passthruHttp } from './passthru-http.ts';
import { transportPassthruHttps } from './transport-passthru.ts';
import { passthruHttpTransport, blockingHttpTransport } from './transport-plain.ts';
import { transportDefaults } from './transport-defaults.ts';
import { transportHttp } from './transport-http.ts';
import { transportBlockingHttps } from './transport-blocking.ts';
import {
  transportPassthruHttpSenderParameters,
  transportHttpProxyProfile,
  transportHttpSecuredProxyProfile,
} from './transport-proxy.ts';
import { transportJms, transportJmsSender, transportRabbitmq, transportRabbitmqSender } from './transport-brokers.ts';
import { transportWs, transportWss, webSocketTransport, webSocketProxyProfile } from './transport-websocket.ts';
import {
  messageBuilders,
  blockingMessageBuilders,
  customMessageBuilders,
  blockingCustomMessageBuilders,
} from './message-builders.ts';
import {
  messageFormatters,
  blockingMessageFormatters,
  customMessageFormatters,
  blockingCustomMessageFormatters,
} from './message-formatters.ts';
import { mediation } from './mediation.ts';
import { topLevel, synapseHandler, synapseHandlerParameter, synapseProperties } from './synapse.ts';
import { oauth, oauthOidc, oauthTokenGeneration, oauthExtensionsTokenTypes, sessionDataPersistence } from './oauth.ts';
import {
  oauthGrantTypeAuthorizationCode,
  oauthGrantTypePassword,
  oauthGrantTypeRefreshToken,
  oauthGrantTypeClientCredentials,
  oauthGrantTypeSamlBearer,
  oauthGrantTypeJwt,
  oauthGrantTypeIwaNtlm,
  oauthGrantTypeJwtBearer,
  oauthGrantTypeKerberos,
  grantType,
  oauthCustomGrantType,
} from './oauth-grants.ts';
import { apimJwt, apimJwtIssuer, apimJwtIssuerJwks, apimJwtIssuerClaimMapping } from './apim-jwt.ts';
import { apimKeyManager, apimHttpClient, apimOauthConfig, apimTokenRevocation } from './apim-keys.ts';
import {
  apimGatewayEnvironment,
  apimGatewayEnvironmentVirtualHost,
  apimSyncRuntimeArtifactsGateway,
} from './apim-gateway.ts';
import {
  apimCacheGatewayToken,
  apimCacheResource,
  apimCacheKmToken,
  apimCacheRecentApis,
  apimCacheScopes,
  apimCachePublisherRoles,
  apimCacheJwtClaim,
  apimCacheTags,
} from './apim-cache.ts';
import { apimDevportal, apimDevportalApplicationAttributes, apimCors, apimSdk, apimWorkflow } from './apim-portal.ts';
import {
  apimThrottling,
  apimThrottlingBlacklistCondition,
  apimThrottlingEventSync,
  apimThrottlingEventManagement,
  apimThrottlingUrlGroup,
} from './apim-throttling.ts';
import { apimAnalytics, apimAnalyticsUrlGroup, apimOpenTracer } from './apim-analytics.ts';
import { apimNotifications, outputAdapterEmail } from './apim-notification.ts';
import {
  identityMgtNotificationChannelRecovery,
  identityMgtPasswordResetEmail,
  identityMgtPasswordResetSms,
} from './identity-mgt.ts';
import {
  tenantMgt,
  multiTenancyStratos,
  multiTenancyStratosPaypal,
  multiTenancyStratosManagerService,
  multiTenancyUsageAgentDataPersistenceTask,
  multiTenancyThrottlingManagerTasks,
  multiTenancyThrottlingManagerTasksParameters,
  multiTenancyCloudServices,
} from './multi-tenancy.ts';
import {
  multiTenancyBillingPackageDemo,
  multiTenancyBillingPackageDemoUsers,
  multiTenancyBillingPackageDemoResourceVolume,
  multiTenancyBillingPackageDemoBandwidth,
  multiTenancyBillingPackageSmb,
  multiTenancyBillingPackageSmbUsers,
  multiTenancyBillingPackageSmbResourceVolume,
  multiTenancyBillingPackageSmbBandwidth,
  multiTenancyBillingPackageCustom,
  multiTenancyBillingPackageCustomUsers,
  multiTenancyBillingPackageCustomResourceVolume,
  multiTenancyBillingPackageCustomBandwidth,
} from './multi-tenancy-billing.ts';
import {
  registryHandler,
  registryHandlerProperties,
  registryHandlerNestedProperty,
  registryNestedValue,
  registryHandlerFilterProperties,
} from './registry-handler.ts';
import {
  carbonHealthCheck,
  carbonHealthCheckHealthCheckerSuperTenantHealthChecker,
  carbonHealthCheckHealthCheckerDataSourceHealthChecker,
  healthChecker,
} from './health.ts';
import { externalVault } from './external-vault.ts';
import { indexing, governance, qpidHeartbeat } from './platform.ts';
import { dashboardConfig, icpConfig, managementApi, internalApisUsers, userAccess } from './management.ts';
import { compat } from './compat.ts';
import { masking } from './masking.ts';
import { millrace, internalApis } from './millrace.ts';
import { dashboardServerConfig, dashboardHeartbeatConfig } from './dashboard/server.ts';
import {
  dashboardMiUserStore,
  dashboardInternalApis,
  dashboardInternalApisUsers,
  dashboardUserStore,
  dashboardBalServiceAccount,
} from './dashboard/users.ts';
import { dashboardKeystore, dashboardTruststore, dashboardSecrets } from './dashboard/keystore.ts';
import { dashboardSso, dashboardSsoAuthorizationRequestParams } from './dashboard/sso.ts';
import { dashboardMillrace } from './dashboard/millrace.ts';

/** Every section of the server's file. */
export const serverSections: readonly SectionKeys[] = [
  server,
  superAdmin,
  systemParameter,
  databaseConfiguration,
  databaseApimDb,
  databaseSharedDb,
  databaseLocal,
  datasource,
  database,
  keystoreTls,
  keystorePrimary,
  keystoreInternal,
  truststore,
  encryption,
  secrets,
  runtimeSecrets,
  userStore,
  userStoreProperties,
  userStoreDetails,
  httpConnector,
  httpsConnector,
  connector,
  passthruHttp,
  transportPassthruHttps,
  passthruHttpTransport,
  blockingHttpTransport,
  transportDefaults,
  transportHttp,
  transportBlockingHttps,
  transportPassthruHttpSenderParameters,
  transportHttpProxyProfile,
  transportHttpSecuredProxyProfile,
  transportWs,
  transportWss,
  transportJms,
  transportJmsSender,
  transportRabbitmq,
  transportRabbitmqSender,
  webSocketTransport,
  webSocketProxyProfile,
  messageBuilders,
  blockingMessageBuilders,
  customMessageBuilders,
  blockingCustomMessageBuilders,
  messageFormatters,
  blockingMessageFormatters,
  customMessageFormatters,
  blockingCustomMessageFormatters,
  mediation,
  topLevel,
  synapseHandler,
  synapseHandlerParameter,
  synapseProperties,
  oauth,
  oauthOidc,
  oauthTokenGeneration,
  oauthExtensionsTokenTypes,
  sessionDataPersistence,
  oauthGrantTypeAuthorizationCode,
  oauthGrantTypePassword,
  oauthGrantTypeRefreshToken,
  oauthGrantTypeClientCredentials,
  oauthGrantTypeSamlBearer,
  oauthGrantTypeJwt,
  oauthGrantTypeIwaNtlm,
  oauthGrantTypeJwtBearer,
  oauthGrantTypeKerberos,
  grantType,
  oauthCustomGrantType,
  apimJwt,
  apimJwtIssuer,
  apimJwtIssuerJwks,
  apimJwtIssuerClaimMapping,
  apimKeyManager,
  apimHttpClient,
  apimOauthConfig,
  apimTokenRevocation,
  apimGatewayEnvironment,
  apimGatewayEnvironmentVirtualHost,
  apimSyncRuntimeArtifactsGateway,
  apimCacheGatewayToken,
  apimCacheResource,
  apimCacheKmToken,
  apimCacheRecentApis,
  apimCacheScopes,
  apimCachePublisherRoles,
  apimCacheJwtClaim,
  apimCacheTags,
  apimDevportal,
  apimDevportalApplicationAttributes,
  apimCors,
  apimSdk,
  apimWorkflow,
  apimThrottling,
  apimThrottlingBlacklistCondition,
  apimThrottlingEventSync,
  apimThrottlingEventManagement,
  apimThrottlingUrlGroup,
  apimAnalytics,
  apimAnalyticsUrlGroup,
  apimOpenTracer,
  apimNotifications,
  outputAdapterEmail,
  identityMgtPasswordResetEmail,
  identityMgtPasswordResetSms,
  identityMgtNotificationChannelRecovery,
  tenantMgt,
  multiTenancyStratos,
  multiTenancyStratosPaypal,
  multiTenancyStratosManagerService,
  multiTenancyUsageAgentDataPersistenceTask,
  multiTenancyThrottlingManagerTasks,
  multiTenancyThrottlingManagerTasksParameters,
  multiTenancyCloudServices,
  multiTenancyBillingPackageDemo,
  multiTenancyBillingPackageDemoUsers,
  multiTenancyBillingPackageDemoResourceVolume,
  multiTenancyBillingPackageDemoBandwidth,
  multiTenancyBillingPackageSmb,
  multiTenancyBillingPackageSmbUsers,
  multiTenancyBillingPackageSmbResourceVolume,
  multiTenancyBillingPackageSmbBandwidth,
  multiTenancyBillingPackageCustom,
  multiTenancyBillingPackageCustomUsers,
  multiTenancyBillingPackageCustomResourceVolume,
  multiTenancyBillingPackageCustomBandwidth,
  registryHandler,
  registryHandlerProperties,
  registryHandlerNestedProperty,
  registryNestedValue,
  registryHandlerFilterProperties,
  carbonHealthCheck,
  carbonHealthCheckHealthCheckerSuperTenantHealthChecker,
  carbonHealthCheckHealthCheckerDataSourceHealthChecker,
  healthChecker,
  indexing,
  governance,
  qpidHeartbeat,
  externalVault,
  dashboardConfig,
  icpConfig,
  managementApi,
  internalApisUsers,
  userAccess,
  millrace,
  compat,
  masking,
  internalApis,
];

/** Every section of the dashboard's file. */
export const dashboardSections: readonly SectionKeys[] = [
  dashboardServerConfig,
  dashboardHeartbeatConfig,
  dashboardMiUserStore,
  dashboardInternalApis,
  dashboardInternalApisUsers,
  dashboardUserStore,
  dashboardBalServiceAccount,
  dashboardKeystore,
  dashboardTruststore,
  dashboardSecrets,
  dashboardSso,
  dashboardSsoAuthorizationRequestParams,
  dashboardMillrace,
];
