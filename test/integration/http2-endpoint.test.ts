import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startTemporaryServer } from '../helpers/temporary-server.ts';

test('an endpoint of version 2.0 asks its back end in HTTP/2', async () => {
  const backEnd = createServer();
  backEnd.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.respond({ ':status': 200, 'content-type': 'text/plain' });
    stream.end(`${String(headers[':method'])} ${String(headers[':path'])}`);
  });
  backEnd.listen(0, '127.0.0.1');
  await once(backEnd, 'listening');
  const { port } = backEnd.address() as AddressInfo;
  try {
    await using server = await startTemporaryServer({
      'artifacts/api/t.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t">
  <resource methods="GET"><inSequence>
    <call><endpoint><http method="get" version="2.0" uri-template="http://127.0.0.1:${port}/x"/></endpoint></call>
    <respond/>
  </inSequence></resource></api>`,
    });
    const response = await fetch(`${server.url('API HTTP')}/t`);
    assert.deepEqual([response.status, await response.text()], [200, 'GET /x']);
  } finally {
    backEnd.close();
  }
});
