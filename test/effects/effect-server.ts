import { createServer, request as httpRequest, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { configureLog } from '#core';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

/** Lines for `given`: every port free. */
export const ports = freePorts;

/** A key pair and its certificate, for `localhost`. */
export const pair = await createSelfSigned({ hostNames: ['localhost', '127.0.0.1'], days: 1 });

/** The key store that a server would make for itself, ready made, since making one takes its time. */
const ownKeyStore = {
  'conf/security/millrace.p12': writePkcs12(
    [{ alias: 'millrace', privateKeyPem: pair.privateKeyPem, certificatePems: [pair.certificatePem] }],
    'own',
  ),
  'conf/security/millrace.p12.password': 'own\n',
};

/** Lines after which our own certificate is trusted, and the file that they name. */
export const trust = `${freePorts}[truststore]\nfile_name = "local.p12"\npassword = "one"\n`;
export const trustStore = {
  'conf/security/local.p12': writePkcs12(
    [{ alias: 'own', privateKeyPem: pair.privateKeyPem, certificatePems: [pair.certificatePem] }],
    'one',
  ),
};

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Starts a server with the configuration `text` and these files in its home, uses it and stops it. */
export async function inServer<T>(
  text: string,
  files: Files,
  use: (server: TemporaryServer) => Promise<T>,
): Promise<T> {
  configureLog({ level: 'silent', format: 'json' });
  await using server = await startTemporaryServer({ ...ownKeyStore, ...files }, text);
  return await use(server);
}

/** The messages of the log that `use` leaves, from the start of a server to its stop. */
export async function loggedIn(
  text: string,
  files: Files,
  use: (server: TemporaryServer) => Promise<unknown>,
): Promise<string[]> {
  const lines: string[] = [];
  configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } });
  try {
    await using server = await startTemporaryServer({ ...ownKeyStore, ...files }, text);
    await use(server);
  } finally {
    configureLog({ level: 'silent', format: 'json' });
  }
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly tls?: TlsOptions;
}

/** Sends one request, trusting any certificate; resolves with the code of the failure when there is no answer. */
export function ask(url: string, { method = 'GET', headers = {}, body, tls }: Ask = {}): Promise<Answer | string> {
  return new Promise((resolve) => {
    const isSecure = url.startsWith('https:');
    const options = { method, headers, rejectUnauthorized: false, agent: false, ...tls } as const;
    const sent = (isSecure ? httpsRequest : httpRequest)(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}

/** Status and body of an answer, or why there is none. */
export async function outcome(url: string, options: Ask = {}): Promise<string> {
  const answer = await ask(url, options);
  return typeof answer === 'string' ? answer : `${answer.status} ${answer.body}`;
}

export interface BackEnd extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Most connections that were open at the same time, and all that were ever opened. */
  readonly connections: { most: number; total: number };
}

/** A back end on a free port; over TLS when there is key material. */
export async function startBackEnd(listener: RequestListener, tls?: TlsOptions): Promise<BackEnd> {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  const connections = { most: 0, total: 0 };
  let open = 0;
  server.on('connection', (socket) => {
    connections.total++;
    open++;
    connections.most = Math.max(connections.most, open);
    socket.on('close', () => open--);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An API at `/t` whose request flow is these mediators, and whose answer to a fault is its code or another property. */
export function apiOf(inSequence: string, attributes = '', faultProperty = 'ERROR_CODE'): Files {
  return {
    'artifacts/api/t.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t">
  <resource methods="GET POST" ${attributes}>
    <inSequence>${inSequence}</inSequence>
    <outSequence><send/></outSequence>
    <faultSequence>
      <payloadFactory media-type="text"><format>fault $1</format><args><arg expression="get-property('${faultProperty}')"/></args></payloadFactory>
      <respond/>
    </faultSequence>
  </resource>
</api>`,
  };
}

/** An API at `/t` that passes everything on to an address. */
export function proxyTo(url: string, policy = ''): Files {
  return apiOf(`<send><endpoint><address uri="${url}">${policy}</address></endpoint></send>`);
}

/** An API at `/t` that answers with the value of an expression as text. */
export function showing(expression: string): Files {
  return apiOf(`<payloadFactory media-type="text"><format>$1</format><args><arg expression="${expression}"/></args></payloadFactory>
    <respond/>`);
}

/** What the API at `/t` answers to one request. */
export function askApi(text: string, files: Files, options: Ask = {}): Promise<string> {
  return inServer(text, files, (server) => outcome(`${server.url('API HTTP')}/t`, options));
}
