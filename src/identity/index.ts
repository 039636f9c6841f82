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
