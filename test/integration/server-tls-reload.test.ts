import assert from 'node:assert/strict';
import { connect } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { createSelfSigned, writePkcs12, type SelfSigned } from '#keystore';
import { inServer, outcome, ports, proxyTo, startBackEnd } from '../effects/effect-server.ts';

const [first, second] = (await Promise.all(
  ['first.example', 'second.example'].map((name) => createSelfSigned({ hostNames: [name, '127.0.0.1'], days: 1 })),
)) as [SelfSigned, SelfSigned];

function storeOf({ privateKeyPem, certificatePem }: SelfSigned): Uint8Array {
  return writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], 'pass');
}

/** The name in the certificate that a port shows. */
function shown(url: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subjectaltname);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** Looks until what `look` gives holds; fails with the last one. */
async function eventually<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<void> {
  const until = performance.now() + 60_000;
  let seen = await look();
  while (!holds(seen) && performance.now() < until) {
    await pause(25);
    seen = await look();
  }
  assert.ok(holds(seen), `last seen: ${String(seen)}`);
}

const keyStore = `${ports}[keystore.tls]\nfile_name = "tls.p12"\npassword = "pass"\n`;

test('listeners show a new certificate when their key store changes, and keep the old one when it breaks', async () => {
  await inServer(keyStore, { 'conf/security/tls.p12': storeOf(first) }, async (server) => {
    const ports = [server.url('API HTTPS'), server.url('Management')];
    for (const url of ports) assert.match(String(await shown(url)), /first/);
    server.write('conf/security/tls.p12', 'no key store');
    await pause(300);
    for (const url of ports) assert.match(String(await shown(url)), /first/);
    server.write('conf/security/tls.p12', storeOf(second));
    for (const url of ports)
      await eventually(
        () => shown(url),
        (name) => /second/.test(String(name)),
      );
  });
});

test('the sender trusts what a changed trust store holds', async () => {
  const trustStore = `${ports}[truststore]\nfile_name = "trust.p12"\npassword = "pass"\n`;
  const tls = { key: first.privateKeyPem, cert: first.certificatePem };
  await using backEnd = await startBackEnd((_, response) => response.end('done'), tls);
  const policy = '<suspendOnFailure><errorCodes>-1</errorCodes></suspendOnFailure>';
  const files = { 'conf/security/trust.p12': storeOf(second), ...proxyTo(backEnd.url, policy) };
  await inServer(trustStore, files, async (server) => {
    const url = `${server.url('API HTTP')}/t`;
    assert.equal(await outcome(url), '200 fault 101503');
    server.write('conf/security/trust.p12', storeOf(first));
    await eventually(
      () => outcome(url),
      (answer) => answer === '200 done',
    );
  });
});
