import type { TlsMaterial } from '#keystore';
import type { ProxySelector } from './proxy.ts';

/** How the host name in a back end's certificate is checked; trust in its issuer is checked in any case. */
export type HostNameVerifier = 'strict' | 'default-and-localhost' | 'allow-all';

export interface SenderTls extends TlsMaterial {
  /** `strict` when absent. */
  readonly verifier?: HostNameVerifier;
  /** True takes any certificate: for people who look at a server of their own, never for flows. */
  readonly acceptsAnyCertificate?: boolean;
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  readonly maxVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  /** Cipher suites in OpenSSL's notation. */
  readonly ciphers?: string;
}

export interface HttpSenderOptions {
  /** Most connections to one origin. */
  readonly connectionsPerOrigin?: number;
  /** Most requests to one origin that wait for a connection. */
  readonly queueLimit?: number;
  /** Milliseconds within which a connection must be established. */
  readonly connectTimeout?: number;
  /** Milliseconds without progress after which an exchange fails, unless the request says otherwise. */
  readonly idleTimeout?: number;
  /** Milliseconds for which an unused connection is kept, unless the back end asks for less. */
  readonly keepAliveTimeout?: number;
  /** Milliseconds after which a connection takes no further exchange; 0 for no limit. */
  readonly connectionLifespan?: number;
  /** Most bytes of a response head. */
  readonly maxHeaderBytes?: number;
  /** False closes every connection after one exchange. */
  readonly keepAlive?: boolean;
  readonly tls?: SenderTls;
  /** The forward proxy of each origin; none when absent. */
  readonly proxy?: ProxySelector;
}

export const defaultSenderOptions = {
  connectionsPerOrigin: 32_767,
  queueLimit: 32_767,
  connectTimeout: 20_000,
  idleTimeout: 170_000,
  keepAliveTimeout: 30_000,
  connectionLifespan: 0,
  maxHeaderBytes: 65_536,
  keepAlive: true,
  tls: {},
  proxy: () => undefined,
} as const satisfies Required<HttpSenderOptions>;
