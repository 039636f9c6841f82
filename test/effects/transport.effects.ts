import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type PeerCertificate, type TLSSocket } from 'node:tls';
import { openSecretCipher, type Config } from '#config';
import { messageOf } from '#errors';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { readSettings } from '#server';
import type { TemporaryServer } from '../helpers/temporary-server.ts';
import type { EffectRow } from './effect-row.ts';
import {
  ask,
  askApi,
  inServer,
  loggedIn,
  outcome,
  pair,
  ports,
  proxyTo,
  showing,
  startBackEnd,
  type Files,
} from './effect-server.ts';
import { comesTrue } from './patience.ts';

const fixtures = join(import.meta.dirname, '../fixtures/keystore');
const fixture = (name: string): Uint8Array => readFileSync(join(fixtures, name));
const stranger = await createSelfSigned({ hostNames: ['stranger.example'], days: 1 });
const storeOf = ({ privateKeyPem, certificatePem }: typeof pair, password: string): Uint8Array =>
  writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], password);

const storeElement = (element: string, file: string): string =>
  `<${element}><Location>conf/security/${file}</Location><Type>PKCS12</Type><Password>one</Password></${element}>`;
const profile = (content: string): string => `<parameter name="profiles"><profile>${content}</profile></parameter>`;

/** Stores that the rows name: two of ours, and fixtures whose passwords are known. */
const stores: Files = {
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
const secure = `${ports.replace(secureSection, '')}${secureSection}`;
const key = 'transport.passthru_https';

/** What happens on a TLS connection to the HTTPS port for APIs. */
function handshake<T>(
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
async function startOr<T>(text: string, use: (server: TemporaryServer) => Promise<T>): Promise<T | string> {
  try {
    return await inServer(text, stores, use);
  } catch (error) {
    return messageOf(error);
  }
}

/** The name in the certificate that the HTTPS port shows. */
const shownName = (text: string) => handshake(text, (socket) => nameIn(socket.getPeerCertificate()));

function nameIn(certificate: PeerCertificate | undefined): unknown {
  return certificate?.subjectaltname;
}

/** The answer of the HTTPS port to a client that shows our certificate. */
function withCertificate(text: string): Promise<string> {
  return startOr(text, (server) =>
    outcome(`${server.url('API HTTPS')}/nothing`, { tls: { key: pair.privateKeyPem, cert: pair.certificatePem } }),
  );
}

/** What a flow gets from a back end over TLS: whose certificate it shows, in which version. */
async function toBackEnd(text: string, name: 'local' | 'stranger' = 'local'): Promise<string> {
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

const trusting = '[truststore]\nfile_name = "local.p12"\npassword = "one"\n';

/** Messages of the log about answers with status 500 of a back end. */
async function warnings(text: string, isSecure: boolean): Promise<string[]> {
  await using backEnd = await startBackEnd(
    (_, response) => response.writeHead(500, { 'Content-Type': 'text/plain' }).end('broken'),
    ...(isSecure ? [{ key: pair.privateKeyPem, cert: pair.certificatePem }] : []),
  );
  const files = { ...stores, ...proxyTo(backEnd.url) };
  const messages = await loggedIn(text, files, (server) => outcome(`${server.url('API HTTP')}/t`));
  return messages.filter((message) => message.includes('500'));
}

const names = (text: string): Promise<string[]> =>
  inServer(text, {}, async ({ server }) => server.addresses.map(({ name }) => name));
const publics = (text: string): Promise<boolean[]> =>
  inServer(text, {}, async ({ server }) => server.addresses.map(({ isPublic }) => isPublic));

/** The `Server` header of an answer. */
function serverHeader(text: string, name: 'API HTTP' | 'API HTTPS'): Promise<unknown> {
  return inServer(text, showing("'x'"), async (server) => {
    const answer = await ask(`${server.url(name)}/t`);
    return typeof answer === 'string' ? answer : answer.headers.server;
  });
}

/** Warnings about the kind of a key store. */
async function kindWarnings(text: string): Promise<string[]> {
  const messages = await loggedIn(text, stores, async () => undefined);
  return messages.filter((message) => message.includes('another kind'));
}

/** Whether a request whose body never ends is given up. */
function unfinished(text: string): Promise<unknown> {
  return inServer(text, {}, async (server) => {
    const port = Number(new URL(server.url('API HTTPS')).port);
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    let isClosed = false;
    socket.on('close', () => (isClosed = true)).on('error', () => undefined);
    socket.resume().write('GET /t HTTP/1.1\r\nHost: localhost\r\n');
    await comesTrue(() => isClosed, text.includes('request_timeout" = 200'), 2500);
    socket.destroy();
    return isClosed;
  });
}

/** Lines of `[transport.passthru_https]` that name our store for one use. */
const store = (use: string, rest = ''): string =>
  `${secure}${use}.file_name = "local.p12"\n${use}.password = "one"\n${rest}`;

/** Whether the key pair for secrets can be used. */
async function secretKey(config: Config): Promise<string> {
  try {
    const cipher = await openSecretCipher(config, { home: fixtures });
    return cipher.decrypt(cipher.encrypt('opened'));
  } catch (error) {
    return messageOf(error);
  }
}

export const rows: readonly EffectRow[] = [
  {
    key: 'keystore.internal.key_password',
    first: 'keypass12',
    second: 'storepass',
    given: '[keystore.internal]\nfile_name = "server.jks"\npassword = "storepass"\nalias = "server"\n',
    observe: secretKey,
  },
  ...(['transport.passthru_http', 'transport.passthru_https'] as const).flatMap((section): EffectRow[] => [
    {
      key: `${section}.listener.enable`,
      first: true,
      second: false,
      given: ports,
      observe: (_, text) => names(text),
    },
    {
      key: `${section}.listener.parameters.port`,
      first: 8000,
      second: 8001,
      observe(config) {
        const { apiHttp, apiHttps } = readSettings(config, 0, true);
        return [apiHttp.port, apiHttps.port];
      },
    },
    {
      key: `${section}.listener.parameters.bind-address`,
      first: '127.0.0.1',
      second: '0.0.0.0',
      given: ports,
      observe: (_, text) => publics(text),
    },
    {
      key: `${section}.listener.origin_server`,
      first: 'one/1',
      second: 'two/2',
      given: ports,
      observe: (_, text) => serverHeader(text, section.endsWith('s') ? 'API HTTPS' : 'API HTTP'),
    },
  ]),
  {
    key: `${key}.listener.parameters.SSLVerifyClient`,
    first: 'none',
    second: 'require',
    given: ports,
    observe: (_, text) => withCertificate(text),
  },
  {
    key: `${key}.listener.parameters.HttpsProtocols`,
    first: 'TLSv1.2',
    second: 'TLSv1.3',
    given: ports,
    observe: (_, text) => handshake(text, (socket) => socket.getProtocol()),
  },
  {
    key: `${key}.listener.parameters.PreferredCiphers`,
    first: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    second: 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    given: ports,
    observe: (_, text) => handshake(text, (socket) => socket.getCipher().name, { maxVersion: 'TLSv1.2' }),
  },
  {
    key: `${key}.sender.ssl_profile.file_path`,
    first: 'conf/security/trusting.xml',
    second: 'conf/security/absent.xml',
    given: ports,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.listener.ssl_profile.file_path`,
    first: 'conf/security/stranger.xml',
    second: 'conf/security/absent.xml',
    given: ports,
    observe: (_, text) => shownName(text),
  },
  {
    key: `${key}.listener.request_timeout`,
    first: 200,
    second: 60_000,
    given: ports,
    observe: (_, text) => unfinished(text),
  },
  {
    key: `${key}.listener.key_store.file_name`,
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${secure}listener.key_store.password = "one"\n`,
    observe: (_, text) => shownName(text),
  },
  {
    key: `${key}.listener.key_store.password`,
    first: 'one',
    second: 'two',
    given: `${secure}listener.key_store.file_name = "local.p12"\n`,
    observe: (_, text) => shownName(text),
  },
  {
    key: `${key}.listener.key_store.key_password`,
    first: 'keypass12',
    second: 'storepass',
    given: `${secure}listener.key_store.file_name = "server.jks"\nlistener.key_store.password = "storepass"\n`,
    observe: (_, text) => shownName(text),
  },
  {
    key: `${key}.listener.key_store.type`,
    first: 'PKCS12',
    second: 'JKS',
    given: store('listener.key_store'),
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  {
    key: `${key}.listener.trust_store.file_name`,
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${secure}listener.parameters.SSLVerifyClient = "require"\nlistener.trust_store.password = "one"\n`,
    observe: (_, text) => withCertificate(text),
  },
  {
    key: `${key}.listener.trust_store.password`,
    first: 'one',
    second: 'two',
    given: `${secure}listener.parameters.SSLVerifyClient = "require"\nlistener.trust_store.file_name = "local.p12"\n`,
    observe: (_, text) => withCertificate(text),
  },
  {
    key: `${key}.listener.trust_store.type`,
    first: 'PKCS12',
    second: 'JKS',
    given: store('listener.trust_store'),
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  {
    key: `${key}.sender.key_store.file_name`,
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${trusting}${secure}sender.key_store.password = "one"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.key_store.password`,
    first: 'one',
    second: 'two',
    given: `${trusting}${secure}sender.key_store.file_name = "local.p12"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.key_store.key_password`,
    first: 'keypass12',
    second: 'storepass',
    given: `${trusting}${secure}sender.key_store.file_name = "server.jks"\nsender.key_store.password = "storepass"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.key_store.type`,
    first: 'PKCS12',
    second: 'JKS',
    given: store('sender.key_store'),
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  {
    key: `${key}.sender.trust_store.file_name`,
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${secure}sender.trust_store.password = "one"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.trust_store.password`,
    first: 'one',
    second: 'two',
    given: `${secure}sender.trust_store.file_name = "local.p12"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.trust_store.type`,
    first: 'PKCS12',
    second: 'JKS',
    given: store('sender.trust_store'),
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  {
    key: `${key}.sender.hostname_verifier`,
    first: 'Strict',
    second: 'AllowAll',
    given: store('sender.trust_store').replace('local.p12', 'stranger-one.p12'),
    observe: (_, text) => toBackEnd(text, 'stranger'),
  },
  {
    key: `${key}.sender.parameters.HttpsProtocols`,
    first: 'TLSv1.2',
    second: 'TLSv1.3',
    given: store('sender.trust_store'),
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.enable`,
    first: true,
    second: false,
    given: store('sender.trust_store'),
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: 'transport.passthru_http.sender.enable',
    first: true,
    second: false,
    given: ports,
    async observe(_, text) {
      await using backEnd = await startBackEnd((_request, response) => response.end('done'));
      return await askApi(text, proxyTo(backEnd.url));
    },
  },
  {
    key: 'transport.passthru_http.sender.warnOnHTTP500',
    first: '*',
    second: 'application/xml',
    given: ports,
    alone: true,
    observe: (_, text) => warnings(text, false),
  },
  {
    key: `${key}.sender.warnOnHTTP500`,
    first: '*',
    second: 'application/xml',
    given: store('sender.trust_store'),
    alone: true,
    observe: (_, text) => warnings(text, true),
  },
  {
    key: 'truststore.file_name',
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${ports}[truststore]\npassword = "one"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: 'truststore.password',
    first: 'one',
    second: 'two',
    given: `${ports}[truststore]\nfile_name = "local.p12"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: 'truststore.type',
    first: 'PKCS12',
    second: 'JKS',
    given: `${ports}[truststore]\nfile_name = "local.p12"\npassword = "one"\n`,
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  ...['keystore.tls', 'keystore.primary'].flatMap((section): EffectRow[] => [
    {
      key: `${section}.type`,
      first: 'PKCS12',
      second: 'JKS',
      given: `${ports}[${section}]\nfile_name = "local.p12"\npassword = "one"\n`,
      alone: true,
      observe: (_, text) => kindWarnings(text),
    },
    {
      key: `${section}.key_password`,
      first: 'keypass12',
      second: 'storepass',
      given: `${ports}[${section}]\nfile_name = "server.jks"\npassword = "storepass"\n`,
      observe: (_, text) => shownName(text),
    },
  ]),
];
