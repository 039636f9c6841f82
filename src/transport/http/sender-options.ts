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
  /** What differs for some origins; of several profiles of an origin the first one counts. */
  readonly profiles?: readonly SenderTlsProfile[];
}

/** Key material for some origins only. */
export interface SenderTlsProfile {
  /** Hosts with their ports, such as `back.example:8443`, in lower case; `*` stands for those that none names. */
  readonly names: readonly string[];
  readonly tls: Omit<SenderTls, 'profiles'>;
}

/** What holds for one origin such as `https://back.example`. */
export function tlsForOrigin(origin: string, tls: SenderTls): SenderTls {
  const { profiles, ...common } = tls;
  if (!profiles || profiles.length === 0) return tls;
  const { hostname, port } = new URL(origin);
  const name = `${hostname}:${port === '' ? '443' : port}`;
  const profile =
    profiles.find(({ names }) => names.includes(name)) ?? profiles.find(({ names }) => names.includes('*'));
  return { ...common, ...profile?.tls };
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
