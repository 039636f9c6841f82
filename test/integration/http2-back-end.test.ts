import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createOldServer } from 'node:https';
import { createServer as createPlainServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { createSelfSigned } from '#keystore';
import { readBody } from '#message';
import { createHttpSender, TransportError, type HttpSenderOptions, type PooledHttpSender } from '#transport';
import { exchange, generatedBody, respondedTo, unlimited } from './http-support.ts';

const pair = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
const key = { key: pair.privateKeyPem, cert: pair.certificatePem };

type Serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) => void;

interface Stage {
  readonly sender: PooledHttpSender;
  readonly origin: string;
  /** Every connection that was opened. */
  readonly sessions: ServerHttp2Session[];
}

/** A back end that speaks HTTP/2 and a sender. */
async function stage(
  t: TestContext,
  serve: Serve,
  options: HttpSenderOptions & { secure?: boolean } = {},
): Promise<Stage> {
  const { secure = false, ...rest } = options;
  const server: Http2Server = secure ? createSecureServer(key) : createServer();
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream: ServerHttp2Stream, headers, _, raw: string[]) => {
    stream.on('error', () => undefined);
    serve(stream, headers, raw);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = createHttpSender({ tls: { ca: [pair.certificatePem] }, ...rest });
  t.after(async () => {
    await sender[Symbol.asyncDispose]();
    for (const session of sessions) session.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { sender, sessions, origin: secure ? `https://localhost:${port}` : `http://127.0.0.1:${port}` };
}

const echoing: Serve = (stream, headers) => {
  stream.respond({
    ':status': 200,
    'x-path': headers[':path'],
    'x-method': headers[':method'],
    'set-cookie': ['a=1', 'b=2'],
  });
  stream.pipe(stream);
};

for (const secure of [false, true]) {
  test(`requests go side by side over one connection, ${secure ? 'over TLS' : 'by prior knowledge'}`, async (t) => {
    const { sender, sessions, origin } = await stage(t, echoing, { secure });
    // The first one opens the connection.
    const first = await exchange(sender, { origin, prefersHttp2: true, target: '/first' });
    assert.equal(first.status, 200);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const body = Buffer.from(`body ${index}`);
        return exchange(sender, { origin, prefersHttp2: true, method: 'POST', target: `/a%2Fb?i=${index}`, body });
      }),
    );
    for (const [index, { headers, body }] of answers.entries()) {
      assert.equal(Buffer.from(body).toString(), `body ${index}`);
      const at = headers.indexOf('x-path');
      assert.equal(headers[at + 1], `/a%2Fb?i=${index}`);
      assert.equal(headers.filter((name) => name === 'set-cookie').length, 2);
      assert.ok(!headers.some((name) => name.startsWith(':')));
    }
    assert.equal(sessions.length, 1);
  });
}

test('a back end that chooses HTTP/1.1 is spoken to by it', async (t) => {
  const server = createOldServer(key, (request, response) => response.end(`${request.httpVersion} ${request.url}`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using sender = createHttpSender({ tls: { ca: [pair.certificatePem] } });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  for (const target of ['/one', '/two']) {
    const { body } = await exchange(sender, { origin, target, prefersHttp2: true });
    assert.equal(Buffer.from(body).toString(), `1.1 ${target}`);
  }
});

test('bodies of any size go at the pace of their readers', async (t) => {
  const { sender, origin } = await stage(t, echoing);
  const body = generatedBody(Buffer.alloc(65_536, 1), 200);
  const response = await respondedTo(sender, { origin, prefersHttp2: true, method: 'POST', body });
  await pause(300);
  assert.ok(body.taken < 100 * 65_536, `${body.taken} bytes were taken although nobody reads`);
  assert.ok(response.body);
  assert.equal((await readBody(response.body, unlimited)).length, 200 * 65_536);
});

test('what a back end has refused unseen is sent again, and what it has seen is not', async (t) => {
  let refused = 0;
  let seen = 0;
  const { sender, origin } = await stage(t, (stream, headers) => {
    if (headers[':path'] === '/refused' && refused++ < 2) return stream.close(7);
    if (headers[':path'] === '/broken') {
      seen++;
      return stream.close(2);
    }
    stream.respond({ ':status': 200 }, { endStream: true });
  });
  const request = { origin, prefersHttp2: true, method: 'POST', body: Buffer.from('a') };
  assert.equal((await exchange(sender, { ...request, target: '/refused' })).status, 200);
  assert.equal(refused, 3);
  await assert.rejects(exchange(sender, { ...request, target: '/broken' }), TransportError);
  assert.equal(seen, 1);
});

test('an answer that comes before the request was sent whole is the answer', async (t) => {
  const large = 'x'.repeat(50_000);
  const { sender, origin } = await stage(t, (stream, headers) => {
    const text = headers[':path'] === '/text';
    stream.respond({ ':status': 413 }, { endStream: !text });
    if (text) stream.end(large);
    // As servers do that want no more of it (RFC 9113, 8.1): once the answer has gone.
    setTimeout(() => stream.close(0), 50);
  });
  for (const target of ['/text', '/none']) {
    const body = generatedBody(Buffer.alloc(65_536, 1), 200);
    const answer = await exchange(sender, { origin, prefersHttp2: true, method: 'POST', target, body });
    assert.equal(answer.status, 413);
    assert.equal(Buffer.from(answer.body).toString(), target === '/text' ? large : '');
  }
});

test('a connection that is to end takes no further request, and those under way are answered', async (t) => {
  const { sender, sessions, origin } = await stage(t, (stream) => {
    setTimeout(() => {
      stream.respond({ ':status': 200 });
      stream.end('late');
    }, 200);
  });
  const first = exchange(sender, { origin, prefersHttp2: true });
  await pause(100);
  sessions[0]?.goaway(0);
  await pause(30);
  const second = exchange(sender, { origin, prefersHttp2: true });
  assert.equal(Buffer.from((await first).body).toString(), 'late');
  assert.equal(Buffer.from((await second).body).toString(), 'late');
  assert.equal(sessions.length, 2);
});

test('requests that wait for a connection while key material changes are sent over it, and others over a new one', async (t) => {
  const { sender, sessions, origin } = await stage(t, echoing, { secure: true });
  const early = exchange(sender, { origin, prefersHttp2: true, target: '/early' });
  sender.setTls({ ca: [pair.certificatePem] });
  assert.equal((await early).status, 200);
  assert.equal((await exchange(sender, { origin, prefersHttp2: true, target: '/late' })).status, 200);
  assert.equal(sessions.length, 2);
});

test('a back end that says nothing, or what is no HTTP/2, or is not there', async (t) => {
  const { sender, origin } = await stage(t, () => undefined);
  const failed = (await exchange(sender, { origin, prefersHttp2: true, idleTimeout: 200 }).catch(
    (error: unknown) => error,
  )) as TransportError;
  assert.equal(failed.baseCode, 101504);
  const plain = createPlainServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad\r\n\r\n'));
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  t.after(() => plain.close());
  const old = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
  await assert.rejects(exchange(sender, { origin: old, prefersHttp2: true }), TransportError);
  await assert.rejects(exchange(sender, { origin: 'http://127.0.0.1:1', prefersHttp2: true }), TransportError);
});

test('a request that is given up ends its stream', async (t) => {
  const seen = Promise.withResolvers<ServerHttp2Stream>();
  const { sender, origin } = await stage(t, seen.resolve);
  const gone = Promise.withResolvers<unknown>();
  const request = { origin, method: 'GET', target: '/', headers: [], body: null, prefersHttp2: true };
  const exchanged = sender.send(request, { onResponse: gone.resolve, onError: gone.resolve });
  const closed = once(await seen.promise, 'close');
  exchanged.abort();
  assert.ok((await gone.promise) instanceof TransportError);
  await closed;
});

test('fields behind bodies go both ways, and an answer may be fields alone', async (t) => {
  const seen: string[] = [];
  const { sender, origin } = await stage(t, (stream, headers) => {
    seen.push(String(headers.te));
    if (headers[':path'] === '/alone') {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' }, { endStream: true });
      return;
    }
    stream.on('trailers', (trailers) => seen.push(String(trailers['x-sum'])));
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', host: 'evil' }));
    stream.pipe(stream);
  });
  const body = { ...generatedBody(Buffer.from('abc'), 2), trailers: { announced: 'x-sum', fields: ['X-Sum', '7'] } };
  const request = { origin, prefersHttp2: true, acceptsTrailers: true, method: 'POST' };
  const response = await respondedTo(sender, { ...request, body });
  assert.ok(response.body);
  assert.equal(Buffer.from(await readBody(response.body, unlimited)).toString(), 'abcabc');
  assert.deepEqual(response.body.trailers?.fields, ['grpc-status', '0']);
  assert.deepEqual(seen, ['trailers', '7']);
  const alone = await respondedTo(sender, { ...request, target: '/alone', body: Buffer.from('a') });
  assert.equal(alone.body, null);
  assert.equal(alone.headers[alone.headers.indexOf('grpc-status') + 1], '5');
});
