import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serializeXml } from '#xml';
import type { BodySource } from './body.ts';
import { Payload } from './payload.ts';

function received(contentType: string, text: string): Payload {
  const bytes = Buffer.from(text);
  const source: BodySource = {
    length: bytes.length,
    pipe(sink) {
      sink.write(bytes);
      sink.end();
    },
    resume: () => undefined,
    cancel: () => undefined,
  };
  return Payload.received(source, { contentType, hasSoapAction: false, query: '' });
}

test('what was read of a body can be read again after its bytes were handed over', async () => {
  const payload = received('application/xml', '<a><b>1</b></a>');
  await payload.load(1000);
  const before = payload.content();
  assert.ok(payload.takeRaw());
  const after = payload.content();
  assert.notEqual(after, before);
  assert.equal(after && serializeXml(after), '<a><b>1</b></a>');
  assert.ok(payload.pristine);
});

test('a changed body keeps its change when it is asked for bytes', async () => {
  const payload = received('application/json', '{"a":1}');
  await payload.load(1000);
  payload.setJson('{"a":2}');
  assert.equal(payload.takeRaw(), null);
  assert.equal(payload.jsonText(), '{"a":2}');
});
