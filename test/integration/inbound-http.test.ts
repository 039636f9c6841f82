import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { configureLog } from '#core';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { outcome, pair, startBackEnd } from '../effects/effect-server.ts';
import { freePort } from '../helpers/free-port.ts';
import { portsWithOffset } from '../helpers/free-ports.ts';
import { startManagedServer, synapse } from '../helpers/managed-server.ts';
import { startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { until } from '../helpers/until.ts';

before(() => configureLog({ level: 'silent', format: 'json' }));
after(() => configureLog({ level: 'info', format: 'json' }));

interface Inbound {
  readonly port?: number;
  readonly sequence?: string;
  readonly attributes?: string;
  readonly parameters?: string;
}

function inbound(name: string, { port = 0, sequence = 'say', attributes = '', parameters = '' }: Inbound = {}): string {
  const protocol = attributes.includes('protocol=') ? '' : 'protocol="http"';
  return `<inboundEndpoint ${synapse} name="${name}" ${protocol} sequence="${sequence}" onError="fault" ${attributes}>
  <parameters><parameter name="inbound.http.port">${port}</parameter>${parameters}</parameters>
</inboundEndpoint>`;
}

function saying(name: string, text: string): string {
  return `<sequence ${synapse} name="${name}">
  <payloadFactory media-type="text"><format>${text}</format><args/></payloadFactory><respond/>
</sequence>`;
}

const say = { 'artifacts/sequences/say.xml': saying('say', 'said') };

/** The address of an endpoint as the server knows it; undefined while it has none. */
function addressOf({ server }: TemporaryServer, name: string): string | undefined {
  return server.addresses.find((address) => address.name === `inbound endpoint ${name}`)?.url;
}

test('an endpoint serves its port from the start, and no more once it is undeployed', async () => {
  await using temporary = await startTemporaryServer({ ...say, 'artifacts/inbound-endpoints/a.xml': inbound('A') });
  const url = addressOf(temporary, 'A') ?? '';
  assert.equal(await outcome(`${url}/any`), '200 said');
  rmSync(join(temporary.home, 'artifacts/inbound-endpoints/a.xml'));
  await until('the port is closed', async () => (await outcome(`${url}/any`)) === 'ECONNREFUSED');
  assert.equal(addressOf(temporary, 'A'), undefined);
});

test('a connection stays while sequence, pattern and other artifacts change', async () => {
  await using temporary = await startTemporaryServer({ ...say, 'artifacts/inbound-endpoints/a.xml': inbound('A') });
  const url = addressOf(temporary, 'A') ?? '';
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  const ask = async (): Promise<string> => {
    const sent = request(`${url}/x`, { agent });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    ports.add(response.socket.localPort);
    return (await response.toArray()).join('');
  };
  assert.equal(await ask(), 'said');
  temporary.write('artifacts/sequences/say.xml', saying('say', 'said again'));
  await until('the sequence has changed', async () => (await ask()) === 'said again');
  temporary.write('artifacts/sequences/other.xml', saying('other', 'other'));
  temporary.write('artifacts/inbound-endpoints/a.xml', inbound('A', { sequence: 'other' }));
  await until('the endpoint has changed', async () => (await ask()) === 'other');
  const pattern = '<parameter name="dispatch.filter.pattern">/nothing</parameter>';
  temporary.write('artifacts/sequences/main.xml', saying('main', 'main'));
  temporary.write('artifacts/inbound-endpoints/a.xml', inbound('A', { sequence: 'other', parameters: pattern }));
  await until('the pattern has changed', async () => (await ask()) === 'main');
  assert.equal(ports.size, 1);
  agent.destroy();
});

test('a connection stays while key material and workers change, and the next one sees them', async () => {
  const stores = await Promise.all(
    ['first.example', 'second.example'].map(async (name) => {
      const { privateKeyPem, certificatePem } = await createSelfSigned({ hostNames: [name], days: 1 });
      return writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], 'pass');
    }),
  );
  const [first = Buffer.of(), second = Buffer.of()] = stores;
  const secure = (store: string, workers: number): string =>
    inbound('A', {
      attributes: 'protocol="https"',
      parameters: `<parameter name="inbound.worker.pool.size.core">${workers}</parameter>
<parameter name="keystore"><KeyStore><Location>${store}</Location><Password>pass</Password></KeyStore></parameter>`,
    });
  await using temporary = await startTemporaryServer({
    ...say,
    'conf/security/first.p12': first,
    'conf/security/second.p12': second,
    'artifacts/inbound-endpoints/a.xml': secure('first.p12', 1),
  });
  const url = new URL(addressOf(temporary, 'A') ?? '');
  const open = connectTls({ port: Number(url.port), host: '127.0.0.1', rejectUnauthorized: false });
  open.setEncoding('utf8');
  let received = '';
  open.on('data', (text: string) => (received += text));
  await once(open, 'secureConnect');
  const shown = async (): Promise<string> => {
    const socket = connectTls({ port: Number(url.port), host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const name = socket.getPeerCertificate().subjectaltname ?? '';
    socket.destroy();
    return name;
  };
  assert.equal(await shown(), 'DNS:first.example');
  temporary.write('artifacts/inbound-endpoints/a.xml', secure('second.p12', 2));
  await until('the other certificate is shown', async () => (await shown()) === 'DNS:second.example');
  assert.equal(new URL(addressOf(temporary, 'A') ?? '').port, url.port);
  open.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(open, 'close');
  assert.match(received, /^HTTP\/1\.1 200 [\s\S]*said/);
});

test('what is in flight is finished when its endpoint is undeployed', async () => {
  let release = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (release = resolve));
  const waitingAnswers: (() => void)[] = [];
  await using backEnd = await startBackEnd((_request, response) => {
    waitingAnswers.push(() => response.end('late'));
    release();
  });
  const forward = `<sequence ${synapse} name="say"><call><endpoint><address uri="${backEnd.url}"/></endpoint></call><respond/></sequence>`;
  await using temporary = await startTemporaryServer({
    'artifacts/sequences/say.xml': forward,
    'artifacts/inbound-endpoints/a.xml': inbound('A'),
  });
  const url = addressOf(temporary, 'A') ?? '';
  const waiting = outcome(url);
  await arrived;
  rmSync(join(temporary.home, 'artifacts/inbound-endpoints/a.xml'));
  await until('the port is closed', () => addressOf(temporary, 'A') === undefined);
  assert.equal(await outcome(url), 'ECONNREFUSED');
  for (const answer of waitingAnswers) answer();
  assert.equal(await waiting, '200 late');
});

test('of two endpoints with one port the first has it, until it is switched off', async () => {
  const port = await freePort();
  await using managed = await startManagedServer({
    ...say,
    'artifacts/sequences/second.xml': saying('second', 'from the second'),
    'artifacts/inbound-endpoints/a.xml': inbound('First', { port }),
    'artifacts/inbound-endpoints/b.xml': inbound('Second', { port, sequence: 'second' }),
  });
  const url = `http://localhost:${port}/`;
  const statuses = async (): Promise<unknown> => {
    const { list } = (await managed.read('GET /inbound-endpoints')) as { list: { name: string; status: string }[] };
    return list.map(({ name, status }) => `${name} ${status}`);
  };
  assert.equal(await outcome(url), '200 said');
  assert.deepEqual(await statuses(), ['First active', 'Second inactive']);
  const refused = await managed.as('root', 'POST /inbound-endpoints', { name: 'Second', status: 'active' });
  assert.equal(refused.status, 500);
  assert.match(refused.body, new RegExp(`Port ${port} .* is occupied already by the inbound endpoint First`));
  for (const [name, status] of [
    ['First', 'inactive'],
    ['Second', 'active'],
  ]) {
    assert.equal((await managed.as('root', 'POST /inbound-endpoints', { name, status })).status, 200);
  }
  assert.equal(await outcome(url), '200 from the second');
  assert.deepEqual(await statuses(), ['First inactive', 'Second active']);
});

test('an endpoint with suspend is there without its port; what people decide is remembered', async () => {
  const port = await freePort();
  await using managed = await startManagedServer({
    ...say,
    'artifacts/inbound-endpoints/a.xml': inbound('A', { port, attributes: 'suspend="true"' }),
    'artifacts/inbound-endpoints/b.xml': inbound('B', {
      attributes: 'protocol="https" suspend="true"',
      parameters: `<parameter name="keystore"><KeyStore><Location>a.jks</Location><Password>hidden</Password></KeyStore></parameter>`,
    }),
  });
  const secure = (await managed.read('GET /inbound-endpoints?inboundEndpointName=B')) as {
    parameters: { name: string; value: string }[];
  };
  const shown = secure.parameters.find(({ name }) => name === 'keystore')?.value ?? '';
  assert.match(shown, /<Location>a\.jks<\/Location>/);
  assert.doesNotMatch(JSON.stringify(secure), /hidden/);
  const url = `http://localhost:${port}/`;
  assert.equal(await outcome(url), 'ECONNREFUSED');
  assert.equal((await managed.as('root', 'POST /inbound-endpoints', { name: 'A', status: 'active' })).status, 200);
  assert.equal(await outcome(url), '200 said');
  const detail = (await managed.read('GET /inbound-endpoints?inboundEndpointName=A')) as Record<string, unknown>;
  assert.deepEqual(
    { ...detail, configuration: undefined },
    {
      name: 'A',
      protocol: 'http',
      status: 'active',
      sequence: 'say',
      error: 'fault',
      stats: 'disabled',
      tracing: 'disabled',
      parameters: [{ name: 'inbound.http.port', value: String(port) }],
      configuration: undefined,
    },
  );
  // An artifact that comes back is as it was left.
  const file = join(managed.server.home, 'artifacts/inbound-endpoints/a.xml');
  rmSync(file);
  await until('it is gone', async () => (await outcome(url)) === 'ECONNREFUSED');
  managed.server.write('artifacts/inbound-endpoints/a.xml', inbound('A', { port, attributes: 'suspend="true"' }));
  await until('it is back', async () => (await outcome(url)) === '200 said');
});

test('the offset is added where the endpoint or the configuration wants it', async () => {
  const port = await freePort();
  const text = await portsWithOffset(1);
  const wanted = '<parameter name="inbound.port.offset.enable">true</parameter>';
  for (const [configuration, parameters, expected] of [
    ['', '', port],
    ['', wanted, port + 1],
    ['"inbound.port_offset_enable" = true\n', '', port + 1],
    ['"inbound.port_offset_enable" = true\n', wanted.replace('true', 'false'), port],
  ] as const) {
    const file = inbound('A', { port, parameters });
    await using temporary = await startTemporaryServer(
      { ...say, 'artifacts/inbound-endpoints/a.xml': file },
      text.replace('[mediation]\n', `[mediation]\n${configuration}`),
    );
    assert.equal(new URL(addressOf(temporary, 'A') ?? '').port, String(expected));
  }
});

test('a port with workers of its own refuses what is too much for them', async () => {
  const parameters =
    '<parameter name="inbound.worker.pool.size.core">1</parameter><parameter name="inbound.worker.pool.size.max">1</parameter><parameter name="inbound.worker.pool.queue.length">0</parameter>';
  const waits = `<sequence ${synapse} name="say"><call blocking="true"><endpoint><address uri="URL"/></endpoint></call><respond/></sequence>`;
  let release = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (release = resolve));
  let answer = (): void => undefined;
  await using backEnd = await startBackEnd((_request, response) => {
    answer = () => response.end('done');
    release();
  });
  await using temporary = await startTemporaryServer({
    'artifacts/sequences/say.xml': waits.replace('URL', backEnd.url),
    'artifacts/inbound-endpoints/a.xml': inbound('A', { parameters }),
  });
  const url = addressOf(temporary, 'A') ?? '';
  const first = outcome(url);
  await arrived;
  assert.match(await outcome(url), /^503/);
  answer();
  assert.equal(await first, '200 done');
});

/** How a TLS handshake ends: the version and who the server is, or why there is none. */
async function handshake(url: string, options: ConnectionOptions = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options });
  try {
    await once(socket, 'secureConnect');
    const shown = `${socket.getProtocol() ?? ''} ${socket.getPeerCertificate().fingerprint256}`;
    // A client without the certificate that is asked for hears of it only after the handshake of TLS 1.3.
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
    return `${shown} ${text.split('\r\n', 1)[0] ?? ''}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
  }
}

test('an https endpoint shows its own certificate, asks for those of clients, and keeps to its versions', async () => {
  const client = await createSelfSigned({ hostNames: ['client'], days: 1 });
  const next = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
  const storeOf = ({ privateKeyPem, certificatePem }: typeof pair): Uint8Array =>
    writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], 'one');
  const store = (element: string, file: string): string =>
    `<parameter name="${element.toLowerCase()}"><${element}><Location>repository/resources/security/${file}</Location><Type>JKS</Type><Password>one</Password></${element}></parameter>`;
  const parameters = `${store('KeyStore', 'inbound.p12')}${store('TrustStore', 'clients.p12')}
    <parameter name="SSLVerifyClient">require</parameter><parameter name="HttpsProtocols">TLSv1.2</parameter>`;
  await using temporary = await startTemporaryServer({
    ...say,
    'conf/security/inbound.p12': storeOf(pair),
    'conf/security/clients.p12': storeOf(client),
    'artifacts/inbound-endpoints/a.xml': inbound('A', { attributes: 'protocol="https"', parameters }),
  });
  const url = addressOf(temporary, 'A') ?? '';
  assert.match(url, /^https:/);
  const known = { key: client.privateKeyPem, cert: client.certificatePem };
  const before = await handshake(url, known);
  assert.match(before, /^TLSv1\.2 .* HTTP\/1\.1 200/);
  assert.notEqual((await handshake(url)).split(' ').at(-2), '200');
  assert.match(await handshake(url, { ...known, minVersion: 'TLSv1.3' }), /^ERR_SSL_|^ECONNRESET/);
  assert.equal(await outcome(url, { tls: { ...known } }), '200 said');
  temporary.write('conf/security/inbound.p12', storeOf(next));
  await until('the new certificate is shown', async () => {
    const now = await handshake(url, known);
    return now.startsWith('TLSv1.2') && now.split(' ')[1] !== before.split(' ')[1];
  });
});

test('without a key store an https endpoint shows the certificate of the API listener', async () => {
  await using temporary = await startTemporaryServer({
    ...say,
    'artifacts/inbound-endpoints/a.xml': inbound('A', { attributes: 'protocol="https"' }),
  });
  const own = await handshake(addressOf(temporary, 'A') ?? '');
  const common = await handshake(temporary.url('API HTTPS'));
  assert.match(own, /200/);
  assert.equal(own.split(' ')[1], common.split(' ')[1]);
});

test('a key store that cannot be read leaves the endpoint inactive, and the log says why', async () => {
  const parameters =
    '<parameter name="keystore"><KeyStore><Location>nowhere.jks</Location><Password>x</Password></KeyStore></parameter>';
  const lines: string[] = [];
  configureLog({ level: 'error', format: 'json', destination: { write: (line) => void lines.push(line) } });
  await using temporary = await startTemporaryServer({
    ...say,
    'artifacts/inbound-endpoints/a.xml': inbound('A', { attributes: 'protocol="https"', parameters }),
  });
  configureLog({ level: 'silent', format: 'json' });
  assert.equal(addressOf(temporary, 'A'), undefined);
  assert.match(lines.join(''), /nowhere\.jks.*the inbound endpoint does not run/);
});

test('a request that two readers could read differently is refused on the port of an endpoint, too', async () => {
  await using temporary = await startTemporaryServer({ ...say, 'artifacts/inbound-endpoints/a.xml': inbound('A') });
  const { port } = new URL(addressOf(temporary, 'A') ?? '');
  const socket = connect(Number(port), 'localhost');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
  const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
  assert.match(text, /^HTTP\/1\.1 400 /);
});
