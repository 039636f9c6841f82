import assert from 'node:assert/strict';
import { test } from 'node:test';
import { echo, listen, rawExchange, statusOf } from './http-support.ts';

const host = 'Host: a\r\n';
const end = 'Connection: close\r\n\r\n';

/** Row of http-safety.md, what is special, the raw message, the expected status. */
const rows: readonly (readonly [row: string, name: string, message: string, status: number])[] = [
  [
    'F1',
    'both lengths',
    `POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['F2', 'two equal lengths', `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`, 400],
  ['F2', 'a list of lengths', `POST / HTTP/1.1\r\n${host}Content-Length: 1, 1\r\n\r\nx`, 400],
  ['F3', 'a signed length', `POST / HTTP/1.1\r\n${host}Content-Length: +1\r\n\r\nx`, 400],
  ['F3', 'a hexadecimal length', `POST / HTTP/1.1\r\n${host}Content-Length: 0x1\r\n\r\nx`, 400],
  ['F3', 'an empty length', `POST / HTTP/1.1\r\n${host}Content-Length: \r\n\r\n`, 400],
  ['F3', 'a length of 30 digits', `POST / HTTP/1.1\r\n${host}Content-Length: ${'9'.repeat(30)}\r\n\r\n`, 400],
  ['F3', 'a length beyond 2^53', `POST / HTTP/1.1\r\n${host}Content-Length: 9007199254740993\r\n\r\n`, 400],
  ['F4', 'a blank before the colon', `POST / HTTP/1.1\r\n${host}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, 400],
  ['F4', 'an unknown coding', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, 400],
  ['F4', 'chunked not last', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
  ['F4', 'identity', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n`, 400],
  ['F4', 'a coding before chunked', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 400],
  [
    'F5',
    'chunked twice',
    `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['F5', 'chunked, chunked', `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, 400],
  ['F6', 'chunked in HTTP/1.0', `POST / HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['F7', 'a folded field', `GET / HTTP/1.1\r\n${host}X-A: b\r\n c\r\n${end}`, 400],
  ['F7', 'a blank before the first field', `GET / HTTP/1.1\r\n ${host}${end}`, 400],
  ['F7', 'a field without colon', `GET / HTTP/1.1\r\n${host}abc\r\n${end}`, 400],
  ['F7', 'an empty field name', `GET / HTTP/1.1\r\n${host}: x\r\n${end}`, 400],
  ['F7', 'a field name with brackets', `GET / HTTP/1.1\r\n${host}X(A): x\r\n${end}`, 400],
  ['F8', 'bare line feeds', `GET / HTTP/1.1\n${host}\n`, 400],
  ['F8', 'a bare carriage return', `GET / HTTP/1.1\r\n${host}X-A: b\rc\r\n${end}`, 400],
  ['F8', 'NUL in a value', `GET / HTTP/1.1\r\n${host}X-A: b\0c\r\n${end}`, 400],
  ['F11', 'no Host', `GET / HTTP/1.1\r\n${end}`, 400],
  ['F12', 'two Hosts', `GET / HTTP/1.1\r\n${host}Host: b\r\n${end}`, 400],
  ['F12', 'a list of Hosts', `GET / HTTP/1.1\r\nHost: a, b\r\n${end}`, 400],
  ['F12', 'Host with a path', `GET / HTTP/1.1\r\nHost: a/../b\r\n${end}`, 400],
  ['F12', 'Host with a user', `GET / HTTP/1.1\r\nHost: u@a\r\n${end}`, 400],
  ['F12', 'Host with a blank', `GET / HTTP/1.1\r\nHost: a b\r\n${end}`, 400],
  ['F12', 'Host with address and port', `GET / HTTP/1.1\r\nHost: [::1]:8280\r\n${end}`, 200],
  ['F13', 'absolute target with a user', `GET http://u@b/ HTTP/1.1\r\n${host}${end}`, 400],
  ['F14', 'HTTP/1.2', `GET / HTTP/1.2\r\n${host}${end}`, 400],
  ['F14', 'HTTP/9.9', `GET / HTTP/9.9\r\n${host}${end}`, 400],
  ['F14', 'HTTP/1.1x', `GET / HTTP/1.1x\r\n${host}${end}`, 400],
  [
    'F18',
    'h2c',
    `GET / HTTP/1.1\r\n${host}Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nConnection: Upgrade, HTTP2-Settings, close\r\n\r\n`,
    200,
  ],
  ['F19', 'an unknown expectation', `POST / HTTP/1.1\r\n${host}Expect: foo\r\nContent-Length: 0\r\n\r\n`, 417],
  ['F20', '1001 fields', `GET / HTTP/1.1\r\n${host}${'a:b\r\n'.repeat(1000)}${end}`, 431],
  ['F21', 'fields of more than 16 KiB', `GET / HTTP/1.1\r\n${host}X-A: ${'a'.repeat(20_000)}\r\n${end}`, 431],
  ['F21', 'fields of more than 64 KiB', `GET / HTTP/1.1\r\n${host}X-A: ${'a'.repeat(70_000)}\r\n${end}`, 431],
  ['F21', 'a target of more than 8 KiB', `GET /${'a'.repeat(9_000)} HTTP/1.1\r\n${host}${end}`, 414],
  ['F21', 'a target of more than 64 KiB', `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n${host}${end}`, 414],
  ['F24', '/../', `GET /x/../../etc HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '/..', `GET /x/.. HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '/./', `GET /x/./y HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '/%2e%2E/', `GET /x/%2e%2E/y HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '/.%2e', `GET /x/.%2e?a HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '/..;x/', `GET /x/..;x/y HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '..%2f', `GET /x/..%2fy HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '%5c..', `GET /x%5c..%5cy HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '%c0%ae', `GET /x/%c0%ae%c0%ae/y HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', '%00', `GET /x%00 HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', 'a fragment', `GET /x#f HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', 'a backslash', `GET /x\\y HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', 'a byte outside ASCII', `GET /caf\u00e9 HTTP/1.1\r\n${host}${end}`, 400],
  ['F24', 'dots in names, %2f, // and ;', `GET /.well-known/a..b/%2f//c;d=1/...?x=../y HTTP/1.1\r\n${host}${end}`, 200],
  ['F25', 'TRACE', `TRACE / HTTP/1.1\r\n${host}${end}`, 405],
  ['F25', 'CONNECT', `CONNECT a:80 HTTP/1.1\r\n${host}\r\n`, 405],
  ['F25', 'a method in lower case', `get / HTTP/1.1\r\n${host}${end}`, 501],
  ['F25', 'an unknown method', `FROB / HTTP/1.1\r\n${host}${end}`, 501],
  ['F25', 'a method of WebDAV', `PROPFIND / HTTP/1.1\r\n${host}${end}`, 501],
  ['F25', 'no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc', 400],
];

for (const [row, name, message, status] of rows) {
  test(`${row}: ${name} is answered with ${status}`, async () => {
    let calls = 0;
    await using listener = await listen((request, responder) => {
      calls++;
      echo(request, responder);
    });
    const answer = await rawExchange(listener.port, message);
    assert.equal(statusOf(answer), status, answer.slice(0, 200));
    assert.equal(calls, status === 200 ? 1 : 0);
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
