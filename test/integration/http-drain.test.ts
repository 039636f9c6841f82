import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { HttpListener, HttpResponder } from '#transport';
import { echo, listen, rawExchange } from './http-support.ts';

const request = 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';

/**
 * Sends requests on one connection, each after the answer to the one before, until the server closes.
 *
 * @param begun is called at the first answer
 */
async function hammer({ port }: HttpListener, begun: () => void): Promise<{ answered: number; unanswered: number }> {
  const socket = connect(port, '127.0.0.1');
  let answered = 0;
  let isWaiting = false;
  let isLast = false;
  let received = '';
  const send = (): void => {
    isWaiting = true;
    received = '';
    socket.write(request);
  };
  socket.on('connect', send);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
    if (!received.endsWith('\r\n\r\nabc')) return;
    isWaiting = false;
    if (answered++ === 0) begun();
    isLast = /\r\nConnection: close\r\n/i.test(received);
    // The pause puts requests on the wire at every moment of the draining.
    if (!isLast) setTimeout(send, answered % 3);
  });
  await once(socket, 'close');
  return { answered, unanswered: isWaiting ? 1 : 0 };
}

/** A connection that the system had accepted before the listener closed is reset, which is a refusal as well. */
function refusalOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNRESET') return '';
  throw error;
}

test('draining under load answers every request of 64 connections and refuses new connections', async () => {
  await using listener = await listen((incoming, responder) => {
    setTimeout(() => echo(incoming, responder), 5);
  });
  const begun = Array.from({ length: 64 }, () => Promise.withResolvers<void>());
  const clients = begun.map(({ resolve }) => hammer(listener, resolve));
  await Promise.all(begun.map(({ promise }) => promise));
  await wait(100);
  const drained = listener.drain(60_000);
  await wait(5);
  assert.equal(await rawExchange(listener.port, request).catch(refusalOf), '');
  await drained;
  const results = await Promise.all(clients);
  assert.equal(
    results.reduce((sum, { unanswered }) => sum + unanswered, 0),
    0,
  );
  assert.ok(results.every(({ answered }) => answered > 0));
});

test('an idle connection does not hold the draining up', async () => {
  await using listener = await listen(echo);
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(request);
  await once(socket, 'data');
  const closed = once(socket.resume(), 'close');
  await listener.drain(60_000);
  await closed;
});

test('what is still in flight when the time is over is cut off', async () => {
  const responders: HttpResponder[] = [];
  const gone = Promise.withResolvers<void>();
  await using listener = await listen((_incoming, responder) => {
    responders.push(responder);
    responder.onGone(() => gone.resolve());
  });
  const answer = rawExchange(listener.port, request);
  while (responders.length === 0) await wait(5);
  await listener.drain(100);
  assert.equal(await answer, '');
  await gone.promise;
});

test('an answer during the draining says that the connection closes', async () => {
  const responders: HttpResponder[] = [];
  await using listener = await listen((_incoming, responder) => {
    responders.push(responder);
  });
  const answer = rawExchange(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  while (responders.length === 0) await wait(5);
  const drained = listener.drain(60_000);
  responders[0]?.respond({ status: 200, headers: [] }, Buffer.from('last'));
  assert.match(await answer, /\r\nConnection: close\r\n[^]*last$/);
  await drained;
});
