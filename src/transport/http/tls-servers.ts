import { constants } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { getLogger } from '#core';
import { ClientChecks } from './client-checks.ts';
import type { ListenerTls } from './listener-options.ts';

const log = getLogger('transport.http');
const handshakeTimeout = 10_000;

/** Turns accepted connections into encrypted ones, with the key material that their address or name has. */
export class TlsServers {
  readonly #accept: (socket: Socket) => void;
  #settings: ListenerTls;
  #main: Server;
  /** Servers of addresses of this machine that have profiles of their own. */
  #byAddress: ReadonlyMap<string, Server>;

  /** @param accept gets each connection after its handshake; one that fails is closed */
  constructor(settings: ListenerTls, accept: (socket: Socket) => void) {
    this.#settings = settings;
    this.#accept = accept;
    [this.#main, this.#byAddress] = this.#create();
  }

  /** Takes a connection before its handshake. */
  take(socket: Socket): void {
    const address = socket.localAddress?.replace(/^::ffff:/, '') ?? '';
    (this.#byAddress.get(address) ?? this.#main).emit('connection', socket);
  }

  /** Uses other settings for connections that come from now on. */
  set(settings: ListenerTls): void {
    this.#settings = settings;
    [this.#main, this.#byAddress] = this.#create();
  }

  #create(): [Server, ReadonlyMap<string, Server>] {
    const { profiles = [], ...common } = this.#settings;
    const named = profiles.filter(({ names }) => names.some((name) => isIP(name) === 0));
    const main = this.#open(
      common,
      named.map(({ tls }) => ({ ...common, ...tls })),
    );
    const byAddress = new Map<string, Server>();
    for (const { names, tls } of profiles) {
      for (const name of names) {
        const settings = { ...common, ...tls };
        if (isIP(name) === 0) main.addContext(name, contextOptions(settings));
        else byAddress.set(name, this.#open(settings));
      }
    }
    return [main, byAddress];
  }

  /** @param others what clients may show certificates for besides, by the name that they ask for */
  #open(settings: ListenerTls, others: readonly ListenerTls[] = []): Server {
    const { checkClient } = settings;
    const checks = checkClient && new ClientChecks(checkClient, [settings, ...others]);
    const server = createServer({
      ...contextOptions(settings),
      handshakeTimeout,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      if (checks) checks.hold(socket, this.#accept);
      else this.#accept(socket);
    });
    server.on('tlsClientError', (error: Error, socket: Socket) => {
      log.debug({ error: error.message }, 'TLS handshake failed');
      socket.destroy();
    });
    return server;
  }
}

function contextOptions(settings: ListenerTls) {
  const { verifyClient = 'none', key, cert, ca, checkClient, profiles: _profiles, ...rest } = settings;
  return {
    ...rest,
    // A session that is taken up again brings the client's certificate without those that it sent along.
    ...(checkClient ? { secureOptions: constants.SSL_OP_NO_TICKET } : {}),
    ...(key === undefined ? {} : { key }),
    ...(cert === undefined ? {} : { cert }),
    ...(ca === undefined ? {} : { ca: [...ca] }),
    requestCert: verifyClient !== 'none',
    rejectUnauthorized: verifyClient === 'require',
  };
}
