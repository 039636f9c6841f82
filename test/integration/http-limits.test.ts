import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { echo, listen, rawExchange, statusOf } from './http-support.ts';

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const post = 'POST / HTTP/1.1\r\nHost: a\r\n';

/** Writes a text and then one byte after the other until the connection closes; gives what came back. */
async function drip(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.on('error', () => socket.destroy());
  socket.write(text);
  const timer = setInterval(() => socket.writable && socket.write('x'), 20);
  await once(socket, 'close');
  clearInterval(timer);
  return received;
}

test('R1: a head that comes byte by byte is answered with 408, on a new and on a kept connection', async () => {
  await using listener = await listen(echo, { limits: { headersTimeout: 300 } });
  assert.equal(statusOf(await drip(listener.port, 'GET / HTTP/1.1\r\nX-A: ')), 408);
  assert.match(await drip(listener.port, `${request}GET / HTTP/1.1\r\nX-A: `), /^HTTP\/1\.1 200 [^]*HTTP\/1\.1 408 /);
});

test('R2: a connection on which nothing is said is closed without an answer', async () => {
  await using listener = await listen(echo, { limits: { headersTimeout: 200 } });
  assert.equal(await rawExchange(listener.port, ''), '');
});

test('R3: a body that comes too slowly is answered with 408 and fails for its reader', async () => {
  const outcome = Promise.withResolvers<string>();
  await using listener = await listen(
    ({ body }) => {
      body?.pipe({ write: () => true, end: () => outcome.resolve('end'), fail: () => outcome.resolve('fail') });
    },
    { limits: { bodyTimeout: 200, minBodyRate: 1_000 } },
  );
  assert.equal(statusOf(await drip(listener.port, `${post}Content-Length: 100000\r\n\r\n`)), 408);
  assert.equal(await outcome.promise, 'fail');
});

test('R3: a body that comes slowly but steadily enough is taken', async () => {
  await using listener = await listen(echo, { limits: { bodyTimeout: 1_000, minBodyRate: 1 } });
  const answer = await drip(listener.port, `${post}Content-Length: 120\r\nConnection: close\r\n\r\n`);
  assert.equal(statusOf(answer), 200);
});

test('R3: a body that this side does not read yet may take its time', async () => {
  await using listener = await listen(
    (incoming, responder) => {
      setTimeout(() => echo(incoming, responder), 500);
    },
    { limits: { bodyTimeout: 200 } },
  );
  const answer = await rawExchange(listener.port, `${post}Content-Length: 9\r\nConnection: close\r\n\r\nall of it`);
  assert.match(answer, /all of it$/);
});

test('R4: a kept connection is closed in silence when its time is over', async () => {
  await using listener = await listen(echo, { limits: { keepAliveTimeout: 200 } });
  assert.match(await rawExchange(listener.port, request), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
});

test('R5: connections beyond the limit are closed, and taken again when there is room', async () => {
  await using listener = await listen(echo, { limits: { maxConnections: 2 } });
  const first = await opened(listener.port);
  const second = await opened(listener.port);
  assert.equal(await rawExchange(listener.port, request), '');
  const closed = once(first, 'close');
  first.destroy();
  await closed;
  let answer = '';
  while (answer === '') answer = await rawExchange(listener.port, request, '\r\n\r\n');
  assert.equal(statusOf(answer), 200);
  second.destroy();
});

test('pipelined requests are answered in their order, however long each takes', async () => {
  await using listener = await listen((incoming, responder) => {
    setTimeout(() => echo(incoming, responder), incoming.target === '/1' ? 60 : 0);
  });
  const all = [1, 2, 3].map(
    (each) => `GET /${each} HTTP/1.1\r\nHost: a\r\n${each === 3 ? 'Connection: close\r\n' : ''}\r\n`,
  );
  const answer = await rawExchange(listener.port, all.join(''));
  assert.deepEqual(
    [...answer.matchAll(/X-Target: (\S+)/g)].map((match) => match[1]),
    ['/1', '/2', '/3'],
  );
});

test('a client of HTTP/1.0 keeps its connection where it asks for it', async () => {
  await using listener = await listen(echo);
  const old = 'GET / HTTP/1.0\r\n';
  const answer = await rawExchange(listener.port, `${old}Connection: keep-alive\r\n\r\n${old}\r\n`);
  assert.match(answer, /Connection: keep-alive\r\n[^]*HTTP\/1\.1 200 [^]*Connection: close\r\n/);
});

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  await once(socket, 'data');
  return socket;
}
