import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { MillraceError } from '#errors';
import { bodySourceOf } from './body.ts';
import { decodeContent } from './content-encoding.ts';
import { Payload } from './payload.ts';

const text = Buffer.from('<a>hello</a>');
const zeros = Buffer.alloc(20_000_000);
const limit = 64_000_000;

const decoded: readonly (readonly [encoding: string, bytes: Uint8Array])[] = [
  ['gzip', gzipSync(text)],
  ['X-GZIP', gzipSync(text)],
  ['br', brotliCompressSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['identity', text],
  ['', text],
  ['gzip, br', brotliCompressSync(gzipSync(text))],
  ['identity, gzip', gzipSync(text)],
];
for (const [encoding, bytes] of decoded) {
  test(`a body encoded as "${encoding}" is decoded`, async () => {
    assert.deepEqual(Buffer.from(await decodeContent(bytes, encoding, limit)), text);
  });
}

const refused: readonly (readonly [what: string, encoding: string, bytes: Uint8Array, status: number])[] = [
  ['an unknown coding', 'zstd', text, 415],
  ['the name of an inherited property', 'constructor', text, 415],
  ['three codings', 'gzip, gzip, gzip', text, 415],
  ['malformed gzip', 'gzip', text, 400],
  ['truncated gzip', 'gzip', gzipSync(text).subarray(0, 15), 400],
  ['a ratio beyond 100 to 1', 'gzip', gzipSync(zeros), 413],
  ['a ratio beyond 100 to 1 in two steps', 'gzip, gzip', gzipSync(gzipSync(zeros)), 413],
  ['a brotli bomb', 'br', brotliCompressSync(zeros), 413],
];
for (const [what, encoding, bytes, status] of refused) {
  test(`${what} is refused with ${status}`, async () => {
    await assert.rejects(decodeContent(bytes, encoding, limit), (error) => {
      return error instanceof MillraceError && error.code === 'MR_CONTENT_ENCODING' && error.status === status;
    });
  });
}

test('a body larger than the limit is refused although its ratio is fair', async () => {
  await assert.rejects(decodeContent(gzipSync(text), 'gzip', 5), { status: 413 });
});

function encoded(bytes: Uint8Array): Payload {
  const contentType = 'application/xml';
  return Payload.received(bodySourceOf(bytes), {
    contentType,
    hasSoapAction: false,
    query: '',
    contentEncoding: 'gzip',
  });
}

test('an encoded body is decoded for reading and forwarded as it came', async () => {
  const bytes = gzipSync(text);
  const payload = encoded(bytes);
  await payload.load(limit);
  assert.equal(payload.content()?.local, 'a');
  assert.equal(payload.takeRaw(), bytes);
});

test('an encoded body that is malformed can be forwarded, and is 601000 to a reader', async () => {
  const payload = encoded(text);
  await payload.load(limit);
  assert.throws(() => payload.clone().content(), { code: 601_000 });
  assert.equal(payload.takeRaw(), text);
});
