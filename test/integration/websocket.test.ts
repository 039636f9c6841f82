import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readBody } from '#message';
import { listen, originOf, rawExchange, statusOf } from './http-support.ts';
import { openSocketClient, startSocketBackEnd } from '../helpers/socket-back-end.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { until } from '../helpers/until.ts';

const enabled = `${freePorts}[transport.ws]\nsender.enable = true\n`;

/** An API at `/chat` whose flow goes to a WebSocket. */
function chatTo(url: string, before = ''): Record<string, string> {
  return {
    'artifacts/api/chat.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="Chat" context="/chat">
  <resource methods="GET" uri-template="/*">
    <inSequence>${before}<send><endpoint><address uri="${url}"/></endpoint></send></inSequence>
    <faultSequence>
      <payloadFactory media-type="text"><format>fault $1</format><args><arg expression="get-property('ERROR_CODE')"/></args></payloadFactory>
      <property name="HTTP_SC" value="502" scope="axis2"/>
      <respond/>
    </faultSequence>
  </resource>
</api>`,
  };
}

function socketUrl(server: TemporaryServer, path = '/chat/room?x=1'): string {
  return server.url('API HTTP').replace('http', 'ws') + path;
}

/** How connections to a back end have ended, once one has. */
async function closesOf({ closes }: { readonly closes: readonly string[] }): Promise<readonly string[]> {
  await until('a connection ends', () => closes.length > 0);
  return closes;
}

const portOf = (server: TemporaryServer): number => Number(new URL(server.url('API HTTP')).port);

test('a client is joined with the back end of the flow, both ways, with what it asked for', async () => {
  await using backEnd = await startSocketBackEnd({ protocol: 'two' });
  const before = '<property name="X-Added" value="by the flow" scope="transport"/>';
  await using server = await startTemporaryServer(chatTo(`${backEnd.url}/base`, before), enabled);
  const { socket, next } = await openSocketClient(socketUrl(server), {
    protocols: ['one', 'two'],
    headers: { Authorization: 'Bearer t' },
  });
  assert.equal(socket.protocol, 'two');
  socket.send('hello');
  assert.equal(await next(), 'text hello');
  socket.send(Buffer.from([1, 2, 255]));
  assert.equal(await next(), 'binary \u0001\u0002ÿ');
  for (let index = 0; index < 500; index++) socket.send(`number ${index}`);
  for (let index = 0; index < 500; index++) assert.equal(await next(), `text number ${index}`);
  const { target, headers } = backEnd.handshakes[0] ?? { target: '', headers: {} };
  assert.equal(target, '/base/room?x=1');
  assert.equal(headers['sec-websocket-protocol'], 'one,two');
  assert.equal(headers.authorization, 'Bearer t');
  assert.equal(headers['x-added'], 'by the flow');
  assert.equal(headers['sec-websocket-extensions'], undefined);
  socket.close(4001, 'enough');
  assert.equal(await next(), 'closed 4001 enough');
  assert.deepEqual(await closesOf(backEnd), ['4001 enough']);
});

test('the end that the back end says reaches the client, and one that it does not say is told', async () => {
  await using backEnd = await startSocketBackEnd({
    serve(socket) {
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        if (text === 'break') socket.terminate();
        else if (text === 'plain') socket.close();
        else socket.close(Number(text), 'why');
      });
    },
  });
  await using server = await startTemporaryServer(chatTo(backEnd.url), enabled);
  const ends: string[] = [];
  for (const wish of ['4999', '1000', 'plain', 'break']) {
    const { socket, next } = await openSocketClient(socketUrl(server));
    socket.send(wish);
    ends.push(await next());
  }
  assert.deepEqual(ends, ['closed 4999 why', 'closed 1000 why', 'closed 1005', 'closed 1011 The back end is gone']);
});

test('a client that vanishes ends the connection to the back end', async () => {
  await using backEnd = await startSocketBackEnd();
  await using server = await startTemporaryServer(chatTo(backEnd.url), enabled);
  const { socket } = await openSocketClient(socketUrl(server));
  socket.terminate();
  assert.deepEqual(await closesOf(backEnd), ['1001 The client is gone']);
});

test('what a back end answers instead of a handshake is the answer', async () => {
  await using backEnd = await startSocketBackEnd({ refuses: { status: 401, body: 'no' } });
  await using server = await startTemporaryServer(chatTo(backEnd.url), enabled);
  await assert.rejects(openSocketClient(socketUrl(server)), /^Error: 401 because$/);
});

test('what does not lead to a WebSocket has an ordinary answer', async () => {
  await using backEnd = await startSocketBackEnd();
  const dead = 'ws://127.0.0.1:1';
  const files = {
    ...chatTo(dead),
    'artifacts/api/plain.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="Plain" context="/plain">
      <resource methods="GET"><inSequence><property name="HTTP_SC" value="418" scope="axis2"/><respond/></inSequence></resource></api>`,
  };
  await using server = await startTemporaryServer(files, enabled);
  await assert.rejects(openSocketClient(socketUrl(server)), /^Error: 502$/);
  await assert.rejects(openSocketClient(socketUrl(server, '/plain')), /^Error: 418$/);
  await assert.rejects(openSocketClient(socketUrl(server, '/nothing')), /^Error: 404$/);
  await using off = await startTemporaryServer(chatTo(backEnd.url), freePorts);
  await assert.rejects(openSocketClient(socketUrl(off)), /^Error: 502$/);
  assert.equal(backEnd.handshakes.length, 0);
});

const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const version = 'Sec-WebSocket-Version: 13\r\n';
const asking = 'GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n';
/** Handshakes that cannot be answered with a WebSocket. */
const refusals: readonly (readonly [name: string, request: string, status: number])[] = [
  ['no key', `${asking}${version}`, 400],
  ['two keys', `${asking}${key}${key}${version}`, 400],
  ['a key that is too short', `${asking}Sec-WebSocket-Key: YWJj\r\n${version}`, 400],
  ['no version', `${asking}${key}`, 426],
  ['another version', `${asking}${key}Sec-WebSocket-Version: 8\r\n`, 426],
  ['a subprotocol twice', `${asking}${key}${version}Sec-WebSocket-Protocol: a, a\r\n`, 400],
  ['a subprotocol that is no name', `${asking}${key}${version}Sec-WebSocket-Protocol: a b\r\n`, 400],
  ['another method', `${asking.replace('GET', 'DELETE')}${key}${version}`, 405],
];

test('a handshake that is none is refused before any flow', async () => {
  await using backEnd = await startSocketBackEnd();
  await using server = await startTemporaryServer(chatTo(backEnd.url), enabled);
  for (const [name, request, status] of refusals) {
    const answer = await rawExchange(portOf(server), `${request}\r\n`);
    assert.equal(statusOf(answer), status, `${name}: ${answer}`);
  }
  assert.equal(backEnd.handshakes.length, 0);
});

/** Frames that break the protocol, masked with zeros, and the close code that they have for an answer. */
const broken: readonly (readonly [name: string, frame: readonly number[], code: number])[] = [
  ['a frame without a mask', [0x81, 0x01, 0x61], 1002],
  ['text that is no UTF-8', [0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28], 1007],
  ['a reserved bit', [0xc1, 0x81, 0, 0, 0, 0, 0x61], 1002],
  ['an unknown opcode', [0x83, 0x81, 0, 0, 0, 0, 0x61], 1002],
  ['a long ping', [0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0], 1002],
  ['a continuation of nothing', [0x80, 0x81, 0, 0, 0, 0, 0x61], 1002],
  ['a message of a gigabyte', [0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0], 1009],
  ['a close code that may not be sent', [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xed], 1002],
];

test('a frame that breaks the protocol ends the connection with the code for it', async () => {
  await using backEnd = await startSocketBackEnd();
  await using server = await startTemporaryServer(chatTo(backEnd.url), enabled);
  for (const [name, frame, code] of broken) {
    const request = Buffer.concat([Buffer.from(`${asking}${key}${version}\r\n`), Buffer.from(frame)]);
    const answer = Buffer.from(await rawExchange(portOf(server), request), 'latin1');
    const frames = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
    assert.equal(frames[0], 0x88, name);
    assert.equal(frames.readUInt16BE(2), code, name);
  }
});

test('a page of an origin that is not allowed gets no WebSocket', async () => {
  await using backEnd = await startSocketBackEnd();
  const cors = `${enabled}[synapse_properties]\n'synapse.rest.CORSConfig.enabled' = "true"\n'synapse.rest.CORSConfig.Access-Control-Allow-Origin' = "https://good.example"\n`;
  await using server = await startTemporaryServer(chatTo(backEnd.url), cors);
  await assert.rejects(openSocketClient(socketUrl(server), { origin: 'https://evil.example' }), /^Error: 403$/);
  const asksForOther = asking.replace('websocket', 'h2c').replace('Connection: Upgrade', 'Connection: Upgrade, close');
  const other = await rawExchange(portOf(server), `${asksForOther}Origin: https://evil.example\r\n\r\n`);
  assert.equal(statusOf(other), 202, other);
  const { socket, next } = await openSocketClient(socketUrl(server), { origin: 'https://good.example' });
  socket.send('in');
  assert.equal(await next(), 'text in');
  socket.terminate();
});

test('a stop says goodbye to both sides', async () => {
  await using backEnd = await startSocketBackEnd();
  const server = await startTemporaryServer(chatTo(backEnd.url), enabled);
  const { next } = await openSocketClient(socketUrl(server));
  await server[Symbol.asyncDispose]();
  assert.equal(await next(), 'closed 1001 The server stops');
  assert.deepEqual(backEnd.closes, ['1001 The server stops']);
});

test('a reader that does not read holds the writer back', async () => {
  let sent = 0;
  await using backEnd = await startSocketBackEnd({
    serve(socket) {
      const block = Buffer.alloc(65_536);
      const push = (): void => {
        if (sent >= 1_000) return;
        sent++;
        socket.send(block, () => push());
      };
      push();
    },
  });
  await using server = await startTemporaryServer(chatTo(backEnd.url), enabled);
  const { socket, next } = await openSocketClient(socketUrl(server));
  socket.pause();
  let before = -1;
  while (before !== sent) {
    before = sent;
    await pause(300);
  }
  assert.ok(sent < 700, `${sent} of 1000 blocks were taken from the back end`);
  socket.resume();
  for (let index = 0; index < 1_000; index++) assert.match(await next(), /^binary /);
  socket.terminate();
});

test('a message that did not come for a WebSocket goes out as a frame, over one connection', async () => {
  const got: string[] = [];
  const answered = Promise.withResolvers<void>();
  await using backEnd = await startSocketBackEnd({
    serve(socket) {
      socket.on('message', (data: Buffer, isBinary) => {
        got.push(`${isBinary ? 'binary' : 'text'} ${data.toString()}`);
        socket.send('pushed');
      });
    },
  });
  await using other = await startRecorder((body) => {
    if (body === 'pushed') answered.resolve();
  });
  const files = {
    'artifacts/api/push.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="Push" context="/push">
      <resource methods="POST"><inSequence>
        <filter source="get-property('transport','X-End')" regex="true"><then><property name="connection.terminate" value="true"/></then></filter>
        <property name="REST_URL_POSTFIX" scope="axis2" action="remove"/>
        <send><endpoint><address uri="${backEnd.url}/feed"/></endpoint></send>
      </inSequence></resource></api>`,
    'artifacts/sequences/outflowDispatchSeq.xml': `<sequence xmlns="http://ws.apache.org/ns/synapse" name="outflowDispatchSeq">
      <property name="HTTP_METHOD" value="POST" scope="axis2"/>
      <call><endpoint><address uri="${other.url}"/></endpoint></call>
    </sequence>`,
  };
  await using server = await startTemporaryServer(files, enabled);
  const post = (type: string, body: string, more = {}): Promise<Response> =>
    fetch(`${server.url('API HTTP')}/push`, { method: 'POST', body, headers: { 'Content-Type': type, ...more } });
  assert.equal((await post('application/json', '{"a":1}')).status, 202);
  assert.equal((await post('text/plain', 'plain')).status, 202);
  assert.equal((await post('application/octet-stream', 'bytes')).status, 202);
  await answered.promise;
  await until('every frame comes', () => got.length >= 3);
  assert.deepEqual(got, ['text {"a":1}', 'text plain', 'binary bytes']);
  assert.equal(backEnd.handshakes.length, 1);
  assert.equal(backEnd.handshakes[0]?.target, '/feed');
  assert.equal((await post('text/plain', '', { 'X-End': 'true' })).status, 202);
  assert.deepEqual(await closesOf(backEnd), ['1000 ']);
});

/** A back end of HTTP that hands the bodies which it gets to `take`. */
async function startRecorder(take: (body: string) => void): Promise<AsyncDisposable & { readonly url: string }> {
  const listener = await listen((request, responder) => {
    const { body } = request;
    if (body) void readBody(body, 10_000).then((bytes) => take(Buffer.from(bytes).toString()));
    responder.respond({ status: 204, headers: [] }, null);
  });
  return { url: originOf(listener), [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
}
