import assert from 'node:assert/strict';
import test from 'node:test';
import { parseXml, serializeXml } from '#xml';
import { badgerfishToXml, JsonMappingError, parseJson, stringifyJson, xmlToBadgerfish } from './index.ts';

const rows: readonly (readonly [xml: string, json: string])[] = [
  ['<a>t</a>', '{"a":{"$":"t"}}'],
  ['<a/>', '{"a":{}}'],
  ['<a x="1">t</a>', '{"a":{"@x":"1","$":"t"}}'],
  ['<a><b>1</b><c>true</c></a>', '{"a":{"b":{"$":"1"},"c":{"$":"true"}}}'],
  ['<a><b>1</b><b>2</b></a>', '{"a":{"b":[{"$":"1"},{"$":"2"}]}}'],
  ['<a xmlns="u"><b/></a>', '{"a":{"@xmlns":{"$":"u"},"b":{}}}'],
  ['<p:a xmlns:p="u"><p:b p:c="d"/></p:a>', '{"p:a":{"@xmlns":{"p":"u"},"p:b":{"@p:c":"d"}}}'],
];

test('elements and Badgerfish objects become one another', () => {
  for (const [xml, json] of rows) {
    assert.equal(stringifyJson(xmlToBadgerfish(parseXml(xml).root)), json, xml);
    assert.equal(serializeXml(badgerfishToXml(parseJson(json))), xml, json);
  }
});

test('objects that are not in the convention are refused', () => {
  for (const json of [
    '[]',
    '{}',
    '{"a":1}',
    '{"a":{},"b":{}}',
    '{"a":[{}]}',
    '{"p:a":{}}',
    '{"a b":{}}',
    '{"a":{"@x":{}}}',
  ]) {
    assert.throws(() => badgerfishToXml(parseJson(json)), JsonMappingError, json);
  }
});
