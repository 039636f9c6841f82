import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BodySink } from '#message';
import { IncomingBody, type BodyChannel, type ThriftySink } from './incoming-body.ts';
import type { KeptBytes } from './kept-bytes.ts';

const channel: BodyChannel = {
  bodyWanted: ignore,
  pauseBody: ignore,
  resumeBody: ignore,
  bodyGivenUp: ignore,
};

describe('bytes of a shared buffer', () => {
  for (const length of [10, 20_000, 65_536]) {
    test(`${length} of them are a sink's own, before and after it comes`, () => {
      const shared = Buffer.alloc(length, 'a');
      const body = new IncomingBody(channel, undefined);
      body.push(shared, true);
      shared.fill('b');
      const chunks: Uint8Array[] = [];
      body.pipe(keeping(chunks));
      body.push(shared, true);
      shared.fill('c');
      assert.deepEqual(
        chunks.map((chunk) => Buffer.from(chunk).toString()),
        ['a'.repeat(length), 'b'.repeat(length)],
      );
    });
  }

  test('the memory of a large chunk is used again once it is released, not before', () => {
    const shared = Buffer.alloc(50_000, 'a');
    const body = new IncomingBody(channel, undefined);
    body.push(shared, true);
    const kept: KeptBytes[] = [];
    body.pipe(thrifty(kept));
    const next = chunkThrough(shared.fill('b'));
    assert.notEqual(next.bytes.buffer, kept[0]?.bytes.buffer);
    assert.equal(Buffer.from(kept[0]?.bytes ?? []).toString(), 'a'.repeat(50_000));
    kept[0]?.release?.();
    assert.equal(chunkThrough(shared).bytes.buffer, kept[0]?.bytes.buffer);
  });

  test('a body that is given up releases what came early', () => {
    const body = new IncomingBody(channel, undefined);
    const { bytes, release } = chunkThrough(Buffer.alloc(30_000));
    release?.();
    body.push(Buffer.alloc(30_000), true);
    body.cancel();
    assert.equal(chunkThrough(Buffer.alloc(30_000)).bytes.buffer, bytes.buffer);
  });
});

/** A sink that keeps what it gets. */
function keeping(chunks: Uint8Array[]): BodySink {
  return { write: (chunk) => chunks.push(chunk) > 0, end: ignore, fail: ignore };
}

function thrifty(kept: KeptBytes[]): ThriftySink {
  return { ...keeping([]), writeShared: () => true, writeKept: (bytes) => kept.push(bytes) > 0 };
}

/** The chunk that a thrifty sink gets of a body that comes before it. */
function chunkThrough(bytes: Buffer): KeptBytes {
  const kept: KeptBytes[] = [];
  const body = new IncomingBody(channel, undefined);
  body.push(bytes, true);
  body.pipe(thrifty(kept));
  return kept[0] as KeptBytes;
}

function ignore(): void {
  // Nothing here has a connection.
}
