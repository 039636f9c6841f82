import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UpgradeHandler } from '#transport';
import { echo, listen, rawExchange } from './http-support.ts';

const request = 'GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\n';

const shouting: UpgradeHandler = ({ target }, protocol, take) => {
  if (protocol !== 'shout') return;
  const { socket, rest } = take();
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\n${target} `);
  const shout = (bytes: Uint8Array): void => void socket.write(Buffer.from(bytes).toString().toUpperCase());
  shout(rest);
  socket.on('data', shout);
};

test('a connection is handed over with what the client sent behind its request', async () => {
  await using listener = await listen(echo, { onUpgrade: shouting });
  const answer = await rawExchange(listener.port, `${request}hello`, 'HELLO');
  assert.match(answer, /^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\n\/chat HELLO$/);
});

test('a request for a protocol that nobody speaks is answered like any other', async () => {
  await using listener = await listen(echo, { onUpgrade: shouting });
  const other = request.replace('shout', 'h2c').replace('Connection: Upgrade', 'Connection: Upgrade, close');
  assert.match(await rawExchange(listener.port, other), /^HTTP\/1\.1 200 OK\r\n/);
});

test('a connection that was handed over does not hold the draining up', async () => {
  await using listener = await listen(echo, { onUpgrade: shouting });
  const answer = rawExchange(listener.port, request);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await listener.drain(100);
  assert.match(await answer, /^HTTP\/1\.1 101 /);
});
