export type { FetchText } from './keys/key-sets.ts';
export type { SigningKey, SigningKeys } from './keys/signing-keys.ts';
export type { Client, ClientAuthentication, ClientLifetimes, Clients } from './oauth/client.ts';
export type { IssuedTokens, Subject, TokenOrder, TokenRecord, TokenState } from './oauth/tokens.ts';
export type { Session, Sessions } from './sessions/session.ts';
export {
  isSuperTenant,
  superTenant,
  tenantPath,
  type NewTenant,
  type Tenant,
  type TenantRecord,
  type Tenants,
} from './tenants/tenant.ts';
export type { NewUser, SignIn, SignInFailure, User, UserQuery, Users } from './users/users.ts';
export { createIdentity, type Identity, type IdentityParts } from './create-identity.ts';
export {
  emptyAnswer,
  jsonAnswer,
  redirectAnswer,
  type Endpoint,
  type EndpointAnswer,
  type EndpointRequest,
} from './http/endpoint.ts';
export { openAdministration, type Administration } from './administration.ts';
export { openRecovery } from './recovery/open-recovery.ts';
export { recoveryPages } from './recovery/recovery-pages.ts';
export type { RecoveryNotice, SendNotice } from './recovery/recovery.ts';
export { administrativeApis } from './administrative-apis.ts';
export { createTenantSite, tenantOfRequest } from './http/tenant-site.ts';
export { authenticateBy } from './http/authenticate.ts';
export { readClaimFileOf } from './claims/claim-file.ts';
export { createClaimsOf } from './claims/claims-of.ts';
export { apiPortHandlers } from './http/api-port.ts';
export { serveEndpoints, type ServeOptions } from './http/serve.ts';
export { describeKey } from './keys/keys-api.ts';
export { signingKeyOf } from './keys/key-store-keys.ts';
export type { Caller, FindCaller } from './oauth/callers.ts';
export { settingFacts, type ClientSettings } from './oauth/client-settings.ts';
export { setClientActive } from './oauth/set-client-active.ts';
export { newClient, newCredential } from './oauth/client-store.ts';
export { OAuthError, type OAuthErrorCode } from './oauth/errors.ts';
export { oauthSchema } from './oauth/schema.ts';
export type { PostForm } from './oauth/logout-notices.ts';
export {
  createRevocationNotices,
  type OwnNotice,
  type PutForm,
  type RevocationNotice,
  type RevocationNotices,
} from './oauth/revocation-notices.ts';
export { openRevocations, type Revocation, type RevocationReader } from './oauth/revocations.ts';
export { findPair } from './oauth/revoke.ts';
export { sqlConsoleEndpoints } from './console/sql-console.ts';
export { sweepTokens } from './oauth/sweep.ts';
export { createProtection, type Protection, type ProtectionMode } from './oauth/token-protection.ts';
export { sessionsSchema } from './sessions/schema.ts';
export { sweepSessions } from './sessions/sweep.ts';
export { providerFolders } from './providers/providers.ts';
export { readIdentitySettings, type IdentitySettings } from './settings.ts';
export { importUsers, readImport } from './users/import-users.ts';
export { openUserGround, type UserGround } from './users/ground.ts';
export { everyoneRole, type Roles } from './users/roles.ts';
export { storeDatabases, type StoreDatabase } from './users/store-databases.ts';
export { usersSchema } from './users/schema.ts';
export type { Stores } from './users/open-stores.ts';
export type { UserStore } from './users/user-store.ts';
export { createVerifyAdmin } from './users/verify-admin.ts';
export { ensureSuperAdmin, type SuperAdmin } from './users/super-admin.ts';
export { createTenantValidation, type TenantValidation } from './tenants/tenant-validation.ts';
export { tenantValidationEndpoints, tenantValidationPath } from './tenants/tenant-validation-pages.ts';
export type { TenantCreated } from './tenants/tenants-api.ts';
