import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createHttpSender, startHttpListener, type HttpListener } from '#transport';
import { startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { echo, listen, rawExchange } from './http-support.ts';

/** A back end that answers each connection with the same bytes and keeps what it got. */
async function rawBackEnd(answer: string): Promise<AsyncDisposable & { readonly origin: string; received: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      backEnd.received += text;
      if (/\r\n0\r\n(?:.+\r\n)*\r\n$|\r\n\r\n$/.test(backEnd.received)) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const backEnd = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: '',
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return backEnd;
}

const chunked =
  'HTTP/1.1 200 OK\r\nTrailer: X-Sum, Content-Length\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n';

/** A listener that passes requests on as mediation does, with what a client said of trailers. */
async function passing(origin: string): Promise<{ listener: HttpListener; close: () => Promise<void> }> {
  const sender = createHttpSender();
  const listener = await startHttpListener({ host: '127.0.0.1', port: 0 }, (request, responder) => {
    const { method, target, headers, body, acceptsTrailers } = request;
    sender.send(
      { origin, method, target, headers, body, acceptsTrailers },
      {
        onResponse: (response) => responder.respond(response, response.body),
        onError: (error) => responder.respond({ status: 502, headers: ['X-Code', String(error.code)] }, null),
      },
    );
  });
  const close = async (): Promise<void> => {
    await listener[Symbol.asyncDispose]();
    await sender[Symbol.asyncDispose]();
  };
  return { listener, close };
}

const get = 'GET / HTTP/1.1\r\nHost: a\r\n';

test('fields behind the body of an answer go to a client that takes them', async (t) => {
  await using backEnd = await rawBackEnd(`${chunked}X-Sum: 7\r\nContent-Length: 99\r\nSet-Cookie: a=b\r\n\r\n`);
  const { listener, close } = await passing(backEnd.origin);
  t.after(close);
  const answer = await rawExchange(listener.port, `${get}TE: trailers\r\nConnection: TE, close\r\n\r\n`);
  assert.match(answer, /\r\nTrailer: X-Sum\r\n/);
  assert.match(answer, /3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n$/);
  assert.match(backEnd.received, /\r\nTE: trailers\r\nConnection: TE\r\n/);
});

test('another client gets the body alone', async (t) => {
  await using backEnd = await rawBackEnd(`${chunked}X-Sum: 7\r\n\r\n`);
  const { listener, close } = await passing(backEnd.origin);
  t.after(close);
  const answer = await rawExchange(listener.port, `${get}Connection: close\r\n\r\n`);
  assert.match(answer, /3\r\nabc\r\n0\r\n\r\n$/);
  assert.doesNotMatch(answer, /X-Sum/);
  assert.doesNotMatch(backEnd.received, /^TE:/m);
});

test('fields behind the body of a request go to the back end, without those that may not stand there', async (t) => {
  await using backEnd = await rawBackEnd('HTTP/1.1 204 No Content\r\n\r\n');
  const { listener, close } = await passing(backEnd.origin);
  t.after(close);
  const forbidden = ['Authorization: x', 'Host: evil', 'Transfer-Encoding: chunked', 'X-Forwarded-For: 1.2.3.4'];
  const head =
    'POST / HTTP/1.1\r\nHost: a\r\nTrailer: X-Sum, Host\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  const answer = await rawExchange(
    listener.port,
    `${head}3\r\nabc\r\n0\r\nX-Sum: 7\r\n${forbidden.join('\r\n')}\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 204 /);
  assert.match(backEnd.received, /\r\nTrailer: X-Sum\r\n/);
  assert.match(backEnd.received, /0\r\nX-Sum: 7\r\n\r\n$/);
});

test('too large a trailer ends the exchange', async (t) => {
  const large = `X-Large: ${'a'.repeat(20_000)}\r\n`;
  await using backEnd = await rawBackEnd(`${chunked}${large}\r\n`);
  const { listener, close } = await passing(backEnd.origin);
  t.after(close);
  const answer = await rawExchange(listener.port, `${get}TE: trailers\r\nConnection: TE, close\r\n\r\n`);
  assert.doesNotMatch(answer, /0\r\n\r\n$/);
  await using echoing = await listen(echo);
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const broken = await rawExchange(echoing.port, `${head}3\r\nabc\r\n0\r\n${large}\r\n`);
  assert.doesNotMatch(broken, /0\r\n\r\n$/);
});

const namespace = 'xmlns="http://ws.apache.org/ns/synapse"';

/** A server whose flow reads request and answer, and changes the answer if `changes` says how. */
function reading(origin: string, changes = ''): Promise<TemporaryServer> {
  const reads = `<property name="a" expression="json-eval($.a)"/>`;
  return startTemporaryServer({
    'artifacts/api/read.xml': `<api ${namespace} name="Read" context="/read"><resource methods="GET POST"><inSequence>
      ${reads}<call><endpoint><address uri="${origin}"/></endpoint></call>${reads}${changes}<respond/>
    </inSequence></resource></api>`,
  });
}

const jsonAnswer =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\nX-Sum: 7\r\n\r\n';
const jsonRequest =
  'POST /read HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: X-Asked\r\n';
const jsonBody = '\r\n7\r\n{"a":2}\r\n0\r\nX-Asked: 8\r\n\r\n';
const takesTrailers = 'TE: trailers\r\nConnection: TE, close\r\n';

test('fields behind bodies that a flow reads and does not change go on, both ways', async () => {
  await using backEnd = await rawBackEnd(jsonAnswer);
  await using server = await reading(backEnd.origin);
  const { port } = new URL(server.url('API HTTP'));
  const answer = await rawExchange(Number(port), `${jsonRequest}${takesTrailers}${jsonBody}`);
  assert.match(backEnd.received, /\r\nTrailer: X-Asked\r\n/);
  assert.match(backEnd.received, /7\r\n\{"a":2\}\r\n0\r\nX-Asked: 8\r\n\r\n$/);
  assert.match(answer, /\r\nTrailer: X-Sum\r\n/);
  assert.match(answer, /7\r\n\{"a":1\}\r\n0\r\nX-Sum: 7\r\n\r\n$/);
});

test('a body that is read for a client without trailers goes out with its length', async () => {
  await using backEnd = await rawBackEnd(jsonAnswer);
  await using server = await reading(backEnd.origin);
  const { port } = new URL(server.url('API HTTP'));
  const answer = await rawExchange(Number(port), `${jsonRequest}Connection: close\r\n${jsonBody}`);
  assert.match(answer, /\r\nContent-Length: 7\r\n/);
  assert.match(answer, /\r\n\r\n\{"a":1\}$/);
});

test('fields behind a body that the flow replaces are not those of the new one', async () => {
  await using backEnd = await rawBackEnd(jsonAnswer);
  const changes = '<payloadFactory media-type="json"><format>{"b":1}</format><args/></payloadFactory>';
  await using server = await reading(backEnd.origin, changes);
  const { port } = new URL(server.url('API HTTP'));
  const answer = await rawExchange(Number(port), `${jsonRequest}${takesTrailers}${jsonBody}`);
  assert.match(answer, /\{"b":1\}/);
  assert.doesNotMatch(answer, /X-Sum/);
});
