import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { getHeader, readBody } from '#message';
import { createHttpSender, TransportError, type HttpSenderOptions, type OutgoingRequest } from '#transport';
import { echo, exchange, generatedBody, listen, originOf, respondedTo, unlimited } from './http-support.ts';

/** A TCP server that does with each connection what the test says; closed with all its connections. */
async function backEnd(onConnection: (socket: Socket, number: number) => void) {
  const sockets = new Set<Socket>();
  let count = 0;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onConnection(socket, count++);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function answers(text: string) {
  return (socket: Socket): void => {
    socket.on('data', () => socket.write(text));
  };
}

async function failure(request: Partial<OutgoingRequest> & { origin: string }, options: HttpSenderOptions = {}) {
  await using sender = createHttpSender(options);
  try {
    await exchange(sender, request);
  } catch (error) {
    assert.ok(error instanceof TransportError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'the exchange did not fail' });
}

test('a refused connection is 101503', async () => {
  const listener = await listen(echo);
  const origin = originOf(listener);
  await listener[Symbol.asyncDispose]();
  assert.equal((await failure({ origin })).code, 101_503);
});

test('a name that does not exist is 101503', async () => {
  assert.equal((await failure({ origin: 'http://does-not-exist.invalid' })).code, 101_503);
});

test('an origin that is no address is 101503', async () => {
  assert.equal((await failure({ origin: 'http://a b' })).baseCode, 101_503);
});

test('no reply within the idle timeout is 101507', async () => {
  await using silent = await backEnd((socket) => socket.resume());
  const error = await failure({ origin: silent.origin, idleTimeout: 100 });
  assert.equal(error.code, 101_507);
  assert.equal(error.message, 'Error in Sender');
  assert.equal(
    (await failure({ origin: silent.origin, method: 'POST', body: Buffer.from('x'), idleTimeout: 100 })).code,
    101_507,
  );
});

test('a connection closed while waiting for the reply is 101508', async () => {
  await using closing = await backEnd((socket) => socket.on('data', () => socket.end()));
  assert.equal((await failure({ origin: closing.origin })).code, 101_508);
  assert.equal(closing.connections, 1);
});

test('a connection reset while waiting for the reply is 101508', async () => {
  await using resetting = await backEnd((socket) => socket.on('data', () => socket.resetAndDestroy()));
  assert.equal((await failure({ origin: resetting.origin, method: 'POST', body: Buffer.from('x') })).code, 101_508);
});

for (const [name, response] of [
  ['no HTTP', 'hello\r\n\r\n'],
  ['both lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n'],
  ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy'],
  ['two equal lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx'],
  ['a coding that is not chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx'],
  ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n'],
  ['a folded field', 'HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 0\r\n\r\n'],
  ['a protocol that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['a flood of informational responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)],
  ['an endless head', `HTTP/1.1 200 OK\r\n${`X: ${'y'.repeat(1000)}\r\n`.repeat(200)}\r\n`],
] as const) {
  test(`F22: a response with ${name} is a protocol violation and ends the connection`, async () => {
    await using broken = await backEnd(answers(response));
    assert.equal((await failure({ origin: broken.origin })).baseCode, 101_506);
  });
}

for (const [status, request] of [
  [204, 'GET'],
  [304, 'GET'],
  [200, 'HEAD'],
] as const) {
  test(`F22: a body behind ${status} to ${request} is no part of any response`, async () => {
    await using talkative = await backEnd(answers(`HTTP/1.1 ${status} X\r\nContent-Length: 5\r\n\r\nhello`));
    await using sender = createHttpSender();
    for (let count = 1; count <= 2; count++) {
      const answer = await exchange(sender, { origin: talkative.origin, method: request });
      assert.deepEqual([answer.status, answer.body.length], [status, 0]);
      assert.equal(talkative.connections, count);
    }
  });
}

test('F22: chunks that are not valid fail the reader of the body with 101506', async () => {
  await using broken = await backEnd(
    answers('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0x1\r\ny\r\n0\r\n\r\n'),
  );
  assert.equal((await failure({ origin: broken.origin })).baseCode, 101_506);
});

test('an answer before the end of the request ends the connection, which serves nobody else', async () => {
  await using hasty = await backEnd((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno'));
  });
  await using sender = createHttpSender();
  for (let count = 1; count <= 2; count++) {
    const body = generatedBody(Buffer.alloc(65_536), 10_000);
    const answer = await exchange(sender, { origin: hasty.origin, method: 'POST', body });
    assert.deepEqual([answer.status, Buffer.from(answer.body).toString()], [403, 'no']);
    assert.equal(hasty.connections, count);
  }
});

test('F22: bytes after a response never reach the next exchange', async () => {
  const response = (text: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  await using doubled = await backEnd((socket, number) => {
    socket.on('data', () => socket.write(response(`right ${number}`) + response('smuggled')));
  });
  await using sender = createHttpSender();
  for (let index = 0; index < 3; index++) {
    const answer = await exchange(sender, { origin: doubled.origin });
    assert.match(Buffer.from(answer.body).toString(), /^right/);
  }
});

test('a response body that breaks off fails its reader with 101505 and the state of the body', async () => {
  await using broken = await backEnd((socket) => {
    socket.on('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
      setTimeout(() => socket.destroy(), 20);
    });
  });
  const error = await failure({ origin: broken.origin });
  assert.deepEqual([error.baseCode, error.code], [101_505, 101_510]);
});

test('a response body that stops for the idle timeout fails its reader with 101504 and the state of the body', async () => {
  await using stopping = await backEnd(answers('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'));
  assert.equal((await failure({ origin: stopping.origin, idleTimeout: 100 })).code, 101_509);
});

test('informational responses are passed over', async () => {
  await using hinting = await backEnd(
    answers('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 2\r\n\r\nok'),
  );
  await using sender = createHttpSender();
  const answer = await exchange(sender, { origin: hinting.origin });
  assert.deepEqual([answer.status, answer.reason, Buffer.from(answer.body).toString()], [201, 'Made', 'ok']);
});

test('a response that ends with the connection is read to its end', async () => {
  await using old = await backEnd((socket) => socket.on('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nall of it')));
  await using sender = createHttpSender();
  const { body } = await exchange(sender, { origin: old.origin });
  assert.equal(Buffer.from(body).toString(), 'all of it');
});

test('a kept connection that the back end has closed is replaced for a request that can be repeated', async () => {
  await using impatient = await backEnd((socket, number) => {
    let count = 0;
    socket.on('data', () => {
      count++;
      if (count === 2) socket.destroy();
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${number}`);
    });
  });
  await using sender = createHttpSender();
  const { origin } = impatient;
  assert.equal(Buffer.from((await exchange(sender, { origin })).body).toString(), '0');
  assert.equal(Buffer.from((await exchange(sender, { origin })).body).toString(), '1');
  await assert.rejects(exchange(sender, { origin, method: 'POST', body: Buffer.from('x') }), { code: 101_508 });
});

test('requests beyond connections and queue are 101504 at once, waiting ones after the idle timeout', async () => {
  await using silent = await backEnd((socket) => socket.resume());
  await using sender = createHttpSender({ connectionsPerOrigin: 1, queueLimit: 1, idleTimeout: 200 });
  const { origin } = silent;
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => exchange(sender, { origin })));
  const codes = outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as TransportError).code);
  assert.deepEqual(codes, [101_507, 101_504, 101_504]);
});

test('aborting ends the exchange with 101509, at any stage', async () => {
  await using silent = await backEnd((socket) => socket.resume());
  await using sender = createHttpSender({ connectionsPerOrigin: 1 });
  const request = { origin: silent.origin, method: 'GET', target: '/', headers: [], body: null };
  for (const delay of [0, 50]) {
    const outcome = Promise.withResolvers<TransportError>();
    const active = sender.send(request, { onResponse: () => assert.fail(), onError: outcome.resolve });
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    active.abort();
    active.abort();
    assert.equal((await outcome.promise).code, 101_509);
  }
});

test('an answer that comes before the request is complete is delivered, and the request body given up', async () => {
  await using listener = await listen((_request, responder) => {
    responder.respond({ status: 413, headers: [] }, Buffer.from('too large'));
  });
  await using sender = createHttpSender();
  const body = generatedBody(Buffer.alloc(65_536), 10_000);
  const answer = await exchange(sender, { origin: originOf(listener), method: 'POST', body });
  assert.deepEqual([answer.status, Buffer.from(answer.body).toString()], [413, 'too large']);
  assert.ok(body.taken < 655_360_000);
});

test('a request body that fails ends the exchange with 101509', async () => {
  await using listener = await listen(echo);
  const error = await failure({
    origin: originOf(listener),
    method: 'POST',
    body: {
      length: undefined,
      pipe(sink) {
        sink.write(Buffer.from('abc'));
        setTimeout(() => sink.fail(new TransportError({ baseCode: 101_000, state: 0, message: 'gone' })), 20);
      },
      resume: () => undefined,
      cancel: () => undefined,
    },
  });
  assert.equal(error.code, 101_509);
});

test('a reader that comes late gets the whole body', async () => {
  await using listener = await listen((_request, responder) => {
    responder.respond({ status: 200, headers: [] }, Buffer.alloc(1_000_000, 1));
  });
  await using sender = createHttpSender();
  const { body } = await respondedTo(sender, { origin: originOf(listener) });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(body);
  assert.equal((await readBody(body, unlimited)).length, 1_000_000);
});

test('a response body that is given up leaves the sender usable', async () => {
  await using listener = await listen((request, responder) => {
    responder.respond({ status: 200, headers: [] }, Buffer.alloc(request.target === '/long' ? 5_000_000 : 1_000));
  });
  await using sender = createHttpSender({ connectionsPerOrigin: 1 });
  for (const target of ['/long', '/short', '/long', '/short']) {
    const { body } = await respondedTo(sender, { origin: originOf(listener), target });
    body?.cancel();
  }
  assert.equal((await exchange(sender, { origin: originOf(listener) })).body.length, 1_000);
});

test('a given Host goes out, otherwise it is that of the origin', async () => {
  await using listener = await listen(echo);
  await using sender = createHttpSender();
  const origin = originOf(listener);
  const own = await exchange(sender, { origin });
  assert.equal(getHeader(own.headers, 'host'), `127.0.0.1:${listener.port}`);
  const given = await exchange(sender, { origin, headers: ['Host', 'example.test'] });
  assert.equal(getHeader(given.headers, 'host'), 'example.test');
});

test('a header field that cannot be sent is an error of the exchange', async () => {
  await using listener = await listen(echo);
  const error = await failure({ origin: originOf(listener), headers: ['X-A', 'b\r\nX-C: d'] });
  assert.equal(error.baseCode, 101_500);
});
