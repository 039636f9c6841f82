import { X509Certificate } from 'node:crypto';
import { rootCertificates, type TLSSocket } from 'node:tls';
import { getLogger } from '#core';
import { messageOf } from '#errors';
import type { ClientCheck, ListenerTls } from './listener-options.ts';

const log = getLogger('transport.http');
/** Milliseconds that a check may take. */
const patience = 20_000;
/** Connections of one listener that may wait for their checks at the same time. */
const maximumWaiting = 1_000;
const maximumChain = 10;
/** Flaws of certificates that lead to what is trusted all the same; the check itself decides about dates. */
const flawsOfDates: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Holds connections of clients with certificates until these have been checked. */
export class ClientChecks {
  readonly #check: ClientCheck;
  readonly #material: readonly ListenerTls[];
  #trusted: readonly X509Certificate[] | undefined;
  #waiting = 0;

  /** @param material all that the listener trusts */
  constructor(check: ClientCheck, material: readonly ListenerTls[]) {
    this.#check = check;
    this.#material = material;
  }

  /**
   * Calls `accept` once the certificate of a client has been checked, at once for a client without one. Until then
   * nothing is read: what comes waits in the socket, and then with the system.
   */
  hold(socket: TLSSocket, accept: (socket: TLSSocket) => void): void {
    const certificate = socket.getPeerX509Certificate();
    if (!certificate) {
      accept(socket);
      return;
    }
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#waiting--;
      clearTimeout(timer);
      socket.off('error', end);
      socket.off('close', end);
    };
    const refuse = (reason: string): void => {
      if (isOver) return;
      end();
      log.warn({ subject: certificate.subject, peer: socket.remoteAddress, reason }, 'a client certificate is refused');
      socket.on('error', (error) => log.debug({ error: error.message }, 'a refused connection failed'));
      socket.destroy();
    };
    const timer = setTimeout(() => refuse(`it could not be checked within ${patience} ms`), patience);
    this.#waiting++;
    socket.on('error', end);
    socket.on('close', end);
    if (this.#waiting > maximumWaiting) {
      refuse(`${maximumWaiting} connections wait for their checks already`);
      return;
    }
    const pass = (): void => {
      if (isOver) return;
      end();
      accept(socket);
    };
    this.#look(socket, certificate).then(pass, (error: unknown) => refuse(messageOf(error)));
  }

  async #look(socket: TLSSocket, certificate: X509Certificate): Promise<void> {
    const flaw = flawOf(socket);
    if (flaw !== undefined && !flawsOfDates.has(flaw)) throw new Error(`it is not trusted: ${flaw}`);
    const chain = [certificate];
    for (let next = certificate.issuerCertificate; next && chain.length < maximumChain; next = next.issuerCertificate) {
      chain.push(next);
    }
    this.#trusted ??= trustedBy(this.#material);
    await this.#check({ chain, trusted: this.#trusted });
  }
}

/** Why Node does not trust the client, by its code; undefined when it does. */
function flawOf({ authorized, authorizationError }: TLSSocket): string | undefined {
  return authorized ? undefined : String(authorizationError);
}

function trustedBy(material: readonly ListenerTls[]): readonly X509Certificate[] {
  const texts = material.flatMap(({ ca = rootCertificates }) => ca);
  return [...new Set(texts)].map((text) => new X509Certificate(text));
}
