import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { createSelfSigned, readKeyStore, readKeyStoreFile, tlsOptions, writePkcs12 } from '#keystore';
import { createHttpSender, type HttpSenderOptions, type ListenerTls } from '#transport';
import { echo, exchange, listen, originOf } from './http-support.ts';

const fixtures = join(import.meta.dirname, '../fixtures/keystore');

function entries(name: string, password = 'storepass', keyPassword?: string) {
  return readKeyStoreFile({ file: join(fixtures, name), password, keyPassword });
}

const stores: Readonly<Record<string, ListenerTls>> = {
  'server.jks': tlsOptions({ keyStore: entries('server.jks', 'storepass', 'keypass12') }),
  'server.p12': tlsOptions({ keyStore: entries('server.p12') }),
  'legacy.p12': tlsOptions({ keyStore: entries('legacy.p12') }),
};
const trusted = { 'trust.jks': entries('trust.jks', 'trustpass'), 'trust.p12': entries('trust.p12', 'trustpass') };

for (const [keyStore, tls] of Object.entries(stores)) {
  for (const [trustStore, trust] of Object.entries(trusted)) {
    test(`a listener with ${keyStore} is trusted by a sender with ${trustStore}`, async () => {
      await using listener = await listen(echo, { tls });
      await using sender = createHttpSender({ tls: tlsOptions({ trustStore: trust }) });
      for (const host of ['localhost', '127.0.0.1']) {
        const answer = await exchange(sender, {
          origin: originOf(listener, host),
          method: 'POST',
          headers: ['Host', 'other.example'],
          body: Buffer.from('over TLS'),
        });
        assert.equal(Buffer.from(answer.body).toString(), 'over TLS');
      }
    });
  }
}

async function codeOf(tls: ListenerTls, options: HttpSenderOptions): Promise<unknown> {
  await using listener = await listen(echo, { tls });
  await using sender = createHttpSender(options);
  try {
    return (await exchange(sender, { origin: originOf(listener, 'localhost') })).status;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

const chain = entries('chain.jks');
const leaf: ListenerTls = tlsOptions({ keyStore: chain, alias: 'leaf' });
const authority = tlsOptions({ trustStore: chain.filter(({ alias }) => alias === 'ca') });

test('a back end whose certificate has another host name is refused with 101503', async () => {
  assert.equal(await codeOf(leaf, { tls: authority }), 101_503);
});

test('the verifier that spares localhost accepts it there, the one that spares all everywhere', async () => {
  assert.equal(await codeOf(leaf, { tls: { ...authority, verifier: 'default-and-localhost' } }), 200);
  assert.equal(await codeOf(leaf, { tls: { ...authority, verifier: 'allow-all' } }), 200);
});

test('a back end whose issuer is not trusted is refused, whatever the verifier', async () => {
  assert.equal(await codeOf(leaf, {}), 101_503);
  assert.equal(await codeOf(leaf, { tls: { verifier: 'allow-all' } }), 101_503);
});

test('a listener that requires a client certificate turns away who has none', async () => {
  const { ca = [] } = authority;
  const tls: ListenerTls = { ...stores['server.p12'], ca, verifyClient: 'require' };
  const trust = tlsOptions({ trustStore: trusted['trust.p12'] });
  assert.equal(await codeOf(tls, { tls: { ...trust, ...tlsOptions({ keyStore: chain, alias: 'leaf' }) } }), 200);
  assert.notEqual(await codeOf(tls, { tls: trust }), 200);
});

test('a key store made at first start serves TLS, and can be replaced while running', async () => {
  const first = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
  const made = writePkcs12(
    [{ alias: 'millrace', privateKeyPem: first.privateKeyPem, certificatePems: [first.certificatePem] }],
    'changed',
  );
  const tls = tlsOptions({ keyStore: readKeyStore(made, 'changed') });
  await using listener = await listen(echo, { tls });
  const { port } = listener;
  assert.equal(await presentedBy(port), 'localhost');
  listener.setTls?.(leaf);
  assert.equal(await presentedBy(port), 'leaf.example.test');
});

/** The common name of the certificate that a port presents. */
function presentedBy(port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
