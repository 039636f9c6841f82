import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHttpSender } from '#transport';
import { httpVectors } from '../helpers/http-vectors.ts';
import { startRecorder } from '../helpers/recording-back-end.ts';
import { echo, listen, passThrough, rawExchange, statusOf } from './http-support.ts';

const host = 'Host: a\r\n';
const end = 'Connection: close\r\n\r\n';

const backEnd = await startRecorder();
const sender = createHttpSender();
const proxy = await listen(passThrough(sender, () => backEnd.origin));
after(async () => {
  await proxy[Symbol.asyncDispose]();
  await sender[Symbol.asyncDispose]();
  await backEnd[Symbol.asyncDispose]();
});

for (const { row, name, message, status } of httpVectors) {
  const reaches = status === 200 ? 'reaches the back end once' : `is answered with ${status} and goes no further`;
  test(`${row}: ${name} ${reaches}`, async () => {
    const seen = backEnd.recorded.length;
    const answer = await rawExchange(proxy.port, message);
    assert.equal(statusOf(answer), status, answer.slice(0, 200));
    assert.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1);
    assert.equal(backEnd.recorded.length - seen, status === 200 ? 1 : 0);
    assert.deepEqual(backEnd.broken, []);
    assert.match(answer, /\r\nconnection: close\r\n/i);
  });
}

test('F3: a length with leading zeros is counted as the number that it is', async () => {
  await using listener = await listen(echo);
  const answer = await rawExchange(listener.port, `POST / HTTP/1.1\r\n${host}Content-Length: 01\r\n${end}x`);
  assert.match(answer, /\r\nContent-Length: 1\r\n[^]*\r\n\r\nx$/);
});

for (const [name, chunks] of [
  ['a prefix', '0x1\r\nx\r\n0\r\n\r\n'],
  ['a sign', '+1\r\nx\r\n0\r\n\r\n'],
  ['17 digits', 'ffff0000000000001\r\nx\r\n0\r\n\r\n'],
  ['bare line feeds', '1\nx\n0\n\n'],
  ['a line break in an extension', '1;a\rb\r\nx\r\n0\r\n\r\n'],
  ['a long extension', `1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`],
  ['more data than declared', '1\r\nxyz\r\n0\r\n\r\n'],
] as const) {
  test(`F9: a chunk with ${name} fails the body for its reader and is answered with 400`, async () => {
    const outcome = Promise.withResolvers<string>();
    await using listener = await listen((request) => {
      assert.ok(request.body);
      request.body.pipe({ write: () => true, end: () => outcome.resolve('end'), fail: () => outcome.resolve('fail') });
    });
    const message = `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n${chunks}`;
    const answer = await rawExchange(listener.port, message);
    assert.equal(await outcome.promise, 'fail');
    assert.equal(statusOf(answer), 400, answer);
  });
}

test('F10: trailers are not merged into the header fields', async () => {
  await using listener = await listen((request, responder) => {
    assert.ok(request.body);
    request.body.pipe({
      write: () => true,
      end: () => responder.respond({ status: 200, headers: ['X-Fields', request.headers.join('|')] }, null),
      fail: () => undefined,
    });
  });
  const trailers = 'Authorization: Basic x\r\nHost: b\r\n';
  const answer = await rawExchange(
    listener.port,
    `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n${end}0\r\n${trailers}\r\n`,
  );
  assert.match(answer, /\r\nX-Fields: Host\|a\r\n/);
});

test('F13: the authority of an absolute target replaces the Host', async () => {
  await using listener = await listen(echo);
  const answer = await rawExchange(listener.port, `GET http://b:81?x=1 HTTP/1.1\r\n${host}${end}`);
  assert.match(answer, /\r\nX-Target: \/\?x=1\r\n/);
  assert.match(answer, /\r\nHost: b:81\r\n/);
});

test('F15: a body on GET is framed exactly, the pipelined request after it is answered too', async () => {
  await using listener = await listen(echo);
  const message = `GET /1 HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nGETGET /2 HTTP/1.1\r\n${host}${end}`;
  const answer = await rawExchange(listener.port, message);
  assert.deepEqual(
    [...answer.matchAll(/X-Target: (\S+)/g)].map((match) => match[1]),
    ['/1', '/2'],
  );
});

test('F17: fields of one hop and those named in Connection go no further, protected ones stay', async () => {
  await using listener = await listen((request, responder) => {
    responder.respond({ status: 200, headers: ['X-Fields', request.headers.join('|')] }, null);
  });
  const fields = [
    'Keep-Alive: 5',
    'Proxy-Connection: x',
    'Proxy-Authorization: x',
    'TE: trailers',
    'Trailer: x',
    'Upgrade: h2c',
    'HTTP2-Settings: AA',
    'X-Hop: 1',
    'Authorization: Bearer t',
    'Connection: X-Hop, http2-settings, Authorization, close',
  ];
  const answer = await rawExchange(listener.port, `GET / HTTP/1.1\r\n${host}${fields.join('\r\n')}\r\n\r\n`);
  assert.match(answer, /\r\nX-Fields: Host\|a\|Authorization\|Bearer t\r\n/);
});
