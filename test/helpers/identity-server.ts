import { Agent, request } from 'node:https';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { freePorts, startTemporaryServer } from './temporary-server.ts';

/** A whole server over HTTPS, with a certificate that the test trusts, an administrator, and its clients. */
export interface IdentityServer extends AsyncDisposable {
  /** Scheme and authority of the server's own port. */
  readonly origin: string;
  readonly issuer: URL;
  /** Scheme and authority of the API port. */
  readonly apiOrigin: string;
  readonly certificatePem: string;
  /** Trusts the server's certificate and follows no redirect by itself. */
  readonly fetch: typeof fetch;
  register(metadata: Readonly<Record<string, unknown>>): Promise<{ client_id: string; client_secret: string }>;
}

export const adminName = 'admin';
export const adminPassword = 'correct horse';

/** A key of `localhost` with its certificate, for servers that share one. */
export function newServerKey(): ReturnType<typeof createSelfSigned> {
  return createSelfSigned({ hostNames: ['localhost', '127.0.0.1'], days: 2 });
}

/** @param files what the home holds besides, by path */
export async function startIdentityServer(
  configuration = '',
  key = newServerKey(),
  files: Readonly<Record<string, string>> = {},
): Promise<IdentityServer> {
  const { privateKeyPem, certificatePem } = await key;
  const store = writePkcs12([{ alias: 'tls', privateKeyPem, certificatePems: [certificatePem] }], 'pass');
  const toml = `[super_admin]
username = "${adminName}"
password = "${adminPassword}"
[keystore.tls]
file_name = "tls.p12"
password = "pass"
${freePorts}${configuration}`;
  const server = await startTemporaryServer({ ...files, 'conf/security/tls.p12': store }, toml);
  const agent = new Agent({ ca: certificatePem, keepAlive: true });
  const trusting = ((input: string | URL | Request, init?: RequestInit) =>
    send(new Request(input, init), agent)) as typeof fetch;
  const origin = server.url('Server HTTPS');
  return {
    origin,
    issuer: new URL(`${origin}/oauth2/token`),
    apiOrigin: server.url('API HTTPS'),
    certificatePem,
    fetch: trusting,
    async register(metadata) {
      const answer = await trusting(`${origin}/api/identity/oauth2/dcr/v1.1/register`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Basic ${Buffer.from(`${adminName}:${adminPassword}`).toString('base64')}`,
        },
        body: JSON.stringify(metadata),
      });
      if (answer.status !== 201) throw new Error(`registration: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as { client_id: string; client_secret: string };
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Sends a request over connections that trust what `agent` trusts. */
async function send(given: Request, agent: Agent): Promise<Response> {
  const body = Buffer.from(await given.arrayBuffer());
  return new Promise((resolve, reject) => {
    const headers = { ...Object.fromEntries(given.headers), 'content-length': String(body.length) };
    const sent = request(given.url, { agent, method: given.method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const all = Buffer.concat(chunks);
        const fields = new Headers();
        for (let index = 0; index < answer.rawHeaders.length; index += 2) {
          fields.append(answer.rawHeaders[index] ?? '', answer.rawHeaders[index + 1] ?? '');
        }
        const status = answer.statusCode ?? 0;
        const isEmpty = [101, 204, 205, 304].includes(status);
        resolve(new Response(isEmpty ? null : all, { status, headers: fields }));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
