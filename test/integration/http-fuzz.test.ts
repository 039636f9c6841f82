import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpSender, type RequestHandler } from '#transport';
import { fuzzSeed } from '../helpers/fuzz-seed.ts';
import { httpVectors } from '../helpers/http-vectors.ts';
import { startRecorder } from '../helpers/recording-back-end.ts';
import { listen, passThrough } from './http-support.ts';

/** `MILLRACE_FUZZ_REQUESTS=100000 MILLRACE_FUZZ_SEED=random` looks further. A failure names the seed of its request. */
const requests = Number(process.env['MILLRACE_FUZZ_REQUESTS'] ?? 2_000);
/** Most of the time of each is silence, so that many at once make a long run short. */
const atOnce = requests > 10_000 ? 256 : 24;
/** A connection on which nothing comes for so long waits for more of a request; it is told that nothing follows. */
const silence = 150;
const patience = 30_000;

const framingTrailer =
  /\r\n0+(?:;[^\r]*)?\r\n(?:[^\r\n]+\r\n)*(?:content-length|transfer-encoding|connection|upgrade):/i;
const upgrade = /\r\nupgrade:/i;
const host = 'Host: a\r\n';
const bases: readonly string[] = [
  `GET /a?b=c HTTP/1.1\r\n${host}Accept: */*\r\nX-A: b\r\n\r\n`,
  `POST /p HTTP/1.1\r\n${host}Content-Type: text/plain\r\nContent-Length: 11\r\n\r\nGET / HTTP/`,
  `POST /c HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-T: u\r\n\r\n`,
  `PUT /twice HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabcDELETE /second HTTP/1.1\r\n${host}\r\n`,
  `HEAD /h HTTP/1.0\r\n${host}Connection: keep-alive\r\n\r\n`,
  `OPTIONS * HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nok`,
  ...httpVectors.map(({ message }) => message).filter((message) => message.length < 1_000),
];
const sprinkled = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  '\v',
  ':',
  ',',
  ';',
  '0',
  '1',
  'f',
  '\x80',
  '\xff',
  '#',
  '%',
  '/../',
];
const inserted = [
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Host: b\r\n',
  'Connection: close\r\n',
  '0\r\n\r\n',
];

/** The request lines of a connection. */
interface Lines {
  readonly connection: object;
  readonly lines: string[];
}

/** What the listener handed on, by the port of the client. */
const handled = new Map<number, Lines>();
const backEnd = await startRecorder();
const sender = createHttpSender();
const pass = passThrough(sender, () => backEnd.origin);
const noting: RequestHandler = (request, responder) => {
  note(handled, request.peer, { port: request.peer.port, line: `${request.method} ${request.target}` });
  pass(request, responder);
};
const proxy = await listen(noting, { limits: { headersTimeout: 1_000, keepAliveTimeout: 1_000 } });

/** Another reader of the same bytes. */
const readByOther = new Map<number, Lines>();
const other = createServer((request, response) => {
  const { socket, method, url } = request;
  note(readByOther, socket, { port: socket.remotePort ?? 0, line: `${method} ${url}` });
  request.resume().on('end', () => response.end());
});
other.listen(0, '127.0.0.1');
await once(other, 'listening');
other.on('clientError', (_error, socket) => socket.destroy());
other.on('connect', (_request, socket) => socket.destroy());

after(async () => {
  other.close();
  other.closeAllConnections();
  await proxy[Symbol.asyncDispose]();
  await sender[Symbol.asyncDispose]();
  await backEnd[Symbol.asyncDispose]();
});

test(`${requests} mutated requests never hang, garble or multiply`, async (t) => {
  t.diagnostic(`MILLRACE_FUZZ_SEED=${fuzzSeed}`);
  for (let start = 0; start < requests; start += atOnce) {
    const seeds = Array.from({ length: Math.min(atOnce, requests - start) }, (_, index) => fuzzSeed + start + index);
    const seen = backEnd.recorded.length;
    const outcomes = await Promise.all(seeds.map((seed) => exchange(seed)));
    const context = `seeds ${seeds[0]} to ${seeds.at(-1)}`;
    const passed = outcomes.flatMap(({ requests: all }) => all);
    const arrived = backEnd.recorded.slice(seen).map(({ line }) => line.replace(/ HTTP\/1\.1$/, ''));
    assert.deepEqual(backEnd.broken, [], context);
    for (const line of arrived) {
      const index = passed.indexOf(line);
      assert.notEqual(index, -1, `${context}: the back end got "${line}", which nobody sent on`);
      passed.splice(index, 1);
    }
  }
});

/** Sends the request of a seed to both readers and compares what they made of it. */
async function exchange(seed: number): Promise<{ requests: string[] }> {
  const message = mutate(seed);
  const [own, others] = await Promise.all([
    send(proxy.port, message, handled),
    send((other.address() as AddressInfo).port, message, readByOther),
  ]);
  const context = `seed ${seed}: ${JSON.stringify(message)}`;
  assert.notEqual(own.text, undefined, `${context} hangs`);
  const mine = own.lines;
  const theirs = others.lines;
  const text = own.text ?? '';
  assert.ok(text === '' || /^HTTP\/1\.1 \d{3} /.test(text), `${context} is answered with ${text}`);
  // A stricter reader may stop earlier, but must not see anything else before that. Trailers that speak of framing or
  // of the connection are dropped here, and refused or obeyed there; what follows an upgrade is not HTTP there.
  const compared = framingTrailer.test(message) || upgrade.test(message) ? [] : mine;
  for (const [index, line] of compared.entries()) {
    const theirLine = theirs[index]?.replace(/^(\w+) https?:\/\/[^/?]*\/?/i, '$1 /');
    assert.equal(line, theirLine, `${context} is read as ${mine.join(', ')}`);
  }
  const answers = [...text.matchAll(/HTTP\/1\.1 (?!100)\d{3} /g)].length;
  assert.ok(answers <= mine.length + 1, `${context} has ${answers} answers for ${mine.length} requests`);
  return { requests: mine };
}

/** Ports are soon used again, by another connection. */
function note(
  all: Map<number, Lines>,
  connection: object,
  { port, line }: { readonly port: number; readonly line: string },
): void {
  const known = all.get(port);
  if (known?.connection === connection) known.lines.push(line);
  else all.set(port, { connection, lines: [line] });
}

/** What came back, and what the reader made of the message; no text when it never ended. */
interface Outcome {
  readonly text: string | undefined;
  readonly lines: string[];
}

function send(port: number, message: string, read: Map<number, Lines>): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text: string | undefined = '';
    let own = 0;
    const give = setTimeout(() => {
      text = undefined;
      socket.destroy();
    }, patience);
    socket.on('connect', () => {
      own = socket.localPort ?? 0;
      socket.write(Buffer.from(message, 'latin1'));
      socket.setTimeout(silence, () => socket.end());
    });
    socket.on('data', (chunk: Buffer) => (text = (text ?? '') + chunk.toString('latin1')));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(give);
      // The system may be out of ports for a moment.
      if (own === 0 && text !== undefined) return resolve(sleep(silence).then(() => send(port, message, read)));
      const lines = read.get(own)?.lines ?? [];
      read.delete(own);
      resolve({ text, lines });
    });
  });
}

/** The request of a seed: a base with one to four changes. */
function mutate(seed: number): string {
  const random = generator(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  let text = pick(bases);
  const changes = 1 + Math.floor(random() * 4);
  for (let change = 0; change < changes; change++) {
    const at = Math.floor(random() * text.length);
    const to = at + Math.floor(random() * 8);
    switch (Math.floor(random() * 6)) {
      case 0:
        text = text.slice(0, at) + pick(sprinkled) + text.slice(at);
        break;
      case 1:
        text = text.slice(0, at) + pick(sprinkled) + text.slice(at + 1);
        break;
      case 2:
        text = text.slice(0, at) + text.slice(to);
        break;
      case 3:
        text = text.slice(0, to) + text.slice(at);
        break;
      case 4: {
        const line = text.indexOf('\r\n', at);
        if (line >= 0) text = text.slice(0, line + 2) + pick(inserted) + text.slice(line + 2);
        break;
      }
      default:
        text += pick(bases);
    }
  }
  return text;
}

/** Numbers between 0 and 1 that depend on the seed alone. */
function generator(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
