import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { MillraceError } from '#errors';
import { getHeader } from '#message';
import { startHttpListener, type HttpRequest, type HttpResponder } from '#transport';
import { echo, exchange, generatedBody, listen, originOf, rawExchange, statusOf, withServer } from './http-support.ts';

const post = 'POST / HTTP/1.1\r\nHost: a\r\n';

test('the continuation is sent when the body is first read', async () => {
  await using listener = await listen(echo);
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(`${post}Expect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n`);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'data');
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\n/);
  socket.write('abc');
  await once(socket, 'close');
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*abc$/);
});

test('an early refusal needs no body and closes the connection', async () => {
  await using listener = await listen((_request, responder) => {
    responder.respond({ status: 401, headers: [] }, Buffer.from('no'));
  });
  const answer = await rawExchange(listener.port, `${post}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 401 Unauthorized\r\n/);
  assert.match(answer, /Connection: close\r\n/);
});

test('a header field with a line break is an error, and the responder can answer afterwards', () =>
  withServer(
    (_request, responder) => {
      for (const value of ['a\r\nX: b', 'a\nb', 'a\0b']) {
        assert.throws(
          () => responder.respond({ status: 200, headers: ['X-Value', value] }, null),
          (error) => error instanceof MillraceError && error.code === 'MR_HTTP_INVALID_RESPONSE',
        );
      }
      assert.throws(() => responder.respond({ status: 200, reason: 'a\r\nb', headers: [] }, null), MillraceError);
      assert.throws(() => responder.respond({ status: 99, headers: [] }, null), MillraceError);
      assert.equal(responder.finished, false);
      responder.respond({ status: 500, headers: ['X-Value', 'fine'] }, Buffer.from('after'));
    },
    async (sender, listener) => {
      const answer = await exchange(sender, { origin: originOf(listener) });
      assert.equal(answer.status, 500);
      assert.equal(getHeader(answer.headers, 'X-Value'), 'fine');
      assert.equal(Buffer.from(answer.body).toString(), 'after');
    },
  ));

test('a handler that throws is answered with 500', () =>
  withServer(
    () => {
      throw new Error('broken');
    },
    async (sender, listener) => {
      assert.equal((await exchange(sender, { origin: originOf(listener) })).status, 500);
    },
  ));

test('a response without known length is chunked in HTTP/1.1 and ends with the connection in HTTP/1.0', async () => {
  await using listener = await listen((_request, responder) => {
    responder.respond({ status: 200, headers: [] }, generatedBody(Buffer.from('ab'), 2));
  });
  const chunked = await rawExchange(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.match(chunked, /\r\nTransfer-Encoding: chunked[^]*\r\n\r\n2\r\nab\r\n2\r\nab\r\n0\r\n\r\n$/);
  const plain = await rawExchange(listener.port, 'GET / HTTP/1.0\r\n\r\n');
  assert.doesNotMatch(plain, /transfer-encoding/i);
  assert.match(plain, /\r\n\r\nabab$/);
});

test('a body shorter or longer than declared breaks the connection instead of looking complete', async () => {
  for (const declared of [3, 5]) {
    await using listener = await listen((_request, responder) => {
      responder.respond({ status: 200, headers: [] }, generatedBody(Buffer.from('ab'), 2, declared));
    });
    const answer = await rawExchange(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const body = answer.split('\r\n\r\n')[1] ?? '';
    assert.ok(body.length < declared, answer);
  }
});

test('an unread body is discarded and the connection serves the next request', async () => {
  let count = 0;
  await using listener = await listen((_request, responder) => {
    count++;
    responder.respond({ status: 200, headers: [] }, Buffer.from(`answer ${count}`));
  });
  const first = `${post}Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`;
  const answer = await rawExchange(listener.port, `${first}${post}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  assert.match(answer, /answer 1[^]*answer 2$/);
});

test('an unread body beyond the limit closes the connection after the answer', async () => {
  await using listener = await listen((_request, responder) => {
    responder.respond({ status: 413, headers: [] }, Buffer.from('too large'));
  });
  for (const framing of ['Content-Length: 50000000\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n2faf080\r\n']) {
    const answer = await rawExchange(listener.port, `${post}${framing}${'x'.repeat(3_000_000)}`);
    assert.equal(statusOf(answer), 413);
    assert.match(answer, /too large$/);
  }
});

test('onGone is called and the source cancelled when the client leaves in the middle of a response', async () => {
  const gone = Promise.withResolvers<void>();
  const body = generatedBody(Buffer.alloc(65_536), 100_000);
  await using listener = await listen((_request, responder) => {
    responder.onGone(() => gone.resolve());
    responder.respond({ status: 200, headers: [] }, body);
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await gone.promise;
  const { taken } = body;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(body.taken, taken);
  assert.ok(taken < 65_536 * 100_000);
});

test('onGone is called before an answer was given, and the responder is finished then', async () => {
  const gone = Promise.withResolvers<HttpResponder>();
  const called = Promise.withResolvers<void>();
  await using listener = await listen((_request, responder) => {
    responder.onGone(() => gone.resolve(responder));
    called.resolve();
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await called.promise;
  socket.destroy();
  const responder = await gone.promise;
  assert.equal(responder.finished, true);
  responder.respond({ status: 200, headers: [] }, Buffer.from('nobody'));
});

test('onGone is not called when the answer was complete, however it was made', async () => {
  let gone = 0;
  await withServer(
    (request, responder) => {
      responder.onGone(() => gone++);
      const isStreamed = request.target === '/streamed';
      const body = isStreamed ? generatedBody(Buffer.from('ab'), 100) : Buffer.from('ab');
      responder.respond({ status: 200, headers: [] }, body);
    },
    async (sender, listener) => {
      for (const target of ['/bytes', '/streamed']) await exchange(sender, { origin: originOf(listener), target });
    },
  );
  assert.equal(gone, 0);
});

test('a client that leaves in the middle of its request fails the body', async () => {
  const outcome = Promise.withResolvers<unknown>();
  const called = Promise.withResolvers<void>();
  await using listener = await listen((request) => {
    request.body?.pipe({
      write: () => true,
      end: () => outcome.resolve('end'),
      fail: (error) => outcome.resolve(error),
    });
    called.resolve();
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(`${post}Content-Length: 100\r\n\r\nabc`);
  await called.promise;
  socket.destroy();
  const error = await outcome.promise;
  assert.ok(error instanceof MillraceError);
  assert.equal(error.code, 'MR_HTTP_CLIENT_GONE');
});

test('a slow reader pauses the source of the response', async () => {
  const body = generatedBody(Buffer.alloc(65_536), 1_000);
  await using listener = await listen((_request, responder) => {
    responder.respond({ status: 200, headers: [] }, body);
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  let before = -1;
  while (before !== body.taken || body.taken === 0) {
    before = body.taken;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.ok(body.taken < 30_000_000, `${body.taken} bytes were taken`);
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > 65_536_000) socket.destroy();
  });
  socket.resume();
  await once(socket, 'close');
  assert.equal(body.taken, 65_536_000);
});

test('the request tells where it came from and where it arrived', async () => {
  const seen = Promise.withResolvers<HttpRequest>();
  await using listener = await listen((request, responder) => {
    seen.resolve(request);
    responder.respond({ status: 204, headers: [] }, null);
  });
  await rawExchange(listener.port, 'GET / HTTP/1.0\r\n\r\n');
  const request = await seen.promise;
  assert.equal(request.peer.address, '127.0.0.1');
  assert.ok(request.peer.port > 0);
  assert.deepEqual([request.scheme, request.localPort, request.version], ['http', listener.port, '1.0']);
});

test('a head that is never completed is answered with 408', async () => {
  await using listener = await listen(echo, { limits: { headersTimeout: 200 } });
  assert.equal(statusOf(await rawExchange(listener.port, 'GET / HTTP/1.1\r\nHos')), 408);
});

test('a connection without traffic is closed, even with a request under way', async () => {
  const gone = Promise.withResolvers<void>();
  await using listener = await listen((_request, responder) => responder.onGone(() => gone.resolve()), {
    limits: { idleTimeout: 200 },
  });
  assert.equal(await rawExchange(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), '');
  await gone.promise;
});

test('the Server field is what is configured, unless the response has one', async () => {
  await using listener = await listen(
    (request, responder) =>
      responder.respond({ status: 200, headers: request.target === '/own' ? ['Server', 'own'] : [] }, null),
    { serverHeader: 'configured', keepAlive: false },
  );
  const answer = await rawExchange(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.match(answer, /\r\nServer: configured\r\n/);
  assert.match(await rawExchange(listener.port, 'GET /own HTTP/1.1\r\nHost: a\r\n\r\n'), /\r\nServer: own\r\n/);
});

test('a port that is taken is reported with host and port', async () => {
  await using listener = await listen(echo);
  await assert.rejects(
    startHttpListener({ host: '127.0.0.1', port: listener.port }, echo),
    (error) =>
      error instanceof MillraceError &&
      error.code === 'MR_HTTP_LISTEN' &&
      error.message.includes(`127.0.0.1:${listener.port}`),
  );
});
