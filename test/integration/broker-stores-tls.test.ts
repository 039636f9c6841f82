import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { configureLog } from '#core';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { synapse } from '../helpers/managed-server.ts';
import { connectRabbitmq, implementations, storingApi } from '../helpers/storing-api.ts';
import { startTemporaryServer } from '../helpers/temporary-server.ts';
import { rabbitmqMissing, startRabbitmq, type RabbitmqPeer } from '../peers/rabbitmq.ts';

suite('TLS to RabbitMQ', { skip: rabbitmqMissing, timeout: 240_000 }, () => {
  test('the broker is trusted by a trust store alone', async () => {
    const { pair, files } = await certificates();
    const broker: RabbitmqPeer = await startRabbitmq({ tls: files });
    const store = (name: string, trust: string): string =>
      `<messageStore ${synapse} name="${name}" class="${implementations}.rabbitmq.RabbitMQStore">
  <parameter name="store.rabbitmq.host.name">localhost</parameter>
  <parameter name="store.rabbitmq.host.port">${broker.tlsPort}</parameter>
  <parameter name="store.rabbitmq.connection.ssl.enabled">true</parameter>
  <parameter name="rabbitmq.connection.ssl.version">TLSv1.2</parameter>
  <parameter name="rabbitmq.connection.retry.count">0</parameter>
  ${trust}
</messageStore>`;
    const trust = `<parameter name="rabbitmq.connection.ssl.truststore.location">conf/trust.p12</parameter>
  <parameter name="rabbitmq.connection.ssl.truststore.type">PKCS12</parameter>
  <parameter name="rabbitmq.connection.ssl.truststore.password">one</parameter>`;
    try {
      configureLog({ level: 'silent', format: 'json' });
      await using server = await startTemporaryServer({
        'conf/trust.p12': writePkcs12(
          [{ alias: 'peer', privateKeyPem: pair.privateKeyPem, certificatePems: [pair.certificatePem] }],
          'one',
        ),
        'artifacts/message-stores/Trusting.xml': store('Trusting', trust),
        'artifacts/message-stores/Strict.xml': store('Strict', ''),
        'artifacts/api/trusting.xml': storingApi('trusting', 'Trusting'),
        'artifacts/api/strict.xml': storingApi('strict', 'Strict'),
      });
      const post = (name: string): Promise<Response> =>
        fetch(`${server.url('API HTTP')}/${name}`, {
          method: 'POST',
          body: '{}',
          headers: { 'Content-Type': 'application/json' },
        });
      const trusting = await post('trusting');
      assert.equal(trusting.status, 200, await trusting.text());
      const strict = await post('strict');
      assert.equal(strict.status, 503);
      assert.match(await strict.text(), /self-signed certificate/);
      const connection = await connectRabbitmq(broker);
      const { messageCount } = await connection.onChannel((channel) => channel.checkQueue('Trusting'));
      assert.equal(messageCount, 1);
      await connection.close();
    } finally {
      configureLog({ level: 'info', format: 'json' });
      await broker[Symbol.asyncDispose]();
    }
  });
});

async function certificates(): Promise<{
  readonly pair: Awaited<ReturnType<typeof createSelfSigned>>;
  readonly files: { readonly certificate: string; readonly key: string };
}> {
  const pair = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
  const directory = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const files = { certificate: join(directory, 'certificate.pem'), key: join(directory, 'key.pem') };
  writeFileSync(files.certificate, pair.certificatePem);
  writeFileSync(files.key, pair.privateKeyPem);
  return { pair, files };
}
