import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { freePorts, startTemporaryServer } from '../helpers/temporary-server.ts';

/** A server whose API at `/rpc` passes everything on to this back end over HTTP/2, and a client of its HTTPS port. */
async function stage(t: TestContext, serve: (stream: ServerHttp2Stream, path: string) => void) {
  const backEnd = createServer();
  backEnd.on('stream', (stream: ServerHttp2Stream, headers) => serve(stream, String(headers[':path'])));
  backEnd.listen(0, '127.0.0.1');
  await once(backEnd, 'listening');
  const url = `http://127.0.0.1:${(backEnd.address() as AddressInfo).port}`;
  const api = `<api xmlns="http://ws.apache.org/ns/synapse" name="Rpc" context="/rpc">
    <resource methods="POST" url-mapping="/*">
      <inSequence>
        <property name="FORCE_HTTP_2" value="true" scope="axis2"/>
        <send><endpoint><address uri="${url}"/></endpoint></send>
      </inSequence>
      <outSequence><send/></outSequence>
    </resource>
  </api>`;
  const server = await startTemporaryServer({ 'artifacts/api/rpc.xml': api }, freePorts);
  const client = connect(server.url('API HTTPS'), { rejectUnauthorized: false });
  client.on('error', () => undefined);
  t.after(async () => {
    client.destroy();
    await server[Symbol.asyncDispose]();
    backEnd.close();
  });
  const call = (path: string) =>
    client.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
  return { call };
}

test('a call streams both ways at once and ends with its status behind the body', async (t) => {
  const { call } = await stage(t, (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' }));
    stream.pipe(stream);
  });
  const stream = call('/rpc/Echo/Talk');
  const trailers = once(stream, 'trailers');
  stream.write('one');
  const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
  assert.equal(head['content-type'], 'application/grpc');
  assert.equal(head[':status'], 200);
  // Each piece comes back before the next is sent.
  const next: Record<string, string | undefined> = { one: 'two', two: 'three' };
  const heard: string[] = [];
  stream.setEncoding('latin1').on('data', (text: string) => {
    heard.push(text);
    const following = next[text];
    if (following === undefined) stream.end();
    else stream.write(following);
  });
  const [fields] = (await trailers) as [Record<string, unknown>];
  assert.equal(fields['grpc-status'], '0');
  assert.equal(fields['grpc-message'], 'fine');
  assert.deepEqual(heard, ['one', 'two', 'three']);
});

test('an answer that is fields alone stays one', async (t) => {
  const { call } = await stage(t, (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true });
  });
  const stream = call('/rpc/Echo/Missing');
  stream.end('abc');
  const [head, flags] = (await once(stream, 'response')) as [Record<string, unknown>, number];
  assert.equal(head['grpc-status'], '12');
  assert.equal(head['content-type'], 'application/grpc');
  assert.equal(head['content-length'], undefined);
  assert.equal(flags & 1, 1);
  stream.resume();
  await once(stream, 'close');
});
