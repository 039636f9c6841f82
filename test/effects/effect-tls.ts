import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type PeerCertificate, type TLSSocket } from 'node:tls';
import { messageOf } from '#errors';
import { createSelfSigned, writePkcs12 } from '#keystore';
import type { TemporaryServer } from '../helpers/temporary-server.ts';
import { askApi, inServer, outcome, pair, ports, proxyTo, startBackEnd, type Files } from './effect-server.ts';

export const fixtures = join(import.meta.dirname, '../fixtures/keystore');
const fixture = (name: string): Uint8Array => readFileSync(join(fixtures, name));
const stranger = await createSelfSigned({ hostNames: ['stranger.example'], days: 1 });
const storeOf = ({ privateKeyPem, certificatePem }: typeof pair, password: string): Uint8Array =>
  writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], password);

const storeElement = (element: string, file: string): string =>
  `<${element}><Location>conf/security/${file}</Location><Type>PKCS12</Type><Password>one</Password></${element}>`;
const profile = (content: string): string => `<parameter name="profiles"><profile>${content}</profile></parameter>`;

/** Stores that the rows name: two of ours, and fixtures whose passwords are known. */
export const stores: Files = {
  'conf/security/local.p12': storeOf(pair, 'one'),
  'conf/security/stranger.p12': storeOf(stranger, 'two'),
  'conf/security/stranger-one.p12': storeOf(stranger, 'one'),
  'conf/security/server.jks': fixture('server.jks'),
  'conf/security/trusting.xml': profile(`<servers>*</servers>${storeElement('TrustStore', 'local.p12')}`),
  'conf/security/stranger.xml': profile(
    `<bindAddress>127.0.0.1</bindAddress>${storeElement('KeyStore', 'stranger-one.p12')}`,
  ),
};

const secureSection = '[transport.passthru_https]\nlistener.parameters.port = 0\n';
/** The same lines with those of the HTTPS transport last, so that more can follow. */
export const secure = `${ports.replace(secureSection, '')}${secureSection}`;
export const key = 'transport.passthru_https';

/** Lines of `[transport.passthru_https]` that name our store for one use. */
export const store = (use: string, rest = ''): string =>
  `${secure}${use}.file_name = "local.p12"\n${use}.password = "one"\n${rest}`;

/** What happens on a TLS connection to the HTTPS port for APIs. */
export function handshake<T>(
  text: string,
  read: (socket: TLSSocket) => T,
  options: ConnectionOptions = {},
): Promise<T | string> {
  return startOr(text, (server) => {
    const port = Number(new URL(server.url('API HTTPS')).port);
    return new Promise<T | string>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
        resolve(read(socket));
        socket.destroy();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  });
}

/** What `use` gives in a server over the stores, or why it does not start. */
export async function startOr<T>(text: string, use: (server: TemporaryServer) => Promise<T>): Promise<T | string> {
  try {
    return await inServer(text, stores, use);
  } catch (error) {
    return messageOf(error);
  }
}

/** The name in the certificate that the HTTPS port shows. */
export const shownName = (text: string) => handshake(text, (socket) => nameIn(socket.getPeerCertificate()));

export function nameIn(certificate: PeerCertificate | undefined): unknown {
  return certificate?.subjectaltname;
}

/** The answer of the HTTPS port to a client that shows our certificate. */
export function withCertificate(text: string): Promise<string> {
  return startOr(text, (server) =>
    outcome(`${server.url('API HTTPS')}/nothing`, { tls: { key: pair.privateKeyPem, cert: pair.certificatePem } }),
  );
}

/** What a flow gets from a back end over TLS: whose certificate it shows, in which version. */
export async function toBackEnd(text: string, name: 'local' | 'stranger' = 'local'): Promise<string> {
  const { privateKeyPem, certificatePem } = name === 'local' ? pair : stranger;
  await using backEnd = await startBackEnd(
    (request, response) => {
      const socket = request.socket as TLSSocket;
      response.end(`${socket.getProtocol()} ${String(nameIn(socket.getPeerCertificate()))}`);
    },
    { key: privateKeyPem, cert: certificatePem, requestCert: true, rejectUnauthorized: false },
  );
  try {
    return await askApi(text, { ...stores, ...proxyTo(backEnd.url) });
  } catch (error) {
    return messageOf(error);
  }
}
