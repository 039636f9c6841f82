import type { KeyObject, X509Certificate } from 'node:crypto';
import type { Tenant } from '../tenants/tenant.ts';

/** Somebody who vouches for users: its assertions are exchanged for tokens (identity 3.5, 3.6). */
export interface IdentityProvider {
  readonly name: string;
  readonly isEnabled: boolean;
  /** True for this server itself, whose subjects are users of its own stores. */
  readonly isResident: boolean;
  /** How its assertions name this server; the address of the tenant's token endpoint when undefined. */
  readonly alias: string | undefined;
  /** `iss` of its JWTs. */
  readonly issuer: string;
  /** Issuer of its SAML assertions. */
  readonly samlEntityId: string | undefined;
  readonly jwksUri: string | undefined;
  readonly certificates: readonly X509Certificate[];
  /** Keys that come without a certificate: those of the resident provider. */
  readonly keys: readonly ProviderKey[];
  /** Names of claims in assertions, with the local claims that they stand for. */
  readonly claims: ReadonlyMap<string, string>;
  /** Claim with the roles, as assertions call it. */
  readonly roleClaim: string | undefined;
  /** Local roles by the provider's own names. */
  readonly roles: ReadonlyMap<string, string>;
  /** What the Kerberos grant accepts tickets with. */
  readonly kerberos: KerberosService | undefined;
}

export interface ProviderKey {
  readonly id: string;
  readonly key: KeyObject;
}

export interface KerberosService {
  /** Such as `HTTP/host.example.com@EXAMPLE.COM`. */
  readonly principal: string;
  /** Gives the key of the service where the keytab has none; a keytab is better. */
  readonly password: string | undefined;
  /** Domains of the user stores in which users are looked for; all of them when empty. */
  readonly storeDomains: readonly string[];
}

/** The identity providers of each tenant; the resident one is among them. */
export interface IdentityProviders {
  /** By `iss` of a JWT: the issuer's name, or the provider's own. */
  ofIssuer(tenant: Tenant, issuer: string): Promise<IdentityProvider | undefined>;
  ofSamlEntity(tenant: Tenant, entityId: string): Promise<IdentityProvider | undefined>;
  ofName(tenant: Tenant, name: string): Promise<IdentityProvider | undefined>;
  /** The first one that accepts Kerberos tickets. */
  withKerberos(tenant: Tenant): Promise<IdentityProvider | undefined>;
}
