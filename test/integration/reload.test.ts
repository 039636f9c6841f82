import assert from 'node:assert/strict';
import { request, Agent } from 'node:http';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { configureLog } from '#core';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

const pairs = {
  one: await createSelfSigned({ hostNames: ['one.example'], days: 1 }),
  two: await createSelfSigned({ hostNames: ['two.example'], days: 1 }),
};
const storeOf = ({ privateKeyPem, certificatePem }: (typeof pairs)['one']) =>
  writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], 'one');

const listeners = (name: string): string =>
  freePorts
    .replace('[transport.passthru_http]\n', `$&listener.origin_server = "${name}"\n`)
    .replace(
      '[transport.passthru_https]\n',
      `$&listener.key_store.file_name = "${name}.p12"\nlistener.key_store.password = "one"\n`,
    );
const configuration = (name: string, more = ''): string => `[server]\noffset = 0\n${more}\n${listeners(name)}`;

/** An inbound endpoint with the key material of the listener for APIs. */
const inbound = `<inboundEndpoint xmlns="http://ws.apache.org/ns/synapse" name="In" protocol="https" sequence="main" onError="fault">
  <parameters><parameter name="inbound.http.port">0</parameter></parameters></inboundEndpoint>`;

let server: TemporaryServer;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  const files = {
    'conf/security/one.p12': storeOf(pairs.one),
    'conf/security/two.p12': storeOf(pairs.two),
    'artifacts/inbound-endpoints/in.xml': inbound,
  };
  server = await startTemporaryServer(files, configuration('one'));
});

after(async () => {
  agent.destroy();
  await server[Symbol.asyncDispose]();
  configureLog({ level: 'info', format: 'json' });
});

/** The `Server` field of an answer, on the kept connection or on one of its own, and whether the connection was kept. */
function ask(over: Agent | false): Promise<{ name: string | undefined; reused: boolean }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url('API HTTP')}/nothing`, { agent: over }, (response) => {
      response
        .resume()
        .on('end', () => resolve({ name: response.headers['server']?.toString(), reused: sent.reusedSocket }));
    });
    sent.on('error', reject).end();
  });
}

function shownName(listener = 'API HTTPS'): Promise<string> {
  const url = server.server.addresses.find(({ name }) => name === listener)?.url ?? '';
  const port = Number(new URL(url).port);
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test('what can be reloaded holds for new connections, and the open ones go on', async () => {
  assert.deepEqual(await ask(agent), { name: 'one', reused: false });
  const inboundName = 'inbound endpoint In';
  for (const name of ['API HTTPS', inboundName]) assert.equal(await shownName(name), 'DNS:one.example');
  server.write('conf/deployment.toml', configuration('two'));
  const report = await server.server.reload();
  assert.deepEqual(report, {
    applied: [
      'transport.passthru_http.listener.origin_server',
      'transport.passthru_https.listener.key_store.file_name',
    ],
    needRestart: [],
  });
  assert.deepEqual(await ask(agent), { name: 'one', reused: true });
  assert.deepEqual(await ask(false), { name: 'two', reused: false });
  for (const name of ['API HTTPS', inboundName]) while ((await shownName(name)) !== 'DNS:two.example');
});

test('a faulty file changes nothing', async () => {
  server.write('conf/deployment.toml', configuration('one', 'mode = "none"'));
  await assert.rejects(server.server.reload(), {
    name: 'ProblemsError',
    message: /deployment\.toml:3:8: error: server\.mode/,
  });
  assert.equal((await ask(false)).name, 'two');
});

test('what needs a restart is named, each time until it is there', async () => {
  server.write('conf/deployment.toml', configuration('two', 'hostname = "other.example"'));
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await server.server.reload(), { applied: [], needRestart: ['server.hostname'] });
  }
});
