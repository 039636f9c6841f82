import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { configureLog, systemClock } from '#core';
import { createRevocationCheck, writePkcs12, type RevocationRequest } from '#keystore';
import type { ClientCheck, RequestHandler } from '#transport';
import { apiOf, inServer, loggedIn, outcome, ports, type Files } from '../effects/effect-server.ts';
import { synapse } from '../helpers/managed-server.ts';
import {
  answerOcsp,
  issue,
  makeList,
  startRevocationServer,
  type Holder,
  type RevocationServer,
} from '../helpers/test-authority.ts';
import { listen } from './http-support.ts';

before(() => configureLog({ level: 'silent', format: 'json' }));
after(() => configureLog({ level: 'info', format: 'json' }));

const root = await issue({ name: 'root', isAuthority: true });
const own = await issue({ name: 'localhost' });
const ownTls = { key: own.keyPem, cert: own.certificatePem };
const hello = apiOf('<payloadFactory media-type="text"><format>hello</format><args/></payloadFactory><respond/>');
const trust: Files = {
  ...hello,
  'conf/security/clients.p12': writePkcs12([{ alias: 'root', certificatePems: [root.certificatePem] }], 'clients'),
};
const section = '[transport.passthru_https]\n';
const listenerKeys = ports.replace(
  section,
  `${section}listener.trust_store.file_name = "clients.p12"
listener.trust_store.password = "clients"
listener.trust_store.type = "PKCS12"
listener.cert_revocation_validation.enable = true
`,
);

function shown({ certificatePem: cert, keyPem: key }: Holder): { readonly cert: string; readonly key: string } {
  return { cert, key };
}

/** A client of the test's authority, whose certificate names this server. */
function clientOf({ responder, list }: RevocationServer): Promise<Holder> {
  return issue({ name: 'client', issuer: root, responder, list });
}

test('a certificate is accepted or refused as the OCSP server, else the list, says', async () => {
  await using revocations = await startRevocationServer();
  const client = await clientOf(revocations);
  const good = (question: Uint8Array) => answerOcsp(question, { issuer: root, nextUpdate: null });
  const revoked = (question: Uint8Array) => answerOcsp(question, { issuer: root, status: 'revoked', nextUpdate: null });
  const forged = (question: Uint8Array) => answerOcsp(question, { issuer: own, nextUpdate: null });
  const clean = () => makeList({ issuer: root });
  const listed = () => makeList({ issuer: root, revoked: [client] });
  const stages: readonly [answer: RevocationServer['answer'], list: RevocationServer['listBytes'], expected: RegExp][] =
    [
      [good, undefined, /^200 hello$/],
      [revoked, clean, /^E|hang up/],
      [forged, undefined, /^E|hang up/],
      [undefined, undefined, /^E|hang up/],
      [undefined, listed, /^E|hang up/],
    ];
  await inServer(listenerKeys, trust, async (server) => {
    const url = `${server.url('API HTTPS')}/t`;
    for (const [answer, list, expected] of stages) {
      Object.assign(revocations, { answer, listBytes: list });
      assert.match(await outcome(url, { tls: shown(client) }), expected);
    }
    // Whoever shows none has nothing to be checked.
    assert.equal(await outcome(url), '200 hello');
  });
  Object.assign(revocations, { answer: undefined, listBytes: clean });
  await inServer(listenerKeys, trust, async (server) => {
    assert.equal(await outcome(`${server.url('API HTTPS')}/t`, { tls: shown(client) }), '200 hello');
  });
});

test('the log says who was refused and why', async () => {
  await using revocations = await startRevocationServer();
  const client = await clientOf(revocations);
  const lines = await loggedIn(listenerKeys, trust, async (server) => {
    await outcome(`${server.url('API HTTPS')}/t`, { tls: shown(client) });
  });
  assert.ok(lines.includes('a client certificate is refused'), lines.join('\n'));
});

test('a certificate of nobody who is trusted is refused, and nobody is asked', async () => {
  await using revocations = await startRevocationServer();
  const stranger = await issue({ name: 'root', isAuthority: true });
  const { responder } = revocations;
  const forged = await issue({ name: 'client', issuer: stranger, responder });
  const expired = await issue({ name: 'client', issuer: stranger, responder, days: -1 });
  await inServer(listenerKeys, trust, async (server) => {
    for (const holder of [forged, expired]) {
      const sent = { ...shown(holder), cert: holder.certificatePem + stranger.certificatePem };
      assert.match(await outcome(`${server.url('API HTTPS')}/t`, { tls: sent }), /^E|hang up/);
    }
  });
  assert.equal(revocations.asked.responder, 0);
});

const say: RequestHandler = (_request, responder) => {
  responder.respond({ status: 200, headers: ['Content-Type', 'text/plain'] }, Buffer.from('hello'));
};

/** A listener whose check waits until it is let go on. */
async function slowListener(client: Holder) {
  const waiting: PromiseWithResolvers<void>[] = [];
  const started = Promise.withResolvers<void>();
  const checkClient: ClientCheck = () => {
    const gate = Promise.withResolvers<void>();
    waiting.push(gate);
    started.resolve();
    return gate.promise;
  };
  const listener = await listen(say, {
    tls: { ...ownTls, ca: [root.certificatePem], verifyClient: 'require', checkClient },
  });
  return { listener, waiting, started: started.promise, options: { ...shown(client), rejectUnauthorized: false } };
}

test('what a client sends before its certificate is checked waits, over HTTP/1.1', async () => {
  const client = await issue({ name: 'client', issuer: root });
  const { listener, waiting, started, options } = await slowListener(client);
  await using _ = listener;
  const socket = connect({ ...options, port: listener.port, host: '127.0.0.1', ALPNProtocols: ['http/1.1'] });
  socket.setEncoding('utf8');
  let received = '';
  socket.on('data', (text: string) => (received += text));
  socket.write('GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await started;
  assert.equal(received, '');
  waiting[0]?.resolve();
  await once(socket, 'close');
  assert.match(received, /^HTTP\/1\.1 200 [\s\S]*hello/);
});

test('what a client sends before its certificate is checked waits, over HTTP/2', async () => {
  const client = await issue({ name: 'client', issuer: root });
  const { listener, waiting, started, options } = await slowListener(client);
  await using _ = listener;
  const session = connectHttp2(`https://127.0.0.1:${listener.port}`, options);
  const streams = ['/a', '/b'].map((path) => session.request({ ':path': path }));
  await started;
  waiting[0]?.resolve();
  for (const stream of streams) {
    stream.setEncoding('utf8');
    assert.equal((await stream.toArray()).join(''), 'hello');
  }
  session.close();
});

test('a client that goes away while it is checked, or is refused, leaves nothing behind', async () => {
  const client = await issue({ name: 'client', issuer: root });
  const { listener, waiting, started, options } = await slowListener(client);
  const first = connect({ ...options, port: listener.port, host: '127.0.0.1' });
  await started;
  first.destroy();
  const second = connect({ ...options, port: listener.port, host: '127.0.0.1' });
  second.on('error', () => undefined);
  while (waiting.length < 2) await new Promise((resolve) => void setImmediate(resolve));
  waiting[0]?.resolve();
  waiting[1]?.reject(new Error('revoked'));
  await once(second, 'close');
  // All connections are over: a listener that still had one would wait here.
  await listener.drain(60_000);
  await listener[Symbol.asyncDispose]();
});

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  test(`a client that takes up a session of ${version} again is checked again`, async () => {
    const client = await issue({ name: 'client', issuer: root });
    let checks = 0;
    const checkClient: ClientCheck = () => Promise.resolve(void checks++);
    await using listener = await listen(say, {
      tls: { ...ownTls, ca: [root.certificatePem], verifyClient: 'require', checkClient },
    });
    const visit = async (session?: Buffer): Promise<{ reused: boolean; session: Buffer | undefined }> => {
      const socket = connect({
        ...shown(client),
        ...(session ? { session } : {}),
        port: listener.port,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        minVersion: version,
        maxVersion: version,
      });
      let last: Buffer | undefined;
      let reused = true;
      socket.once('secureConnect', () => (reused = socket.isSessionReused()));
      socket.on('session', (given) => (last = given));
      socket.write('GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      socket.resume();
      await once(socket, 'close');
      return { reused, session: last };
    };
    const { session } = await visit();
    const { reused } = await visit(session);
    assert.equal(reused, false);
    assert.equal(checks, 2);
  });
}

test('an inbound endpoint checks certificates by its own verifier', async () => {
  await using revocations = await startRevocationServer();
  const client = await clientOf(revocations);
  revocations.answer = (question) => answerOcsp(question, { issuer: root, status: 'revoked' });
  const endpoint = (verifier: string): Files => ({
    ...trust,
    'artifacts/sequences/say.xml': `<sequence ${synapse} name="say"><payloadFactory media-type="text"><format>said</format><args/></payloadFactory><respond/></sequence>`,
    'artifacts/inbound-endpoints/a.xml': `<inboundEndpoint ${synapse} name="A" protocol="https" sequence="say" onError="fault"><parameters>
      <parameter name="inbound.http.port">0</parameter>
      <parameter name="truststore"><TrustStore><Location>clients.p12</Location><Type>PKCS12</Type><Password>clients</Password></TrustStore></parameter>
      <parameter name="SSLVerifyClient">require</parameter>${verifier}
    </parameters></inboundEndpoint>`,
  });
  const verifier = (state: string): string =>
    `<parameter name="CertificateRevocationVerifier"><CertificateRevocationVerifier enable="${state}"><CacheSize>10</CacheSize><CacheDelay>5</CacheDelay></CertificateRevocationVerifier></parameter>`;
  const asked = (files: Files): Promise<string> =>
    inServer(ports, files, ({ server }) => {
      const url = server.addresses.find(({ name }) => name === 'inbound endpoint A')?.url ?? '';
      return outcome(url, { tls: shown(client) });
    });
  assert.equal(await asked(endpoint('')), '200 said');
  assert.equal(await asked(endpoint(verifier('false'))), '200 said');
  assert.match(await asked(endpoint(verifier('true'))), /^E|hang up/);
  revocations.answer = (question) => answerOcsp(question, { issuer: root });
  assert.equal(await asked(endpoint(verifier('true'))), '200 said');
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test('the OCSP server of OpenSSL is understood', { skip: !hasOpenssl && 'openssl is not installed' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-ocsp-'));
  const file = (name: string, text = ''): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const responder = await issue({ name: 'responder', issuer: root, purposes: ['1.3.6.1.5.5.7.3.9'] });
  const named = (name: string): Promise<Holder> => issue({ name, issuer: root, responder: 'http://ocsp.test/' });
  const [good, revoked, missing] = [await named('good'), await named('revoked'), await named('missing')];
  const line = (state: string, { x509: { serialNumber } }: Holder, date: string): string =>
    `${state}\t350101000000Z\t${date}\t${serialNumber}\tunknown\t/CN=x\n`;
  const index = file('index.txt', line('V', good, '') + line('R', revoked, '250101000000Z'));
  const args = ['ocsp', '-port', '0', '-index', index, '-CA', file('ca.pem', root.certificatePem)];
  args.push(
    '-rsigner',
    file('r.pem', responder.certificatePem),
    '-rkey',
    file('r.key', responder.keyPem),
    '-ndays',
    '1',
  );
  const server = spawn('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const port = await new Promise<string>((resolve, reject) => {
      let text = '';
      const read = (chunk: Buffer): void => {
        text += chunk.toString();
        const found = /:(\d+)\s/.exec(text)?.[1];
        if (found) resolve(found);
      };
      server.stdout.on('data', read);
      server.stderr.on('data', read);
      server.once('exit', () => reject(new Error(text)));
    });
    const ask = async ({ content }: RevocationRequest): Promise<Uint8Array> => {
      const { type, bytes } = content ?? { type: '', bytes: Buffer.of() };
      const options = { method: 'POST', headers: { 'content-type': type }, body: Uint8Array.from(bytes) };
      const answer = await fetch(`http://127.0.0.1:${port}/`, options);
      return new Uint8Array(await answer.arrayBuffer());
    };
    const bounds = { clock: systemClock, cacheSize: 10, cleanUpTime: 900_000, wholeChain: true, checksDates: false };
    using check = createRevocationCheck({ ...bounds, fetch: ask });
    const trusted = [root.x509];
    await check.check({ chain: [good.x509], trusted });
    await assert.rejects(check.check({ chain: [revoked.x509], trusted }), { code: 'MR_TLS_REVOKED' });
    await assert.rejects(check.check({ chain: [missing.x509], trusted }), /does not know the certificate/);
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
});
