import type { KeyObject, X509Certificate } from 'node:crypto';
import type { Tenant } from '../tenants/tenant.ts';

/** A key that signs or has signed tokens of a tenant. */
export interface SigningKey {
  readonly id: string;
  readonly algorithm: 'RS256' | 'ES256';
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly certificate: X509Certificate | undefined;
}

/** The signing keys of each tenant (identity 2.7, 5.4). */
export interface SigningKeys {
  /** The key that signs now. */
  current(tenant: Tenant, algorithm?: string): Promise<SigningKey>;
  /** All keys that are published, the current ones first; former ones stay until their tokens have ended. */
  published(tenant: Tenant): Promise<readonly SigningKey[]>;
}

/** What a published key does. */
export type KeyState = 'current' | 'next' | 'former';

/** A published key and its times, in milliseconds since the epoch. */
export interface RingKey {
  readonly key: SigningKey;
  readonly state: KeyState;
  readonly created: number;
  readonly signsFrom: number;
  /** Undefined while no other key is to follow it, and where its tokens never end. */
  readonly publishedUntil: number | undefined;
}
