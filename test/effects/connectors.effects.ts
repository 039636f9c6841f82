import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '#config';
import { getHeader } from '#message';
import { readSettings } from '#server';
import type { Body, HttpRequest, ResponseHead } from '#transport';
import { openConnector } from '../../src/server/connectors/connector.ts';
import type { EffectRow } from './effect-row.ts';
import { ask, inServer, ports, trust, trustStore } from './effect-server.ts';
import { comesTrue } from './patience.ts';

const schemes = ['http', 'https'] as const;
type Scheme = (typeof schemes)[number];

const path = '/oauth2/token';
const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n`;

const oneRequest = [`${head}Content-Length: 0\r\n\r\n`];
const slowRequest = [`${head}Content-Length: 9\r\n\r\n`, 'a', 'b', 'c'];

interface Talk {
  readonly scheme: Scheme;
  readonly pieces: readonly string[];
  /** What stands in a file with which the server closes the connection. */
  readonly closesWith: string;
}

/** What comes back on a connection to the server's port on which these pieces are written, 300 ms between them. */
function talk(text: string, { scheme, pieces, closesWith }: Talk): Promise<string> {
  return inServer(text, {}, async (server) => {
    const port = Number(new URL(server.url(scheme === 'https' ? 'Server HTTPS' : 'Server HTTP')).port);
    const plain = { port, host: '127.0.0.1' };
    const socket: Socket = scheme === 'https' ? connectTls({ ...plain, rejectUnauthorized: false }) : connect(plain);
    let received = '';
    let isClosed = false;
    socket.on('error', () => undefined);
    socket.on('close', () => (isClosed = true));
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    for (const piece of pieces) {
      if (!isClosed) socket.write(piece);
      await pause(300);
    }
    await comesTrue(() => isClosed, text.includes(closesWith), 1200);
    socket.destroy();
    return `${received.slice(0, 12)} ${isClosed ? 'closed' : 'open'}`;
  });
}

/** A request as a listener would hand it on. */
function requestOf(target: string, headers: readonly string[] = []): HttpRequest {
  const peer = { address: '127.0.0.1', port: 1 };
  const facts = { peer, scheme: 'https', localPort: 9443, version: '1.1', body: null } as const;
  return { ...facts, method: 'GET', target, headers: ['Host', 'localhost:9443', ...headers] };
}

interface Given {
  readonly head: ResponseHead;
  readonly body: Body;
}

/** What a connector of the configuration answers while its handler does this. */
function through(
  config: Config,
  scheme: Scheme,
  { request, answer }: { request: HttpRequest; answer: (seen: HttpRequest) => Given },
): Given | undefined {
  const connector = openConnector(config, readSettings(config, 0, true), scheme);
  connector.open((seen, responder) => {
    const { head, body } = answer(seen);
    responder.respond(head, body);
  });
  let given: Given | undefined;
  connector.handle(request, {
    finished: false,
    onGone: () => undefined,
    respond: (head, body) => void (given = { head, body }),
  });
  return given;
}

/** The coding in which a page of 3000 bytes goes out, and its status. */
function codingOf(config: Config, scheme: Scheme, type = 'text/html'): unknown {
  const request = requestOf('/page', ['Accept-Encoding', 'gzip', 'User-Agent', 'reader/1']);
  const answer = (): Given => ({
    head: { status: 200, headers: ['Content-Type', `${type}; charset=UTF-8`] },
    body: Buffer.alloc(3000, 'a'),
  });
  return getHeader(through(config, scheme, { request, answer })?.head.headers ?? [], 'Content-Encoding') ?? 'none';
}

/** What the handler sees of a request, or the status of a refusal. */
function seen(config: Config, scheme: Scheme, target: string): unknown {
  let facts: unknown;
  const answer = ({ target: path, scheme: reported }: HttpRequest): Given => {
    facts = [path, reported];
    return { head: { status: 204, headers: ['Set-Cookie', 'a=b; Secure'] }, body: null };
  };
  const given = through(config, scheme, { request: requestOf(target), answer });
  return [facts, given?.head.status, getHeader(given?.head.headers ?? [], 'Set-Cookie')];
}

/** Of five requests that nobody answers, how many begin and how many are refused. */
function admitted(config: Config, scheme: Scheme): unknown {
  const connector = openConnector(config, readSettings(config, 0, true), scheme);
  const counts = { begun: 0, refused: 0 };
  connector.open(() => void counts.begun++);
  for (let number = 0; number < 5; number++) {
    connector.handle(requestOf('/'), {
      finished: false,
      onGone: () => undefined,
      respond: () => void counts.refused++,
    });
  }
  return counts;
}

/** What an early request gets. */
function early(config: Config, scheme: Scheme): unknown {
  const connector = openConnector(config, readSettings(config, 0, true), scheme);
  const statuses: number[] = [];
  connector.handle(requestOf('/'), {
    finished: false,
    onGone: () => undefined,
    respond: ({ status }) => void statuses.push(status),
  });
  connector.open((_request, responder) => responder.respond({ status: 200, headers: [] }, null));
  return statuses;
}

/** Whether a TLS connection to the server's port is answered. */
const overTls = (text: string, tls: object): Promise<unknown> =>
  inServer(text, trustStore, async (server) => {
    const answer = await ask(server.url('Server HTTPS') + path, { tls });
    return typeof answer === 'string' ? 'no connection' : 'answered';
  });

function rowsOf(scheme: Scheme): EffectRow[] {
  const section = `transport.${scheme}.properties`;
  const name = scheme === 'https' ? 'Server HTTPS' : 'Server HTTP';
  const settings = scheme === 'https' ? 'serverHttps' : 'serverHttp';
  return [
    {
      key: `${section}.port`,
      first: 9700,
      second: 9701,
      observe: (config) => readSettings(config, 0, true)[settings].port,
    },
    {
      key: `${section}.maxHttpHeaderSize`,
      given: ports,
      first: 2_000,
      second: 8_192,
      observe: (_, text) =>
        inServer(text, {}, async (server) => {
          const answer = await ask(server.url(name) + path, { headers: { 'X-Large': 'a'.repeat(4_000) } });
          return typeof answer === 'string' ? answer : answer.status;
        }),
    },
    {
      key: `${section}.server`,
      given: ports,
      first: 'One',
      second: 'Two',
      observe: (_, text) =>
        inServer(text, {}, async (server) => {
          const answer = await ask(server.url(name) + path);
          return typeof answer === 'string' ? answer : answer.headers.server;
        }),
    },
    {
      key: `${section}.keepAliveTimeout`,
      given: ports,
      first: 300,
      second: 60_000,
      observe: (_, text) => talk(text, { scheme, pieces: oneRequest, closesWith: 'keepAliveTimeout" = 300' }),
    },
    {
      key: `${section}.connectionUploadTimeout`,
      given: ports,
      first: 400,
      second: 60_000,
      observe: (_, text) => talk(text, { scheme, pieces: slowRequest, closesWith: 'connectionUploadTimeout" = 400' }),
    },
    {
      key: `${section}.disableUploadTimeout`,
      given: ports.replace(`[${section}]\n`, `[${section}]\nconnectionUploadTimeout = 400\n`),
      first: true,
      second: false,
      observe: (_, text) => talk(text, { scheme, pieces: slowRequest, closesWith: 'disableUploadTimeout" = false' }),
    },
    {
      key: `${section}.maxKeepAliveRequests`,
      given: ports,
      first: 1,
      second: -1,
      observe: (_, text) => talk(text, { scheme, pieces: oneRequest, closesWith: 'maxKeepAliveRequests" = 1\n' }),
    },
    { key: `${section}.bindOnInit`, first: true, second: false, observe: (config) => early(config, scheme) },
    {
      key: `${section}.maxThreads`,
      given: `[${section}]\nacceptCount = 0\n`,
      first: 2,
      second: 4,
      observe: (config) => admitted(config, scheme),
    },
    {
      key: `${section}.acceptCount`,
      given: `[${section}]\nmaxThreads = 2\n`,
      first: 1,
      second: 2,
      observe: (config) => admitted(config, scheme),
    },
    { key: `${section}.compression`, first: 'on', second: 'off', observe: (config) => codingOf(config, scheme) },
    {
      key: `${section}.compressionMinSize`,
      first: 2048,
      second: 4096,
      observe: (config) => codingOf(config, scheme),
    },
    {
      key: `${section}.noCompressionUserAgents`,
      first: 'other',
      second: 'reader.*',
      observe: (config) => codingOf(config, scheme),
    },
    {
      key: `${section}.compressibleMimeType`,
      first: 'text/plain',
      second: 'text/plain,text/html',
      observe: (config) => codingOf(config, scheme),
    },
    {
      key: `${section}.URIEncoding`,
      first: 'UTF-8',
      second: 'ISO-8859-1',
      observe: (config) => seen(config, scheme, '/caf%E9?a=%2F%C3%A9'),
    },
    {
      key: `${section}.relaxedPathChars`,
      first: '|',
      second: '',
      observe: (config) => seen(config, scheme, '/a|b'),
    },
    {
      key: `${section}.relaxedQueryChars`,
      first: '[]',
      second: '',
      observe: (config) => seen(config, scheme, '/a?b[]=1'),
    },
  ];
}

const https = 'transport.https.properties';

const rowsOfOne: readonly EffectRow[] = [
  { key: `${https}.scheme`, first: 'http', second: 'https', observe: (config) => seen(config, 'https', '/') },
  { key: `${https}.secure`, first: true, second: false, observe: (config) => seen(config, 'https', '/') },
  {
    key: `${https}.SSLEnabled`,
    given: ports,
    first: true,
    second: false,
    observe: (_, text) => inServer(text, {}, (server) => Promise.resolve(new URL(server.url('Server HTTPS')).protocol)),
  },
  {
    key: `${https}.proxyPort`,
    first: 443,
    second: 8443,
    observe: (config) => {
      const { publicUrl, runtime } = readSettings(config, 0, true);
      return [publicUrl, runtime['mgt.transport.https.port']];
    },
  },
  {
    key: 'transport.http.properties.redirectPort',
    first: 443,
    second: 8443,
    observe: (config) => {
      const request = requestOf('/oauth2/authorize?a=b', ['Accept', 'text/html']);
      const answer = (): Given => ({ head: { status: 200, headers: [] }, body: null });
      return through(config, 'http', { request, answer })?.head;
    },
  },
  {
    key: `${https}.certificate_verification`,
    given: trust,
    first: 'required',
    second: 'false',
    observe: (_, text) => overTls(text, {}),
  },
  {
    key: `${https}.protocols`,
    given: ports,
    first: '+TLSv1.2,+TLSv1.3',
    second: '+TLSv1.3,-TLSv1.2',
    observe: (_, text) => overTls(text, { maxVersion: 'TLSv1.2' }),
  },
  {
    key: `${https}.ciphers`,
    given: ports,
    first: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    second: 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    observe: (_, text) =>
      overTls(text, {
        maxVersion: 'TLSv1.2',
        ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256',
      }),
  },
];

/** The ports of the server: OAuth, administrative APIs, portals. */
export const rows: readonly EffectRow[] = [...schemes.flatMap(rowsOf), ...rowsOfOne];
