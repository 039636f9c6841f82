import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { configureLog } from '#core';
import { openSocketClient, startSocketBackEnd } from '../helpers/socket-back-end.ts';
import {
  ask,
  door,
  echo,
  forFrames,
  isHandshake,
  place,
  senders,
  sequence,
  serve,
  text,
  urlOf,
} from '../helpers/socket-door.ts';
import { until } from '../helpers/until.ts';

before(() => configureLog({ level: 'silent', format: 'json' }));
after(() => configureLog({ level: 'info', format: 'json' }));

test('each frame of a client is a message, and answers are frames of the same kind, in order', async () => {
  await using server = await serve(door(), sequence('take', echo));
  const client = await openSocketClient(`${urlOf(server)}/rooms/1?a=b`);
  assert.equal(await ask(client, 'hello'), 'text hello');
  assert.equal(await ask(client, Buffer.from([1, 2, 255])), 'binary \u0001\u0002ÿ');
  assert.equal(await ask(client, ''), 'text ');
  for (let index = 0; index < 300; index++) client.socket.send(`number ${index}`);
  for (let index = 0; index < 300; index++) assert.equal(await client.next(), `text number ${index}`);
  client.socket.close();
  assert.equal(await client.next(), 'closed 1005');
});

test('the flow sees the handshake first, and what it answers is the first frame', async () => {
  const greet = `<filter xpath="${isHandshake} = true()">
    <then>${text('hello $1 at $2', "get-property('transport', 'X-Name')", "get-property('websocket.subscriber.path')")}<respond/></then>
    <else>${text('$1 $2 $3', "get-property('websocket.text.frame.present')", "get-property('inbound.endpoint.name')", "get-property('websocket.subscriber.path')")}<respond/></else>
  </filter>`;
  await using server = await serve(door(), sequence('take', greet));
  const client = await openSocketClient(`${urlOf(server)}/rooms/1?a=b`, { headers: { 'X-Name': 'Ann' } });
  assert.equal(await client.next(), 'text hello Ann at /rooms/1');
  assert.equal(await ask(client, 'x'), 'text true Door /rooms/1');
});

/** What a flow does with a handshake, and what its client gets. */
const refusals: readonly (readonly [name: string, content: string, outcome: RegExp])[] = [
  ['an answer with a status', '<property name="HTTP_SC" value="401" scope="axis2"/><respond/>', /^Error: 401$/],
  ['a fault that is dealt with', '<sequence key="nowhere"/>', /^Error: 502$/],
  ['the wish to end', '<property name="connection.terminate" value="true"/>', /^Error: 403$/],
];

for (const [name, content, outcome] of refusals) {
  test(`a handshake is refused by ${name}`, async () => {
    const failed = '<property name="HTTP_SC" value="502" scope="axis2"/><respond/>';
    await using server = await serve(door(), { ...sequence('take', content), ...sequence('failed', failed) });
    await assert.rejects(openSocketClient(urlOf(server)), outcome);
  });
}

test('a handshake that fails without an answer gets 500, and a request that is none 426', async () => {
  const files = { ...sequence('take', '<sequence key="nowhere"/>'), ...sequence('failed', '<drop/>') };
  await using server = await serve(door(), files);
  await assert.rejects(openSocketClient(urlOf(server)), /^Error: 500$/);
  const plain = await fetch(urlOf(server).replace('ws', 'http'));
  assert.equal(plain.status, 426);
  assert.equal(plain.headers.get('sec-websocket-version'), '13');
});

test('a frame that fails runs the fault sequence of the endpoint', async () => {
  const failed = `${text('failed: $1', "get-property('ERROR_MESSAGE')")}<respond/>`;
  await using server = await serve(door(), {
    ...sequence('take', forFrames('<sequence key="nowhere"/>')),
    ...sequence('failed', failed),
  });
  const client = await openSocketClient(urlOf(server));
  assert.match(await ask(client, 'x'), /^text failed: .*nowhere cannot be found/);
});

test('a flow ends the connection with a code and a reason', async () => {
  const end = forFrames(`<property name="connection.terminate" value="true"/>
    <property name="websocket.close.frame.status.code" value="4001"/>
    <property name="websocket.close.frame.reason.text" value="enough"/><respond/>`);
  await using server = await serve(door(), sequence('take', end));
  assert.equal(await ask(await openSocketClient(urlOf(server)), 'x'), 'closed 4001 enough');
});

test('answers go to the client, to those of its path, or to all', async () => {
  const heard: string[][] = [];
  for (const level of [0, 1, 2]) {
    const parameters = { 'ws.client.side.broadcast.level': level };
    await using server = await serve(door({ parameters }), sequence('take', echo));
    const paths = ['/a', '/a?other=1', '/b'];
    const clients = await Promise.all(paths.map((path) => openSocketClient(urlOf(server) + path)));
    clients[0]?.socket.send('news');
    assert.equal(await clients[0]?.next(), 'text news');
    // What came before the own answer of the others would be heard before it.
    const others = clients.slice(1).map(async ({ next }) => next());
    if (level < 2) clients[2]?.socket.send('own b');
    if (level < 1) clients[1]?.socket.send('own a');
    heard.push(await Promise.all(others));
  }
  assert.deepEqual(heard, [
    ['text own a', 'text own b'],
    ['text news', 'text own b'],
    ['text news', 'text news'],
  ]);
});

test('a subprotocol or a parameter says how frames are read', async () => {
  const total = forFrames(`${text('sum $1', 'json-eval($.a)')}<respond/>`);
  const parameters = { 'ws.default.content.type': 'application/json' };
  await using server = await serve(door({ parameters }), sequence('take', total));
  assert.equal(await ask(await openSocketClient(urlOf(server)), '{"a":7}'), 'text sum 7');
});

/** Opens a connection by hand and sends one masked text frame; gives the head of the answer and what follows it. */
async function byHand(url: string, protocol: string, content: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.setEncoding('latin1');
  let got = '';
  socket.on('data', (chunk: string) => (got += chunk));
  const bytes = Buffer.from(content);
  socket.write(
    `GET /x HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]));
  await until('the frame is answered', () => /\r\n\r\n.+/s.test(got));
  socket.destroy();
  return got;
}

test('a subprotocol of the form synapse(contentType=…) is agreed to and chooses the builder', async () => {
  await using server = await serve(
    door(),
    sequence('take', forFrames(`${text('sum $1', 'json-eval($.a)')}<respond/>`)),
  );
  const answer = await byHand(urlOf(server), `other, synapse(contentType='application/json')`, '{"a":7}');
  assert.match(answer, /^HTTP\/1\.1 101 /);
  assert.match(answer, /\r\nSec-WebSocket-Protocol: synapse\(contentType='application\/json'\)\r\n/);
  assert.match(answer, /\r\n\r\n..sum 7$/s);
});

test('frames that are sent to a WebSocket go over a connection of the client, and back through the outflow sequence', async () => {
  await using backEnd = await startSocketBackEnd({
    serve(socket) {
      socket.send('welcome');
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    },
  });
  const out = `<filter xpath="get-property('websocket.target.handshake.present') = true()"><then><drop/></then>
    <else>${text('out $1', '//text()')}<respond/></else></filter>`;
  await using server = await serve(door({ parameters: { 'ws.outflow.dispatch.sequence': 'out' } }), {
    ...sequence('take', `<send><endpoint><address uri="${backEnd.url}/chat"/></endpoint></send>`),
    ...sequence('out', out),
  });
  const [first, second] = await Promise.all([openSocketClient(urlOf(server)), openSocketClient(urlOf(server))]);
  assert.equal(await first.next(), 'text out welcome');
  assert.equal(await second.next(), 'text out welcome');
  assert.equal(await ask(first, 'one'), 'text out one');
  assert.equal(await ask(second, 'two'), 'text out two');
  assert.equal(backEnd.handshakes.length, 2);
  first.socket.close(4002, 'gone');
  await until('the back end hears of it', () => backEnd.closes.length === 1);
  assert.deepEqual(backEnd.closes, ['4002 gone']);
  for (const socket of backEnd.server.clients) socket.close(4003, 'over');
  assert.equal(await second.next(), 'closed 4003 over');
});

test('a back end that refuses a handshake refuses it to the client', async () => {
  await using backEnd = await startSocketBackEnd({ refuses: { status: 407, body: 'no' } });
  const take = `<send><endpoint><address uri="${backEnd.url}"/></endpoint></send>`;
  await using server = await serve(door(), sequence('take', take));
  await assert.rejects(openSocketClient(urlOf(server)), /^Error: 407/);
});

test('the end of a client is a message with status and reason', async () => {
  const seen: string[] = [];
  await using backEnd = await startSocketBackEnd({
    serve: (socket) => socket.on('message', (data: Buffer) => seen.push(data.toString())),
  });
  const told = `<filter xpath="get-property('connection.terminate') = true()"><then>
      ${text('$1 $2', "get-property('websocket.close.frame.status.code')", "get-property('websocket.close.frame.reason.text')")}
      <property name="connection.terminate" action="remove"/>
      <send><endpoint><address uri="${backEnd.url}"/></endpoint></send></then></filter>`;
  await using server = await serve(door(), sequence('take', told));
  const client = await openSocketClient(urlOf(server));
  client.socket.close(4005, 'bye');
  await until('the end is told', () => seen.length > 0);
  assert.deepEqual(seen, ['4005 bye']);
});

test('messages that are too long, and frames that are none, end a connection', async () => {
  const configuration = `${senders}[millrace]\nwebsocket.max_payload = 1000\n`;
  await using server = await serve(door(), sequence('take', echo), configuration);
  const large = await openSocketClient(urlOf(server));
  assert.match(await ask(large, 'a'.repeat(1001)), /^closed 1009/);
  const broken = await openSocketClient(urlOf(server));
  const raw = (broken.socket as unknown as { _socket: NodeJS.WritableStream })._socket;
  raw.write(Buffer.from([0xf3, 0x80, 0, 0, 0, 0]));
  assert.match(await broken.next(), /^closed 1002/);
});

test('an endpoint that ends sends its clients away as its parameters say, and a stop does', async () => {
  const parameters = { 'ws.shutdown.status.code': 4100, 'ws.shutdown.status.message': 'come again' };
  await using server = await serve(door({ parameters }), sequence('take', echo));
  const client = await openSocketClient(urlOf(server));
  server.write(place, door({ parameters, attributes: 'sequence="take" suspend="true"' }));
  assert.equal(await client.next(), 'closed 4100 come again');
  await using other = await serve(door(), sequence('take', echo));
  const stopped = await openSocketClient(urlOf(other));
  await other.server.stop();
  assert.equal(await stopped.next(), 'closed 1001 The server stops');
});

test('clients stay while the sequence changes, and a path has a sequence of its own', async () => {
  const parameters = { 'dispatch.custom.sequence': 'true' };
  await using server = await serve(door({ parameters }), {
    ...sequence('take', echo),
    ...sequence('rooms-1', forFrames(`${text('room')}<respond/>`)),
  });
  const own = await openSocketClient(`${urlOf(server)}/rooms/1`);
  const other = await openSocketClient(`${urlOf(server)}/rooms/2`);
  assert.equal(await ask(own, 'x'), 'text room');
  assert.equal(await ask(other, 'x'), 'text x');
  const [[path, content] = ['', '']] = Object.entries(sequence('take', forFrames(`${text('new')}<respond/>`)));
  server.write(path, content);
  for (let attempt = 0; (await ask(other, 'x')) !== 'text new'; attempt++) {
    assert.ok(attempt < 5000, 'the sequence has not changed');
    await pause(10);
  }
});

test('modules take the frames of a subprotocol, and see every frame first', async () => {
  const parameters = { 'ws.subprotocol.handler.class': 'com.acme.Upper', 'ws.pipeline.handler.class': 'com.acme.Gate' };
  const files = {
    ...sequence('take', echo),
    'extensions/upper.ts': `export default class Upper {
      getSubprotocolIdentifier() { return 'upper'; }
      async handle(frame, client) {
        if (frame.isBinary) return false;
        await client.send({ ...frame, data: Buffer.from(Buffer.from(frame.data).toString().toUpperCase()) });
        return true;
      }
    }`,
    'extensions/gate.ts': `export default class Gate {
      handleFrame(frame) { return Buffer.from(frame.data).toString() === 'secret' ? undefined : frame; }
    }`,
  };
  const map = `${senders}[millrace.class_map]\n"com.acme.Upper" = "./upper.ts"\n"com.acme.Gate" = "./gate.ts"\n`;
  await using server = await serve(door({ parameters }), files, map);
  const upper = await openSocketClient(urlOf(server), { protocols: ['other', 'upper'] });
  assert.equal(upper.socket.protocol, 'upper');
  upper.socket.send('secret');
  assert.equal(await ask(upper, 'loud'), 'text LOUD');
  assert.equal(await ask(upper, Buffer.from('low')), 'binary low');
  await assert.rejects(openSocketClient(urlOf(server), { protocols: ['other'] }), /subprotocol/);
});

test('frames of all clients are mediated as many at once as there are workers', async () => {
  const waiting = forFrames('<call><endpoint><http method="get" uri-template="BACK"/></endpoint></call><respond/>');
  let atOnce = 0;
  let most = 0;
  const both = Promise.withResolvers<void>();
  const slow = createServer((_, response) => {
    most = Math.max(most, ++atOnce);
    if (atOnce === 2) both.resolve();
    // A third one would come meanwhile.
    void Promise.race([both.promise, pause(10_000, undefined, { ref: false })])
      .then(() => pause(50))
      .then(() => {
        atOnce--;
        return response.end('done');
      });
  });
  await new Promise<void>((resolve) => void slow.listen(0, '127.0.0.1', resolve));
  const address = slow.address() as { port: number };
  const parameters = { 'ws.worker.thread.pool.size': 2 };
  await using server = await serve(
    door({ parameters }),
    sequence('take', waiting.replace('BACK', `http://127.0.0.1:${address.port}/`)),
  );
  const clients = await Promise.all(Array.from({ length: 6 }, () => openSocketClient(urlOf(server))));
  await Promise.all(clients.map((client) => ask(client, 'x')));
  slow.closeAllConnections();
  slow.close();
  assert.equal(most, 2);
});

test('a client that reads nothing is sent away when others send to it', async () => {
  const parameters = { 'ws.client.side.broadcast.level': 2 };
  await using server = await serve(door({ parameters }), sequence('take', echo));
  const deaf = await openSocketClient(urlOf(server));
  let isGone = false;
  deaf.socket.on('close', () => (isGone = true));
  deaf.socket.pause();
  const loud = await openSocketClient(urlOf(server));
  const large = 'a'.repeat(1_000_000);
  for (let index = 0; index < 30; index++) assert.equal((await ask(loud, large)).length, large.length + 5);
  deaf.socket.resume();
  await until('it is gone', () => isGone);
});

test('handlers of the endpoint see handshakes, frames and answers', async () => {
  const files = {
    ...sequence('take', echo),
    'extensions/door.ts': `export default class Door {
      needsBody = true;
      handleRequestInFlow(message) {
        return message.property('websocket.source.handshake.present') === true
          ? message.header('X-Word') === 'please'
          : true;
      }
      handleResponseOutFlow(message) { return message.text() !== 'secret'; }
    }`,
  };
  const content = '<handlers><handler class="com.acme.Door"/></handlers>';
  const map = `${senders}[millrace.class_map]\n"com.acme.Door" = "./door.ts"\n`;
  await using server = await serve(door({ content }), files, map);
  await assert.rejects(openSocketClient(urlOf(server)), /^Error: 403$/);
  const client = await openSocketClient(urlOf(server), { headers: { 'X-Word': 'please' } });
  client.socket.send('secret');
  assert.equal(await ask(client, 'open'), 'text open');
});
