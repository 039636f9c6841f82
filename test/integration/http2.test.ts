import assert from 'node:assert/strict';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { createSelfSigned } from '#keystore';
import type { HttpListenerOptions, RequestHandler } from '#transport';
import { echo, listen, originOf } from './http-support.ts';

const run = promisify(execFile);
const pair = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
const tls = { key: pair.privateKeyPem, cert: pair.certificatePem };

/** A listener on TLS and a client that speaks HTTP/2 with it. */
async function start(t: TestContext, handler: RequestHandler, options: Partial<HttpListenerOptions> = {}) {
  const listener = await listen(handler, { tls, ...options });
  const client = connect(originOf(listener, 'localhost'), { rejectUnauthorized: false });
  client.on('error', () => undefined);
  t.after(async () => {
    client.destroy();
    await listener[Symbol.asyncDispose]();
  });
  await once(client, 'connect');
  return { listener, client };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends one request; the answer, or the code with which the stream ended. */
function ask(client: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string | Uint8Array): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = client.request(headers, { endStream: body === undefined });
    let answered: Record<string, unknown> = {};
    let text = '';
    stream.setEncoding('latin1');
    stream.on('response', (fields) => (answered = fields));
    stream.on('data', (chunk: string) => (text += chunk));
    stream.on('error', reject);
    stream.on('close', () => resolve({ status: Number(answered[':status'] ?? 0), headers: answered, body: text }));
    if (body !== undefined) stream.end(body);
  });
}

test('requests side by side reach the handler as over HTTP/1.1', async (t) => {
  const { client } = await start(t, (request, responder) => {
    const { method, target, version, scheme, headers } = request;
    responder.respond(
      { status: 200, headers: ['X-Seen', `${method} ${target} ${version} ${scheme}`, 'X-Fields', headers.join('|')] },
      request.body,
    );
  });
  const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`.repeat(index * 100));
  const answers = await Promise.all(
    texts.map((text, index) =>
      ask(client, { ':method': 'POST', ':path': `/a%2Fb?i=${index}`, cookie: ['a=1', 'b=2'] }, text),
    ),
  );
  for (const [index, { status, headers, body }] of answers.entries()) {
    assert.equal(status, 200);
    assert.equal(body, texts[index]);
    assert.equal(headers['x-seen'], `POST /a%2Fb?i=${index} 2 https`);
    assert.match(String(headers['x-fields']), /^host\|localhost:\d+\|.*cookie\|a=1; b=2/);
  }
});

test('a client that offers HTTP/1.1 alone is served with it on the same port', async (t) => {
  const { listener } = await start(t, echo);
  const socket: TLSSocket = connectTls({ port: listener.port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  assert.equal(socket.alpnProtocol, 'http/1.1');
  socket.write('GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*X-Target: \/x/);
});

const refusals: readonly (readonly [name: string, headers: OutgoingHttpHeaders, status: number])[] = [
  ['a dot segment', { ':path': '/a/../b' }, 400],
  ['a NUL in the path', { ':path': '/a%00' }, 400],
  ['a fragment', { ':path': '/a#b' }, 400],
  ['a target that is no path', { ':path': 'http://other/a' }, 400],
  ['TRACE', { ':method': 'TRACE', ':path': '/' }, 405],
  ['an unknown method', { ':method': 'BREW', ':path': '/' }, 501],
  ['an authority with a user', { ':authority': 'user@host', ':path': '/' }, 400],
  ['an authority besides another Host', { ':authority': 'one', host: 'two', ':path': '/' }, 400],
  ['an unknown expectation', { expect: 'more', ':path': '/' }, 417],
  ['a long target', { ':path': `/${'a'.repeat(9_000)}` }, 414],
];

test('an answer without a body reaches a client whose request body nobody read', async (t) => {
  const { client } = await start(t, (request, responder) => {
    const status = Number(request.target.slice(1));
    // Some are answered at once, some a while later.
    if (status % 2 === 0) responder.respond({ status, headers: [] }, null);
    else setTimeout(() => responder.respond({ status, headers: [] }, null), 5);
  });
  const large = Buffer.alloc(1_000_000, 'x');
  for (const status of [404, 401, 403, 405, 204]) {
    for (const body of ['x', large]) {
      const answer = await ask(client, { ':method': 'POST', ':path': `/${status}` }, body);
      assert.equal(answer.status, status);
      assert.equal(answer.body, '');
    }
  }
  // As many at once as there may be, one after the other: none is sent away.
  const many = Array.from({ length: 400 }, () =>
    ask(client, { ':method': 'POST', ':path': '/404' }, 'x'.repeat(5_000)),
  );
  for (const { status } of await Promise.all(many)) assert.equal(status, 404);
});

test('what HTTP/1.1 refuses is refused', async (t) => {
  let handled = 0;
  const { client } = await start(t, (request, responder) => {
    handled++;
    echo(request, responder);
  });
  for (const [name, headers, status] of refusals) {
    // Some are refused by the library below, which resets the stream.
    const outcome = await ask(client, headers).then(
      ({ status: given }) => given,
      () => 'reset',
    );
    assert.ok(outcome === status || outcome === 'reset', `${name}: ${outcome}`);
  }
  assert.equal(handled, 0);
  assert.equal((await ask(client, { ':path': '/' })).status, 200);
});

test('too many fields and too large ones are not taken', async (t) => {
  const { client } = await start(t, echo, { limits: { maxHeaders: 20, maxHeaderBytes: 1_000 } });
  const many = Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`x-${index}`, '1']));
  assert.equal((await ask(client, { ':path': '/', ...many })).status, 431);
  const large = ask(client, { ':path': '/', 'x-large': 'a'.repeat(3_000) });
  // Beyond the announced size the library below refuses by itself.
  assert.ok(
    await large.then(
      ({ status }) => status === 431 || status === 0,
      () => true,
    ),
  );
});

test('a body flows at the pace of its reader, and a slow reader does not fill the memory', async (t) => {
  const size = 32 * 1024 * 1024;
  const { client } = await start(t, echo);
  const stream = client.request({ ':method': 'POST', ':path': '/' });
  const piece = Buffer.alloc(65_536, 1);
  let sent = 0;
  const send = (): void => {
    while (sent < size) {
      sent += piece.length;
      if (!stream.write(piece)) {
        stream.once('drain', send);
        return;
      }
    }
    stream.end();
  };
  send();
  // Nothing is read: windows and buffers fill, then the sender waits.
  let before = -1;
  while (before !== sent) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.ok(sent < size / 4, `${sent} bytes went into a pipe that nobody reads`);
  let received = 0;
  for await (const chunk of stream) received += (chunk as Buffer).length;
  assert.equal(received, size);
});

test('an answer that breaks off does not look complete; a client that leaves is noticed', async (t) => {
  const begun = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const { client } = await start(t, (request, responder) => {
    if (request.target === '/wait') {
      begun.resolve();
      return responder.onGone(() => gone.resolve());
    }
    responder.respond(
      { status: 200, headers: [] },
      {
        length: 10,
        pipe(sink) {
          sink.write(Buffer.from('half'));
          sink.fail(new Error('broken'));
        },
        resume: () => undefined,
        cancel: () => undefined,
      },
    );
  });
  await assert.rejects(ask(client, { ':path': '/' }), /NGHTTP2_INTERNAL_ERROR/);
  const stream = client.request({ ':path': '/wait' });
  stream.on('error', () => undefined);
  await begun.promise;
  stream.close(constants.NGHTTP2_CANCEL);
  await gone.promise;
});

test('a header value that would split the answer is not written', async (t) => {
  const { client } = await start(t, (_request, responder) => {
    assert.throws(() => responder.respond({ status: 200, headers: ['X-A', 'a\r\nb: c'] }, null), {
      code: 'MR_HTTP_INVALID_RESPONSE',
    });
    responder.respond({ status: 500, headers: [] }, null);
  });
  assert.equal((await ask(client, { ':path': '/' })).status, 500);
});

test('a client that gives up request after request is sent away', async (t) => {
  const { client } = await start(t, () => undefined);
  const away = once(client, 'goaway');
  for (let count = 0; count < 400 && !client.closed && !client.destroyed; count++) {
    const stream = client.request({ ':path': '/' });
    stream.on('error', () => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const [code] = (await away) as [number];
  assert.ok([constants.NGHTTP2_ENHANCE_YOUR_CALM, constants.NGHTTP2_INTERNAL_ERROR].includes(code), String(code));
});

/** A frame of HTTP/2 (RFC 9113, 4.1). */
function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Resolves when the socket takes more. */
function drained(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => socket.once('drain', () => resolve()));
}

const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]);
/** `:method: GET`, `:scheme: https`, `:path: /` and `:authority: a` by their places in the static table. */
const request = Buffer.from([0x82, 0x87, 0x84, 0x41, 0x01, 0x61]);

const floods: readonly (readonly [name: string, frames: (index: number) => Buffer, first?: Buffer])[] = [
  ['PING', () => frame(6, 0, 0, Buffer.alloc(8))],
  ['SETTINGS', () => frame(4, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100]))],
  ['CONTINUATION', () => frame(9, 0, 1, Buffer.from([0, 1, 0x61, 1, 0x62])), frame(1, 0, 1, request)],
  ['empty DATA', () => frame(0, 0, 1), frame(1, 4, 1, request)],
  [
    'reset',
    (index) =>
      Buffer.concat([frame(1, 5, index * 2 + 1, request), frame(3, 0, index * 2 + 1, Buffer.from([0, 0, 0, 8]))]),
  ],
  [
    'HPACK table',
    () => frame(9, 0, 1, Buffer.alloc(4_000, 0xbe)),
    frame(1, 0, 1, Buffer.concat([request, Buffer.from([0x40, 1, 0x61, 0x7f, 0x81, 0x1e]), Buffer.alloc(4_000, 0x61)])),
  ],
];

for (const [name, frames, first] of floods) {
  test(`a flood of ${name} frames ends the connection, and the listener goes on`, async (t) => {
    const { listener, client } = await start(t, () => undefined, { limits: { headersTimeout: 2_000 } });
    const socket = connectTls({ port: listener.port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    let isClosed = false;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    void closed.then(() => (isClosed = true));
    // The flood does not read: what would be answered to it has to be bounded, too.
    socket.pause();
    socket.write(Buffer.concat([preface, first ?? Buffer.alloc(0)]));
    for (let index = 0; index < 400_000 && !isClosed; index += 500) {
      const many = Buffer.concat(Array.from({ length: 500 }, (_, count) => frames(index + count)));
      if (!socket.write(many)) await Promise.race([drained(socket), closed]);
    }
    socket.resume();
    await closed;
    assert.equal(client.closed, false);
  });
}

test('draining finishes what is under way and takes nothing new', async (t) => {
  const begun = Promise.withResolvers<void>();
  const { listener, client } = await start(t, (_request, responder) => {
    begun.resolve();
    setTimeout(() => responder.respond({ status: 200, headers: [] }, Buffer.from('late')), 300);
  });
  const answer = ask(client, { ':path': '/' });
  await begun.promise;
  const drained = listener.drain(5_000);
  assert.equal((await answer).body, 'late');
  await drained;
});

const h2load = await run('h2load', ['--version']).then(
  () => true,
  () => false,
);

test(
  'h2load counts no failed request',
  { skip: h2load ? false : 'needs the Debian package nghttp2-client' },
  async (t) => {
    const { listener } = await start(t, echo);
    const { stdout } = await run('h2load', ['-n', '5000', '-c', '8', '-m', '50', originOf(listener, 'localhost')]);
    assert.match(stdout, /5000 succeeded, 0 failed, 0 errored/);
    assert.match(stdout, /Application protocol: h2/);
  },
);
