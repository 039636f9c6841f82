import assert from 'node:assert/strict';
import test from 'node:test';
import { parseXml, serializeXml } from '#xml';
import { JsonError, JsonMappingError, jsonToXml, xmlToJson, xmlToJsonText, type MappingOptions } from './index.ts';

type Row = readonly [from: string, to: string | undefined, options?: MappingOptions];

const toXmlRows: readonly Row[] = [
  ['{"a":1}', '<jsonObject><a>1</a></jsonObject>'],
  ['{}', '<jsonObject/>'],
  ['[1,2]', '<jsonArray><jsonElement>1</jsonElement><jsonElement>2</jsonElement></jsonArray>'],
  ['[]', '<jsonArray/>'],
  [
    '[[1,2],[]]',
    '<jsonArray><jsonElement><jsonArray><jsonElement>1</jsonElement><jsonElement>2</jsonElement></jsonArray></jsonElement><jsonElement><jsonArray/></jsonElement></jsonArray>',
  ],
  ['[{"a":1}]', '<jsonArray><jsonElement><a>1</a></jsonElement></jsonArray>'],
  ['"text"', '<jsonValue>"text"</jsonValue>'],
  ['true', '<jsonValue>true</jsonValue>'],
  ['null', '<jsonValue>null</jsonValue>'],
  ['-1.5', '<jsonValue>-1.5</jsonValue>'],
  ['', undefined],
  ['   ', undefined],
  ['xx {"a":1}', '<jsonObject><a>1</a></jsonObject>'],
  ['{"a":1.50}', '<jsonObject><a>1.50</a></jsonObject>'],
  ['{"a":1e5}', '<jsonObject><a>1e5</a></jsonObject>'],
  ['{"a":{"b":{"c":true}}}', '<jsonObject><a><b><c>true</c></b></a></jsonObject>'],
  ['{"a":[1,"x"]}', '<jsonObject><a>1</a><a>x</a></jsonObject>'],
  ['{"a":[1]}', '<jsonObject><a>1</a></jsonObject>'],
  ['{"a":[]}', '<jsonObject/>'],
  ['{"a":[1]}', '<jsonObject><?xml-multiple a?><a>1</a></jsonObject>', { writeMultiple: true }],
  ['{"a":[]}', '<jsonObject><?xml-multiple a?></jsonObject>', { writeMultiple: true }],
  [
    '{"a":[[1,2]]}',
    '<jsonObject><a><jsonArray><jsonElement>1</jsonElement><jsonElement>2</jsonElement></jsonArray></a></jsonObject>',
  ],
  ['{"a":null}', '<jsonObject><a/></jsonObject>'],
  ['{"a":null}', '<jsonObject><a nil="true"/></jsonObject>', { nil: true }],
  ['{"a":""}', '<jsonObject><a/></jsonObject>'],
  ['{"a":{"@x":1,"b":2}}', '<jsonObject><a x="1"><b>2</b></a></jsonObject>'],
  ['{"a":{"@x":"1","$":"t"}}', '<jsonObject><a x="1">t</a></jsonObject>'],
  ['{"a":{"@xmlns":"u","b":1}}', '<jsonObject><a xmlns="u"><b>1</b></a></jsonObject>'],
  ['{"1a":1}', '<jsonObject><_JsonReader_PD_1a>1</_JsonReader_PD_1a></jsonObject>'],
  ['{"$a":1}', '<jsonObject><_JsonReader_PS_a>1</_JsonReader_PS_a></jsonObject>'],
  ['{"a b":1}', '<jsonObject><a_JsonReader_32_b>1</a_JsonReader_32_b></jsonObject>', { validNames: true }],
  ['{"ä":"<&>"}', '<jsonObject><ä>&lt;&amp;&gt;</ä></jsonObject>'],
];

test('JSON becomes XML by the table of the original', () => {
  for (const [json, xml, options] of toXmlRows) {
    const view = jsonToXml(json, options);
    assert.equal(view && serializeXml(view), xml, json);
  }
});

const toJsonRows: readonly Row[] = [
  ['<a><b>1</b><b>2</b></a>', '{"a":{"b":[1,2]}}'],
  ['<a><b>1</b></a>', '{"a":{"b":1}}'],
  ['<a x="1">t</a>', '{"a":{"@x":"1","$":"t"}}'],
  ['<a/>', '{"a":null}'],
  ['<jsonObject><p>007</p><q>true</q></jsonObject>', '{"p":"007","q":true}'],
  ['<jsonArray><jsonElement>1</jsonElement></jsonArray>', '1'],
  ['<jsonArray><jsonElement>1</jsonElement><jsonElement>2</jsonElement></jsonArray>', '[1,2]'],
  [
    '<jsonArray><jsonElement><a>1</a></jsonElement><jsonElement><a>2</a></jsonElement></jsonArray>',
    '[{"a":1},{"a":2}]',
  ],
  ['<jsonArray/>', '[]'],
  ['<jsonObject/>', '{}'],
  ['<jsonValue>"x"</jsonValue>', '"x"'],
  ['<n:a xmlns:n="u"><n:b>x</n:b></n:a>', '{"a":{"b":"x"}}'],
  ['<name>WSO2</name>', '{"name":"WSO2"}'],
  ['<a><b>500.0</b><c>4.00</c><d>-1e5</d></a>', '{"a":{"b":500.0,"c":4.00,"d":-1e5}}'],
  ['<a><b>01</b><c>+1</c><d>.5</d><e>1.</e></a>', '{"a":{"b":"01","c":"+1","d":".5","e":"1."}}'],
  ['<a><b>null</b><c>false</c><d>True</d></a>', '{"a":{"b":null,"c":false,"d":"True"}}'],
  ['<a><b> 1 </b></a>', '{"a":{"b":" 1 "}}'],
  ['<a>  <b>1</b>\n</a>', '{"a":{"b":1}}'],
  ['<a>   </a>', '{"a":null}'],
  ['<a>   </a>', '{"a":"   "}', { preserveSpaces: true }],
  ['<a x="1"><b>2</b></a>', '{"a":{"@x":"1","b":2}}'],
  ['<a x="1"/>', '{"a":{"@x":"1"}}'],
  ['<a>t<b>2</b></a>', '{"a":{"$":"t","b":2}}'],
  ['<a><b>1</b><c>2</c><b>3</b></a>', '{"a":{"b":1,"c":2,"b":3}}'],
  ['<a><b>1</b><!--x--><b>2</b></a>', '{"a":{"b":[1,2]}}'],
  ['<a><?xml-multiple b?><b>1</b></a>', '{"a":{"b":[1]}}'],
  ['<a><?xml-multiple b?></a>', '{"a":{"b":[]}}'],
  ['<a><?xml-multiple b?><c>1</c></a>', '{"a":{"b":[],"c":1}}'],
  ['<a><?xml-multiple b?><b>1</b></a>', '{"a":{"b":1}}', { readMultiple: false }],
  ['<a><?other b?><b>1</b></a>', '{"a":{"b":1}}'],
  ['<a><b>1</b><b>2</b></a>', '{"a":{"b":1,"b":2}}', { autoArray: false }],
  ['<a><b/></a>', '{"a":{"b":null}}'],
  ['<a><b/></a>', '{"a":{"b":""}}', { nullForEmptyElement: false }],
  ['<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b xsi:nil="true"/></a>', '{"a":{"b":{"@nil":"true"}}}'],
  [
    '<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b xsi:nil="true"/></a>',
    '{"a":{"b":null}}',
    { nil: true },
  ],
  ['<n:a xmlns:n="u"><n:b n:c="1">x</n:b></n:a>', '{"n_a":{"n_b":{"@n_c":"1","$":"x"}}}', { preserveNamespace: true }],
  [
    '<n:a xmlns:n="u">x</n:a>',
    '{"n_a":{"@xmlns_n":"u","$":"x"}}',
    { preserveNamespace: true, namespaceDeclarations: true },
  ],
  ['<a xmlns="u">x</a>', '{"a":{"@xmlns":"u","$":"x"}}', { preserveNamespace: true, namespaceDeclarations: true }],
  ['<n:a xmlns:n="u">x</n:a>', '{"n:a":"x"}', { preserveNamespace: true, namespaceSeparator: ':' }],
  ['<a><b>1</b><c>true</c></a>', '{"a":{"b":"1","c":"true"}}', { autoPrimitive: false }],
  ['<a><b>123</b><c>12</c></a>', '{"a":{"b":"123","c":12}}', { keepString: (text) => text.length === 3 }],
  [
    '<a><b>s::1</b><c>1</c></a>',
    '{"a":{"b":"1","c":1}}',
    { replaceMarker: (text) => (text.startsWith('s::') ? text.slice(3) : undefined) },
  ],
  ['<a><![CDATA[<x>]]>&amp;</a>', '{"a":"<x>&"}'],
  ['<a>"q"\\</a>', '{"a":"\\"q\\"\\\\"}'],
  ['<_JsonReader_PD_1a>1</_JsonReader_PD_1a>', '{"1a":1}'],
  ['<_JsonReader_PS_a>1</_JsonReader_PS_a>', '{"$a":1}'],
  ['<a_JsonReader_32_b>1</a_JsonReader_32_b>', '{"a b":1}'],
  ['<k><jsonArray><jsonElement>1</jsonElement><jsonElement>2</jsonElement></jsonArray></k>', '{"k":[1,2]}'],
];

test('XML becomes JSON by the table of the original', () => {
  for (const [xml, json, options] of toJsonRows) assert.equal(xmlToJsonText(parseXml(xml).root, options), json, xml);
});

test('of equal member names the last one is the value', () => {
  const value = xmlToJson(parseXml('<a><b>1</b><c/><b>2</b></a>').root);
  assert.deepEqual(value, xmlToJson(parseXml('<a><b>2</b><c/></a>').root));
});

test('what the other side cannot express is refused', () => {
  assert.throws(() => xmlToJsonText(parseXml('<a>x<b/>y</a>').root), JsonMappingError);
  for (const json of ['{"a b":1}', '{"":1}', '{"@a":{}}', '{"$":[1]}', '{"a:b":1}']) {
    assert.throws(() => jsonToXml(json), JsonMappingError, json);
  }
  for (const json of ['{', 'xyz', ' 5', '1e5', '{"a":}']) assert.throws(() => jsonToXml(json), JsonError, json);
});

test('objects survive the way to XML and back, but for what the original loses', () => {
  const rows: readonly (readonly [before: string, after: string])[] = [
    ['{"a":{"b":[1,2],"c":"x"},"d":null}', '{"a":{"b":[1,2],"c":"x"},"d":null}'],
    ['[{"a":1},{"b":2}]', '[{"a":1},{"b":2}]'],
    ['{"a":[1]}', '{"a":1}'],
    ['{"a":[],"b":1}', '{"b":1}'],
    ['{"a":"1"}', '{"a":1}'],
    ['[[1,2],[3,4]]', '[[1,2],[3,4]]'],
  ];
  for (const [before, after] of rows) {
    const view = jsonToXml(before);
    assert.equal(view && xmlToJsonText(view), after, before);
  }
});
