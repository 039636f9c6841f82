import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { parseXml, serializeXml } from '#xml';
import { jsonToXml, parseJson, stringifyJson, xmlToJsonText, type MappingOptions } from './index.ts';

const lossless: MappingOptions = { lossless: true };
const declared = ' xmlns:json="urn:millrace:json"';

/** JSON, and its view where marks are needed. */
const rows: readonly (readonly [json: string, xml: string])[] = [
  ['{"a":1,"b":"x","c":true}', `<jsonObject${declared}><a>1</a><b>x</b><c>true</c></jsonObject>`],
  ['{"a":"1"}', `<jsonObject${declared}><a json:type="string">1</a></jsonObject>`],
  ['{"a":""}', `<jsonObject${declared}><a json:type="string"/></jsonObject>`],
  ['{"a":null}', `<jsonObject${declared}><a json:type="null"/></jsonObject>`],
  ['{"a":{}}', `<jsonObject${declared}><a json:type="object"/></jsonObject>`],
  ['{"a":[]}', `<jsonObject${declared}><a json:array="empty"/></jsonObject>`],
  ['{"a":[1]}', `<jsonObject${declared}><a json:array="first">1</a></jsonObject>`],
  ['{"a":[1,2]}', `<jsonObject${declared}><a json:array="first">1</a><a>2</a></jsonObject>`],
  [
    '{"a":[[1]]}',
    `<jsonObject${declared}><a json:array="first" json:type="array"><jsonArray><jsonElement>1</jsonElement></jsonArray></a></jsonObject>`,
  ],
  ['[1]', `<jsonArray${declared} json:type="array"><jsonElement>1</jsonElement></jsonArray>`],
  ['[]', `<jsonArray${declared} json:type="array"/>`],
  ['{}', `<jsonObject${declared} json:type="object"/>`],
  [
    '{"@x":"1","$":"t"}',
    `<jsonObject${declared} x="1" json:type="object"><_JsonReader_36_>t</_JsonReader_36_></jsonObject>`,
  ],
  ['{"":1}', `<jsonObject${declared}><_JsonReader_E_>1</_JsonReader_E_></jsonObject>`],
  ['{"a b":1}', `<jsonObject${declared}><a_JsonReader_32_b>1</a_JsonReader_32_b></jsonObject>`],
  ['{"a":"\\u0000"}', `<jsonObject${declared}><a json:type="literal">"\\u0000"</a></jsonObject>`],
];

test('elements are marked where they would be read as something else', () => {
  for (const [json, xml] of rows) {
    const view = jsonToXml(json, lossless);
    assert.equal(view && serializeXml(view), xml, json);
    assert.equal(view && xmlToJsonText(view, lossless), json, json);
  }
});

test('marks that no longer fit are passed over', () => {
  const changed: readonly (readonly [xml: string, json: string])[] = [
    ['<a json:type="null">5</a>', '{"a":5}'],
    ['<a json:type="number">x</a>', '{"a":"x"}'],
    ['<a json:type="string"><b>1</b></a>', '{"a":{"b":1}}'],
    ['<a json:array="empty"/><a>1</a>', '{"a":[1]}'],
    ['<a json:array="empty">1</a>', '{"a":[1]}'],
    ['<a json:array="first">1</a><a>2</a><a>3</a>', '{"a":[1,2,3]}'],
    ['<a json:type="object">x</a>', '{"a":{"$":"x"}}'],
    ['<a json:type="array"><b/></a>', '{"a":[]}'],
    ['<a>5</a><b/>', '{"a":5,"b":null}'],
  ];
  for (const [xml, json] of changed) {
    const { root } = parseXml(`<jsonObject${declared}>${xml}</jsonObject>`);
    assert.equal(xmlToJsonText(root, lossless), json, xml);
  }
});

test('without the option marks are attributes like any other', () => {
  const { root } = parseXml('<a xmlns:json="urn:millrace:json" json:type="string">1</a>');
  assert.equal(xmlToJsonText(root), '{"a":{"@type":"string","$":1}}');
});

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom(
    '',
    ' ',
    '1',
    'true',
    'null',
    '1e5',
    '\r\n',
    '\ud800',
    '\uffff',
    '\u0000',
    ']]>',
    '"a"',
    '@x',
    '$',
    '{}',
  ),
);
const awkwardNames: readonly string[] = [
  ...'a b 1 @a @xmlns @@ @ $ $a a:b µ ² jsonObject jsonArray jsonElement jsonValue nil @nil'.split(' '),
  ...'_JsonReader_32_ _JsonReader_PD_1 _JsonReader_E_ __JsonReader_ $_JsonReader_1_'.split(' '),
  'a b',
];
const names = fc.oneof(texts, fc.constantFrom(...awkwardNames));
const numbers = fc.constantFrom('0', '-0', '1.50', '1E+5', '-1e-9', '12345678901234567890');
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'json' },
    fc.constantFrom('true', 'false', 'null'),
    numbers,
    texts.map((text) => JSON.stringify(text)),
    fc.array(tie('json'), { maxLength: 3, depthIdentifier: 'json' }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(names, tie('json')), { maxLength: 4, selector: ([name]) => name, depthIdentifier: 'json' })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
}));
const settings = fc.record(
  {
    autoPrimitive: fc.boolean(),
    autoArray: fc.boolean(),
    nil: fc.boolean(),
    nullForEmptyElement: fc.boolean(),
    preserveNamespace: fc.boolean(),
    namespaceDeclarations: fc.boolean(),
    validNames: fc.boolean(),
    keepString: fc.constant((text: string) => text.startsWith('1')),
    replaceMarker: fc.constant((text: string) => (text.startsWith('t') ? text.slice(1) : undefined)),
  },
  { requiredKeys: [] },
);

test('any JSON survives the way to XML text and back, whatever else is set', () => {
  fc.assert(
    fc.property(json, settings, (text, options) => {
      const view = jsonToXml(text, { ...options, lossless: true });
      assert(view);
      const expected = stringifyJson(parseJson(text));
      const read = parseXml(serializeXml(view)).root;
      assert.equal(xmlToJsonText(read, { ...options, lossless: true }), expected);
    }),
    { numRuns: 2000, verbose: 1 },
  );
});
