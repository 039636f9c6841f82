import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { bodySourceOf, getHeader, readBody } from '#message';
import type { Body, BodySink, BodySource, HttpRequest, ResponseHead } from '#transport';
import { withCompression } from './compression.ts';

const settings = { mode: 'on', minSize: 10, excludedAgents: ['curl.*'], mediaTypes: ['text/html'] } as const;
const page = Buffer.from('<p>text</p>'.repeat(1000));

interface Asked {
  readonly head?: Partial<ResponseHead>;
  readonly body?: Body;
  readonly accept?: string;
  readonly agent?: string;
  readonly mode?: 'on' | 'force';
}

async function coding({ head, body = page, accept = 'gzip', agent = 'x', mode = 'on' }: Asked) {
  const peer = { address: '127.0.0.1', port: 1 };
  const request: HttpRequest = {
    method: 'GET',
    target: '/',
    headers: ['Accept-Encoding', accept, 'User-Agent', agent],
    body: null,
    peer,
    scheme: 'https',
    localPort: 1,
    version: '1.1',
  };
  const given: { head: ResponseHead; body: Body }[] = [];
  const handle = withCompression(
    (_request, responder) => responder.respond({ status: 200, headers: ['Content-Type', 'text/html'], ...head }, body),
    { ...settings, mode },
  );
  handle(request, {
    finished: false,
    onGone: () => undefined,
    respond: (responseHead, sent) => void given.push({ head: responseHead, body: sent }),
  });
  const [answer] = given;
  assert.ok(answer);
  const used = getHeader(answer.head.headers, 'Content-Encoding');
  const source = answer.body instanceof Uint8Array ? bodySourceOf(answer.body) : answer.body;
  const bytes = source === null ? Buffer.alloc(0) : Buffer.from(await readBody(source, 1_000_000));
  return { used, bytes, vary: getHeader(answer.head.headers, 'Vary') };
}

const rows: readonly (readonly [what: string, asked: Asked, used: string | undefined])[] = [
  ['a page for a client that takes gzip', {}, 'gzip'],
  ['what a client likes better', { accept: 'gzip;q=0.5, br' }, 'br'],
  ['Brotli when both are liked as much', { accept: 'gzip, br' }, 'br'],
  ['any coding', { accept: '*' }, 'br'],
  ['a coding that is refused', { accept: 'gzip;q=0, br;q=0' }, undefined],
  ['an unknown coding', { accept: 'zstd' }, undefined],
  ['an excluded client', { agent: 'curl/8' }, undefined],
  ['a small body', { body: Buffer.from('short') }, undefined],
  ['a small body when it is forced', { body: Buffer.from('short'), mode: 'force' }, 'gzip'],
  ['another media type', { head: { headers: ['Content-Type', 'image/png'] } }, undefined],
  [
    'what may hold secrets',
    { head: { headers: ['Content-Type', 'text/html', 'Cache-Control', 'no-store'] } },
    undefined,
  ],
  ['what has a strong validator', { head: { headers: ['Content-Type', 'text/html', 'ETag', '"a"'] } }, undefined],
  ['what is encoded already', { head: { headers: ['Content-Type', 'text/html', 'Content-Encoding', 'br'] } }, 'br'],
  ['a part of something', { head: { status: 206 } }, undefined],
];

for (const [what, asked, used] of rows) {
  test(`compression of ${what}: ${used ?? 'none'}`, async () => {
    const given = await coding(asked);
    assert.equal(given.used, used);
    const plain = asked.body ?? page;
    if (used === undefined) assert.deepEqual(given.bytes, plain);
    else if (!asked.head) {
      assert.deepEqual(used === 'gzip' ? gunzipSync(given.bytes) : brotliDecompressSync(given.bytes), plain);
      assert.equal(given.vary, 'Accept-Encoding');
    }
  });
}

test('a long body goes through as it comes, and waits for its reader', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'ab');
  let sent = 0;
  let sink: BodySink | undefined;
  const flow = (): void => {
    while (sink && sent < 200) {
      sent++;
      if (!sink.write(chunk)) return;
    }
    sink?.end();
  };
  const source: BodySource = {
    length: undefined,
    pipe(target) {
      sink = target;
      flow();
    },
    resume: () => setImmediate(flow),
    cancel: () => assert.fail('it is read to its end'),
  };
  const { used, bytes } = await coding({ body: source });
  assert.equal(used, 'gzip');
  assert.equal(gunzipSync(bytes).length, 200 * chunk.length);
});

test('a body that breaks off breaks off compressed', async () => {
  const source: BodySource = {
    length: undefined,
    pipe(sink) {
      sink.write(Buffer.from('begun'));
      sink.fail(new Error('gone'));
    },
    resume: () => undefined,
    cancel: () => undefined,
  };
  await assert.rejects(coding({ body: source }), { message: 'gone' });
});
