/** A key or trust store that an artifact names. */
export interface NamedStore {
  /** A path, below the home unless it is absolute. */
  readonly location: string;
  readonly password: string;
  readonly keyPassword: string | undefined;
}

/** How answers about revoked certificates are kept; what is absent is as on the HTTPS listener of the server. */
export interface PortRevocation {
  readonly cacheSize: number | undefined;
  /** Minutes between clean-ups. */
  readonly cacheDelay: number | undefined;
}

/** TLS of a port of an artifact; what is absent is as on the HTTPS listener of the server. */
export interface PortTls {
  readonly keyStore: NamedStore | undefined;
  readonly trustStore: NamedStore | undefined;
  readonly verifyClient: 'optional' | 'require' | undefined;
  /** Whether certificates of clients were revoked is asked; undefined where it is not. */
  readonly revocation?: PortRevocation | undefined;
  /** Such as `TLSv1.2`. */
  readonly protocols: readonly string[] | undefined;
  /** Cipher suites, named as in Java. */
  readonly ciphers: readonly string[] | undefined;
}

/** Bounds of the messages of one port that are mediated at once; what is absent is as on the listeners of the server. */
export interface PortWorkers {
  readonly core: number | undefined;
  readonly max: number | undefined;
  readonly queue: number | undefined;
}

/** Clients that stay connected to a port; what they are is known to who opens the port. */
export interface PortClients {
  readonly size: number;
}

/** A port that an inbound endpoint wants to have opened. */
export interface PortRequest {
  /** The inbound endpoint that serves it. */
  readonly endpoint: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Whether the offset of the server is added; as the configuration says when undefined. */
  readonly takesOffset: boolean | undefined;
  /** Undefined for plain HTTP. */
  readonly tls: PortTls | undefined;
  /** Undefined to share the workers of the server's listeners. */
  readonly workers: PortWorkers | undefined;
  /** The address to listen on; those of the API listeners when absent. */
  readonly host?: string | undefined;
  /** The parameter that names the port; that of HTTP endpoints when absent. */
  readonly parameter?: string;
  /** Holds the WebSockets of the port; absent where it takes none by itself. */
  readonly clients?: PortClients | undefined;
}

/** A port that is open; disposing it stops accepting at once and lets what is in flight finish. */
export interface OpenPort extends AsyncDisposable {
  readonly port: number;
  /**
   * Uses the key material and the workers of another request of the same endpoint; open connections stay. Key material
   * that cannot be read is logged, and what was there before stays.
   */
  change(request: PortRequest): Promise<void>;
}

/** What opens ports for inbound endpoints. */
export interface ArtifactPorts {
  /**
   * Opens a port.
   *
   * @throws MillraceError for a port that cannot be had, and for key material that cannot be read
   */
  open(request: PortRequest): Promise<OpenPort>;
}
