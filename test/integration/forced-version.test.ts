import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startTemporaryServer } from '../helpers/temporary-server.ts';

/** What a back end gets of one message, and the answer of the API in front of it. */
async function exchanged(flow: string): Promise<{ received: string; answer: string }> {
  let received = '';
  const backEnd = createServer((socket) => {
    socket.setEncoding('latin1').on('data', (piece: string) => {
      received += piece;
      if (received.endsWith('hello')) socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nfine');
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => void backEnd.listen(0, '127.0.0.1', resolve));
  const { port } = backEnd.address() as AddressInfo;
  try {
    await using server = await startTemporaryServer({
      'artifacts/api/t.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t">
  <resource methods="POST"><inSequence>${flow}
    <call><endpoint><address uri="http://127.0.0.1:${port}/x"/></endpoint></call><respond/>
  </inSequence></resource></api>`,
    });
    const sent = request(`${server.url('API HTTP')}/t`, { method: 'POST', headers: { 'Content-Type': 'text/plain' } });
    // In two pieces, so that its length is not known when it begins.
    sent.write('hel');
    sent.end('lo');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { received, answer: `${response.statusCode} ${await text(response)}` };
  } finally {
    backEnd.close();
  }
}

test('FORCE_HTTP_1.0 asks the back end in HTTP/1.0, with the length of the body, on a connection of its own', async () => {
  const { received, answer } = await exchanged('<property name="FORCE_HTTP_1.0" value="true" scope="axis2"/>');
  const [head = '', body] = received.split('\r\n\r\n');
  assert.match(head, /^POST \/x HTTP\/1\.0\r\n/);
  assert.match(head, /^Content-Length: 5\r?$/m);
  assert.match(head, /^Connection: close\r?$/m);
  assert.doesNotMatch(head, /Transfer-Encoding/);
  assert.deepEqual([body, answer], ['hello', '200 fine']);
});

test('FORCE_HTTP_CONTENT_LENGTH sends the length of a body that came in pieces', async () => {
  const { received, answer } = await exchanged(
    '<property name="FORCE_HTTP_CONTENT_LENGTH" value="true" scope="axis2"/>',
  );
  const [head = '', body] = received.split('\r\n\r\n');
  assert.match(head, /^POST \/x HTTP\/1\.1\r\n/);
  assert.match(head, /^Content-Length: 5\r?$/m);
  assert.doesNotMatch(head, /Transfer-Encoding/);
  assert.deepEqual([body, answer], ['hello', '200 fine']);
});
