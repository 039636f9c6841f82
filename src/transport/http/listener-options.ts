import type { ShownCertificate, TlsMaterial } from '#keystore';
import type { HeadLimits } from './request-head.ts';

export interface ListenerLimits extends HeadLimits {
  /** Milliseconds within which a request head must be complete. */
  readonly headersTimeout: number;
  /** Milliseconds within which a whole request must be complete; 0 for no limit. */
  readonly requestTimeout: number;
  /** Milliseconds that a body may take by itself; `minBodyRate` adds to them. */
  readonly bodyTimeout: number;
  /** Bytes a second that a body must have on average once `bodyTimeout` is over. */
  readonly minBodyRate: number;
  /** Milliseconds without any traffic after which a connection is closed, even while a request is under way; 0 for none. */
  readonly idleTimeout: number;
  /** Milliseconds for which a connection waits for its next request. */
  readonly keepAliveTimeout: number;
  /** Most open connections; further ones are closed at once. 0 for no limit. */
  readonly maxConnections: number;
  /** Most bytes of an unread request body that are discarded to keep a connection usable. */
  readonly maxUnreadBytes: number;
  /** Requests of one HTTP/1.1 connection, the last of which closes it; 0 for no limit. */
  readonly maxRequests: number;
}

/** TLS of a listener; fields that are absent follow Node's secure defaults. */
export interface ListenerTls extends TlsMaterial {
  /** Whether clients are asked for a certificate, and turned away without a trusted one. */
  readonly verifyClient?: 'none' | 'optional' | 'require';
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  readonly maxVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  /** Cipher suites in OpenSSL's notation. */
  readonly ciphers?: string;
  /** Looks at certificates that clients show, before anything that they send is read. */
  readonly checkClient?: ClientCheck | undefined;
  /** What differs for some of the listener's addresses, or for names that clients ask for (RFC 6066, 3). */
  readonly profiles?: readonly ListenerTlsProfile[];
}

/** Resolves for a client that may go on; the connection of one for which it rejects is closed. */
export type ClientCheck = (shown: ShownCertificate) => Promise<void>;

/** Key material for some addresses or names only. */
export interface ListenerTlsProfile {
  readonly names: readonly string[];
  readonly tls: Omit<ListenerTls, 'profiles'>;
}

/** How connections are treated; it can change while a listener is open. */
export interface ListenerManners {
  readonly limits?: Partial<ListenerLimits>;
  /** Value of the `Server` field of responses that have none; no such field when absent. */
  readonly serverHeader?: string;
  /** False closes every connection after one request. */
  readonly keepAlive?: boolean;
}

export interface HttpListenerOptions extends ListenerManners {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Makes it an HTTPS listener. */
  readonly tls?: ListenerTls;
  /** Bytes of a message that wait for a slow reader before the writer is held back; that of Node when absent. */
  readonly bufferSize?: number;
  /** Shares the port with other processes, among which the system distributes connections. */
  readonly reusePort?: boolean;
  /** False lets the system wait for more before it sends what is small (Nagle's algorithm). */
  readonly noDelay?: boolean;
}

export const defaultListenerLimits: ListenerLimits = {
  maxHeaderBytes: 16_384,
  maxHeaders: 1_000,
  maxUriBytes: 8_192,
  headersTimeout: 10_000,
  requestTimeout: 0,
  bodyTimeout: 10_000,
  minBodyRate: 240,
  idleTimeout: 180_000,
  keepAliveTimeout: 60_000,
  maxConnections: 0,
  maxUnreadBytes: 1_048_576,
  maxRequests: 0,
};
