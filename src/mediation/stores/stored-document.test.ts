import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodySourceOf, noAddressing, Payload, type Attachment } from '#message';
import { createEnvelope, parseXml, serializeXml } from '#xml';
import { readDocument, writeDocument } from './stored-document.ts';
import type { StoredMessage } from './stored-message.ts';

const origin = { contentType: 'text/xml', hasSoapAction: true, query: '' };

function storedWith(payload: Payload): StoredMessage {
  const addressing = { ...noAddressing(), to: 'http://back/a', action: 'urn:x' };
  const properties = new Map<string, unknown>([
    ['text', 'a'],
    ['count', 2],
    ['is', true],
    ['markup', parseXml('<m><n/></m>').root],
    ['function', () => 1],
  ]);
  const axis2 = new Map<string, unknown>([
    ['messageType', 'text/xml'],
    ['HTTP_SC', 200],
  ]);
  return {
    id: 'urn:uuid:1',
    payload,
    headers: ['X-One', '1', 'X-One', '2'],
    properties,
    axis2,
    variables: new Map(),
    addressing,
  };
}

const copyOf = (stored: StoredMessage): Promise<StoredMessage> => readDocument(writeDocument(stored));

test('properties that are text, number, boolean or markup go with a stored message, of axis2 only what says the payload', async () => {
  const copy = await copyOf(storedWith(Payload.received(null, origin)));
  const values = [...copy.properties].map(([name, value]) => [
    name,
    name === 'markup' ? serializeXml(value as never) : value,
  ]);
  assert.deepEqual(values, [
    ['text', 'a'],
    ['count', 2],
    ['is', true],
    ['markup', '<m><n/></m>'],
  ]);
  assert.deepEqual([...copy.axis2], [['messageType', 'text/xml']]);
  assert.deepEqual(copy.headers, ['X-One', '1', 'X-One', '2']);
  assert.deepEqual([copy.id, copy.addressing.to, copy.addressing.action], ['urn:uuid:1', 'http://back/a', 'urn:x']);
});

test('a payload that nobody changed keeps its bytes, whatever they are', async () => {
  const bytes = Buffer.from([0, 255, 1, 254, 10, 13]);
  const payload = Payload.received(bodySourceOf(bytes), { ...origin, contentType: 'application/octet-stream' });
  await payload.load(100);
  const copy = await copyOf(storedWith(payload));
  assert.deepEqual(Buffer.from(copy.payload.receivedBytes ?? []), bytes);
});

test('attachments beside a changed envelope are stored with it', async () => {
  const payload = Payload.received(null, origin);
  payload.setEnvelope(createEnvelope('soap11', [parseXml('<order/>').root]));
  const attachment: Attachment = {
    contentId: 'photo',
    contentType: 'image/png',
    headers: ['Content-Description', 'front'],
    bytes: Buffer.from([137, 80, 78, 71, 0]),
    included: false,
  };
  payload.attach([attachment]);
  const { payload: copy } = await copyOf(storedWith(payload));
  assert.match(serializeXml(copy.envelope()), /<order\/>/);
  assert.deepEqual(
    copy.attachments.map((each) => ({ ...each, bytes: Buffer.from(each.bytes) })),
    [attachment],
  );
});

for (const [what, text] of [
  ['no JSON', 'hello'],
  ['another version', '{"version":2}'],
  ['something else', '[]'],
] as const) {
  test(`${what} is refused as a stored message`, async () => {
    await assert.rejects(readDocument(text), { code: 'MR_STORE_CONTENT' });
  });
}
