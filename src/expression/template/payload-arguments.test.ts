import assert from 'node:assert/strict';
import test from 'node:test';
import { parseXml } from '#xml';
import { compileExpression, compileJsonExpression } from '../compile.ts';
import { ExpressionError } from '../error.ts';
import { createTestScope, type TestMessage } from '../test-scope.ts';
import { compilePayloadTemplate, type PayloadArgument } from './payload-arguments.ts';
import type { PayloadMedia } from './payload-insertion.ts';

const message: TestMessage = {
  json: '{"s":"say \\"hi\\"\\n","n":1.50,"o":{"a":[1,2]},"list":["x","y"],"t":true,"k":null,"amp":"a<b&c","brace":"{x}","num":"12"}',
  properties: {
    'default:p': 'a "b" <c>',
    'default:x': parseXml('<r><a>1</a></r>').root,
    'default:many': '<a>1</a><b>2</b>',
    'default:j': '{"q":1}',
    'default:word': 'true',
  },
};

const value = (literalValue: string): PayloadArgument => ({ literalValue, evaluator: 'xml', literal: false });
const xpath = (text: string, literal = false): PayloadArgument => ({
  expression: compileExpression(text),
  evaluator: 'xml',
  literal,
});
const path = (text: string, literal = false): PayloadArgument => ({
  expression: compileJsonExpression(text),
  evaluator: 'json',
  literal,
});

/** Media type, template, arguments, result. */
const rows: readonly (readonly [PayloadMedia, string, readonly PayloadArgument[], string])[] = [
  ['json', '{"a":"$1"}', [value('text')], '{"a":"text"}'],
  ['json', '{"a":"$1"}', [value('a<b')], '{"a":"a&lt;b"}'],
  ['json', '{"a":$1}', [value('<v>1</v>')], '{"a":{"v":1}}'],
  ['json', '{"a":$1}', [value('{"x":1}')], '{"a":{"x":1}}'],
  ['json', '{"a":"$1"}', [xpath('$ctx:p')], '{"a":"a \\"b\\" <c>"}'],
  ['json', '{"a":$1}', [xpath('$ctx:x')], '{"a":{"r":{"a":1}}}'],
  ['json', '{"a":$1}', [xpath('$ctx:many')], '{"a":{"a":1,"b":2}}'],
  ['json', '{"a":$1}', [xpath('$ctx:j')], '{"a":{"q":1}}'],
  ['json', '{"a":"$1"}', [xpath('$ctx:j', true)], '{"a":"{\\"q\\":1}"}'],
  ['json', '{"a":"$1"}', [xpath('$ctx:x', true)], '{"a":"<r><a>1</a></r>"}'],
  ['json', '{"a":"$1"}', [xpath('$ctx:none')], '{"a":""}'],
  ['json', '{"a":"$1"}', [path('$.s')], '{"a":"say \\"hi\\"\\n"}'],
  ['json', '{"a":$1}', [path('$.n')], '{"a":1.50}'],
  ['json', '{"a":$1}', [path('$.o')], '{"a":{"a":[1,2]}}'],
  ['json', '{"a":$1}', [path('$.list')], '{"a":["x","y"]}'],
  ['json', '{"a":$1}', [path('$.k')], '{"a":null}'],
  ['json', '{"a":"$1"}', [path('$.missing')], '{"a":""}'],
  ['json', '{"a":"$1"}', [path('$.o', true)], '{"a":"{\\"a\\":[1,2]}"}'],
  ['json', '{"a":$1}', [path('$.brace')], '{"a":{x}}'],
  ['json', '[$2,$1,$2]', [value('1'), value('2')], '[2,1,2]'],
  ['json', '{"a":"$1"}', [value('$2'), value('x')], '{"a":"$2"}'],
  ['json', '[$1,$2,$1]', [value('1')], '[1,$2,$1]'],
  ['json', '[$0,$1]', [value('1')], '[$0,$1]'],
  ['json', '{"a":${payload.n}}', [], '{"a":1.5}'],
  ['json', '{"a":${payload.o}}', [], '{"a":{"a":[1,2]}}'],
  ['json', '{"a":"${payload.o}"}', [], '{"a":"{\\"a\\":[1,2]}"}'],
  ['json', '{"a":"${payload.s}"}', [], '{"a":"say \\"hi\\"\\n"}'],
  ['json', '{"a":"x${payload.num}y"}', [], '{"a":"x12y"}'],
  ['json', '{"a":${payload.t}}', [], '{"a":true}'],
  ['json', '{"a":"${payload.missing}"}', [], '{"a":""}'],
  ['json', '{"a":${xpath("$ctx:x")}}', [], '{"a":{"r":{"a":1}}}'],
  ['json', '{"a":"${xpath(\'$ctx:x\')}"}', [], '{"a":"<r><a>1</a></r>"}'],
  ['json', '{"a":"${payload.num}","b":"$1"}', [value('v')], '{"a":"12","b":"v"}'],
  ['xml', '<a>$1</a>', [value('text')], '<a>text</a>'],
  ['xml', '<a>$1</a>', [value('1 < 2')], '<a>1 &lt; 2</a>'],
  ['xml', '<a>$1</a>', [value('<b/>')], '<a><b/></a>'],
  ['xml', '<a>$1</a>', [value('<b>')], '<a>&lt;b&gt;</a>'],
  ['xml', '<a>$1</a>', [xpath('$ctx:x')], '<a><r><a>1</a></r></a>'],
  ['xml', '<a>$1</a>', [xpath('$ctx:p')], '<a>a "b" &lt;c&gt;</a>'],
  ['xml', '<a>$1</a>', [path('$.o')], '<a><a>1</a><a>2</a></a>'],
  ['xml', '<a>$1</a>', [path('$.amp')], '<a>a&lt;b&amp;c</a>'],
  ['xml', '<a>$1</a>', [path('$.list')], '<a><jsonElement>x</jsonElement><jsonElement>y</jsonElement></a>'],
  ['xml', '<a>${payload.amp}</a>', [], '<a>a&lt;b&amp;c</a>'],
  ['xml', '<a b="${payload.num}"/>', [], '<a b="12"/>'],
  ['xml', '<a>${payload.o}</a>', [], '<a><a>1</a><a>2</a></a>'],
  ['xml', "<a>${xpath('$ctx:x')}</a>", [], '<a><r><a>1</a></r></a>'],
  ['text', 'Hello $1, ${payload.num}!', [value('you')], 'Hello you, 12!'],
  ['text', 'say "${payload.num}"', [], 'say "12"'],
  ['text', '$1', [xpath('$ctx:p')], 'a "b" <c>'],
  ['text', '$1', [value('a<b')], 'a&lt;b'],
  ['text', 'costs $ 5', [], 'costs $ 5'],
];

test('templates are filled by the insertion tables of the original', () => {
  for (const [media, template, args, expected] of rows) {
    const render = compilePayloadTemplate(template, { media, args });
    assert.equal(render(createTestScope(message)), expected, `${media} ${template}`);
  }
});

test('a placeholder without an argument ends substitution with a warning', () => {
  const warnings: string[] = [];
  const render = compilePayloadTemplate('$1 $9 ${payload.num}', { media: 'text', args: [value('a')] });
  assert.equal(render(createTestScope({ ...message, warnings })), 'a $9 ${payload.num}');
  assert.deepEqual(warnings, ['a payload template names an argument that does not exist: $9']);
});

test('JSON arguments by JSONPath get entities on demand', () => {
  const render = compilePayloadTemplate('{"a":"$1"}', { media: 'json', args: [path('$.amp')], escapeXmlChars: true });
  assert.equal(render(createTestScope(message)), '{"a":"a&lt;b&amp;c"}');
});

test('a property makes strings come with their quotes', () => {
  const properties = { ...message.properties, 'default:QUOTE_STRING_IN_PAYLOAD_FACTORY_JSON': 'true' };
  const render = compilePayloadTemplate('[$1,$2,$3]', {
    media: 'json',
    args: [path('$.num'), path('$.s'), xpath('$ctx:word')],
  });
  assert.equal(render(createTestScope({ ...message, properties })), '[12,"say \\"hi\\"\\n",true]');
});

test('the same expression is evaluated once per message', () => {
  const warnings: string[] = [];
  const render = compilePayloadTemplate('${payload.missing}${payload.missing}', { media: 'text', args: [] });
  assert.equal(render(createTestScope({ ...message, warnings })), '');
  assert.equal(warnings.length, 1);
});

test('a malformed expression is reported at its place in the template', () => {
  assert.throws(
    () => compilePayloadTemplate('{"a":"${payload.}"}', { media: 'json', args: [] }),
    (error) => error instanceof ExpressionError && error.offset === 16,
  );
});
