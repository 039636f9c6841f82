import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestHandler } from '#transport';
import { echo, listen, rawExchange } from './http-support.ts';

const request = 'GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\n';

const shouting: RequestHandler = (request, responder) => {
  const { target, upgrade } = request;
  const taken = upgrade?.protocol === 'shout' ? upgrade.take() : undefined;
  if (!taken) return echo(request, responder);
  const { socket, rest } = taken;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\n${target} `);
  const shout = (bytes: Uint8Array): void => void socket.write(Buffer.from(bytes).toString().toUpperCase());
  shout(rest);
  socket.on('data', shout).resume();
  assert.ok(responder.finished);
};

test('a connection is handed over with what the client sent behind its request', async () => {
  await using listener = await listen(shouting);
  const answer = await rawExchange(listener.port, `${request}hello`, 'HELLO');
  assert.match(answer, /^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\n\/chat HELLO$/);
});

test('a request for a protocol that nobody speaks is answered like any other', async () => {
  await using listener = await listen(shouting);
  const other = request.replace('shout', 'h2c').replace('Connection: Upgrade', 'Connection: Upgrade, close');
  assert.match(await rawExchange(listener.port, other), /^HTTP\/1\.1 200 OK\r\n/);
});

test('a connection that was handed over does not hold the draining up', async () => {
  const begun = Promise.withResolvers<void>();
  await using listener = await listen((each, responder) => {
    shouting(each, responder);
    begun.resolve();
  });
  const answer = rawExchange(listener.port, request);
  await begun.promise;
  await listener.drain(100);
  assert.match(await answer, /^HTTP\/1\.1 101 /);
});

test('a connection is handed over after a while, with what came meanwhile, but not once there was an answer', async () => {
  await using listener = await listen((request, responder) => {
    setTimeout(() => {
      if (request.target === '/answered') echo(request, responder);
      const taken = request.upgrade?.take();
      taken?.socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${Buffer.from(taken.rest).toString()}`);
    }, 50);
  });
  assert.match(await rawExchange(listener.port, `${request}hello`), /^HTTP\/1\.1 101 [^]*\r\n\r\nhello$/);
  const answered = request.replace('/chat', '/answered').replace('Connection: Upgrade', 'Connection: Upgrade, close');
  assert.match(await rawExchange(listener.port, answered), /^HTTP\/1\.1 200 OK\r\n/);
});

test('what is no plain request cannot be answered by another protocol', async () => {
  const offered: (string | undefined)[] = [];
  await using listener = await listen((each, responder) => {
    offered.push(each.upgrade?.protocol);
    echo(each, responder);
  });
  const close = 'Host: a\r\nUpgrade: shout\r\n';
  for (const lines of [
    `GET / HTTP/1.1\r\n${close}Connection: close\r\n\r\n`,
    `GET / HTTP/1.0\r\n${close}Connection: Upgrade\r\n\r\n`,
    `POST / HTTP/1.1\r\n${close}Connection: Upgrade, close\r\nContent-Length: 1\r\n\r\na`,
  ]) {
    const answer = await rawExchange(listener.port, lines);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.doesNotMatch(answer, /upgrade/i);
  }
  assert.deepEqual(offered, [undefined, undefined, undefined]);
});
