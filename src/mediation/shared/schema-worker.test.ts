import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../fault.ts';
import { defineSchema, referenceKey, validateInWorker, type SchemaDefinition } from './schema-worker-pool.ts';

const shared = {
  key: 'types.xsd',
  text: xsd('<xs:simpleType name="n"><xs:restriction base="xs:int"/></xs:simpleType>'),
};
const xml = defineSchema({
  language: 'xsd',
  sources: [{ key: 'a.xsd', text: xsd('<xs:include schemaLocation="types.xsd"/><xs:element name="a" type="n"/>') }],
  references: [[referenceKey('types.xsd', 'a.xsd'), shared]],
});
const json = defineSchema({
  language: 'json',
  sources: [{ key: 'a.json', text: '{"type":"array","items":{"$ref":"item.json"}}' }],
  references: [[referenceKey('item.json', 'a.json'), { key: 'item.json', text: '{"type":"integer"}' }]],
});

test('a worker finds what is wrong with a document', async () => {
  assert.deepEqual(await validateInWorker({ schema: xml, text: '<a>1</a>' }), []);
  assert.match((await messages(xml, '<a>x</a>'))[0] ?? '', /'x' is not a valid value/);
  assert.deepEqual(await validateInWorker({ schema: json, text: '[1,2]' }), []);
  const [wrong] = await validateInWorker({ schema: json, text: '[1,"x"]' });
  assert.equal(wrong?.path, '/1');
});

test('a document that cannot be read, or a schema that cannot be compiled, is a fault', async () => {
  await assert.rejects(validateInWorker({ schema: json, text: '[1' }), isFault(/expected "," or "\]"/));
  const broken = defineSchema({ language: 'xsd', sources: [{ key: 'b.xsd', text: '<a/>' }], references: [] });
  await assert.rejects(validateInWorker({ schema: broken, text: '<a/>' }), isFault(/b\.xsd: this is no XML Schema/));
});

test('a validation that takes too long is stopped, and the next one works', async () => {
  // Each item is compared with each other one.
  const slow = defineSchema({
    language: 'json',
    sources: [{ key: 'slow.json', text: '{"uniqueItems":true}' }],
    references: [],
  });
  const items = Array.from({ length: 30_000 }, (_, index) => `{"a":{"b":${index}}}`);
  const run = validateInWorker({ schema: slow, text: `[${items.join(',')}]` }, 200);
  await assert.rejects(run, isFault(/^The validation against slow\.json was stopped after 200 ms$/));
  assert.deepEqual(await validateInWorker({ schema: json, text: '[3]' }), []);
});

async function messages(schema: SchemaDefinition, text: string): Promise<readonly string[]> {
  return (await validateInWorker({ schema, text })).map(({ message }) => message);
}

function isFault(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof Fault && message.test(error.message);
}

function xsd(content: string): string {
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${content}</xs:schema>`;
}
