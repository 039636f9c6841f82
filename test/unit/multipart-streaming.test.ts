import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { after, test } from 'node:test';
import { createApiRoute } from '#api';
import { buildWorld, createArtifactReader } from '#artifacts';
import { configureLog, createMetrics, createTestClock, getLogger } from '#core';
import { createDispatcher } from '#entry';
import { createEndpointStates, createMemoryBackground } from '#mediation';
import type { BodySink, BodySource } from '#message';
import type { HttpSender } from '#transport';
import { artifactKinds } from '../../src/server/artifact-kinds.ts';
import { builtInArtifacts } from '../../src/server/built-in.ts';

const chunkBytes = 64 * 1024;
const totalBytes = 50 * 1024 * 1024;

const artifact = `<api xmlns="http://ws.apache.org/ns/synapse" name="Upload" context="/upload">
  <resource methods="POST">
    <inSequence>
      <property name="seen" expression="$trp:Content-Type"/>
      <log><property name="upload" expression="get-property('seen')"/></log>
      <call><endpoint><http method="post" uri-template="http://back/files"/></endpoint></call>
      <respond/>
    </inSequence>
  </resource>
</api>`;

after(() => configureLog({ level: 'info', format: 'json' }));

/** A body that is made while it is read; it stops when its sink is full. */
class Upload implements BodySource {
  readonly length = totalBytes;
  produced = 0;
  #sink: BodySink | undefined;

  pipe(sink: BodySink): void {
    this.#sink = sink;
    this.resume();
  }

  resume(): void {
    const sink = this.#sink;
    while (sink && this.produced < totalBytes) {
      const size = Math.min(chunkBytes, totalBytes - this.produced);
      this.produced += size;
      if (!sink.write(Buffer.alloc(size, 0x61)) && this.produced < totalBytes) return;
    }
    sink?.end();
  }

  cancel(): void {
    throw new Error('the upload was given up');
  }
}

test('a multipart upload of 50 MB passes through a flow that does not read it, chunk by chunk', async () => {
  configureLog({ level: 'silent', format: 'json' });
  const upload = new Upload();
  let consumed = 0;
  let mostOutstanding = 0;
  const consumeLater = async (size: number, body: BodySource): Promise<void> => {
    await setImmediate();
    consumed += size;
    body.resume();
  };
  const sender: HttpSender = {
    send({ body, headers }, handler) {
      assert.ok(body !== null && 'pipe' in body, 'the body came as a stream');
      assert.ok(headers.includes('multipart/form-data; boundary=b'));
      body.pipe({
        write(chunk) {
          mostOutstanding = Math.max(mostOutstanding, upload.produced - consumed);
          void consumeLater(chunk.length, body);
          return false;
        },
        end: () => handler.onResponse({ status: 201, reason: 'Created', headers: [], body: null }),
        fail: (error) => assert.fail(error),
      });
      return { abort: () => assert.fail('the exchange was given up') };
    },
    async [Symbol.asyncDispose]() {
      // Nothing is open.
    },
  };
  const settings = {
    globalTimeout: 120_000,
    // Reading the body would fail.
    maxBodyBytes: 1000,
    preservedHeaders: new Set(['content-type']),
    suspendDuration: 30_000,
    suspendFactor: 1,
  };
  const log = getLogger('mediation');
  const clock = createTestClock();
  const background = createMemoryBackground(clock, import.meta.dirname);
  const services = { sender, clock, log, settings, endpointStates: createEndpointStates(), background };
  const external = { environment: {}, system: new Map(), file: new Map(), secret: () => undefined };
  const files = [{ file: 'upload.xml', text: artifact }];
  const sources = { files, packed: [], roots: [], definitions: new Map(), problems: [] };
  const { world, problems } = buildWorld(
    sources,
    { kinds: artifactKinds, services, external, builtIn: builtInArtifacts, registryCache: 0 },
    createArtifactReader(artifactKinds),
  );
  assert.deepEqual(problems, []);
  const cors = { enabled: true, allowOrigins: [], allowHeaders: '' };
  const metrics = createMetrics();
  const routes = [createApiRoute({ cors, metrics, servers: () => [] })];
  const dispatch = createDispatcher({ world: () => world, settings, metrics, routes });
  const status = await new Promise<number>((resolve) => {
    dispatch(
      {
        method: 'POST',
        target: '/upload',
        headers: ['Host', 'localhost', 'Content-Type', 'multipart/form-data; boundary=b'],
        body: upload,
        peer: { address: '127.0.0.1', port: 4711 },
        scheme: 'http',
        localPort: 8280,
        version: '1.1',
      },
      { finished: false, respond: (head) => resolve(head.status), onGone: () => undefined },
    );
  });
  assert.equal(status, 201);
  assert.equal(upload.produced, totalBytes);
  assert.equal(mostOutstanding, chunkBytes);
});
