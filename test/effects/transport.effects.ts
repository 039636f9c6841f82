import { connect } from 'node:tls';
import { readSettings } from '#server';
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
} from './effect-server.ts';
import { handshake, key, shownName, store, stores, toBackEnd, withCertificate } from './effect-tls.ts';
import { comesTrue } from './patience.ts';

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

export const rows: readonly EffectRow[] = [
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
];
