import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeAttribute, escapeText } from '#xml';
import { createMasking, type Cover } from './create-masking.ts';
import type { MaskingRule } from './masking-rules.ts';

const rules: readonly MaskingRule[] = [
  { name: 'tracking', kind: 'header', expression: 'X-Track*' },
  { name: 'customer', kind: 'property', expression: 'customer*' },
  {
    name: 'iban',
    kind: 'xpath',
    expression: '//b:iban | //@iban',
    namespaces: new Map([['b', 'urn:bank']]),
  },
  { name: 'card', kind: 'jsonpath', expression: '$..pan' },
  { name: 'digits', kind: 'text', expression: '(?i)no\\.\\s?\\d{6}' },
];
const begin = (): Cover => createMasking({ rules, secretNames: true }).begin();

const rows: readonly (readonly [what: string, masked: (cover: Cover) => string, expected: string])[] = [
  ['a header, whatever its case', (cover) => cover.header('x-tracking-id', 'a'), '*****[tracking]'],
  ['another header', (cover) => cover.header('Accept', 'a'), 'a'],
  ['a property', (cover) => cover.property('customerName', 'Ada'), '*****[customer]'],
  ['a property of another case', (cover) => cover.property('CustomerName', 'Ada'), 'Ada'],
  ['a name of a secret', (cover) => cover.header('Authorization', 'Bearer x'), '*****[secret-names]'],
  ['a field with such a name', (cover) => cover.text('{"password":"x"}'), '{"password":"*****[secret-names]"}'],
  [
    'a path in JSON',
    (cover) => cover.text('{ "a": [{"pan": 4111, "b": 1.10}] }'),
    '{"a":[{"pan":"*****[card]","b":1.10}]}',
  ],
  ['an object that a path leads to', (cover) => cover.text('{"pan":{"first":"4111","b":1}}'), '{"pan":"*****[card]"}'],
  ['JSON without it', (cover) => cover.text('{ "a" : 1 }'), '{ "a" : 1 }'],
  [
    'a path in XML',
    (cover) => cover.text('<a xmlns="urn:bank" iban="CH01"><iban k="1">CH02<x>CH03</x></iban></a>'),
    '<a xmlns="urn:bank" iban="*****[iban]"><iban>*****[iban]</iban></a>',
  ],
  [
    'an expression over text',
    (cover) => cover.text('order no. 123456, NO.654321'),
    'order *****[digits], *****[digits]',
  ],
  [
    'a number in JSON stays JSON',
    (cover) => `${cover.text('{"pan":"41112222"}')}${cover.text('{"b":41112222}')}`,
    '{"pan":"*****[card]"}{"b":"*****[card]"}',
  ],
  ['JSON in JSON', (cover) => cover.text('{"a":"{\\"pan\\":\\"4111\\"}"}'), '{"a":"{\\"pan\\":\\"*****[card]\\"}"}'],
  [
    'JSON in XML',
    (cover) => cover.text('<a><![CDATA[{"pan":"4111"}]]></a>'),
    '<a><![CDATA[{"pan":"*****[card]"}]]></a>',
  ],
  [
    'a secret of JSON in JSON',
    (cover) => cover.text('{"a":"{\\"password\\":\\"x\\"}"}'),
    '{"a":"{\\"password\\":\\"*****[secret-names]\\"}"}',
  ],
  [
    'XML in JSON',
    (cover) => cover.text(JSON.stringify({ a: '<b:a xmlns:b="urn:bank"><b:iban>CH01</b:iban></b:a>' })),
    JSON.stringify({ a: '<b:a xmlns:b="urn:bank"><b:iban>*****[iban]</b:iban></b:a>' }),
  ],
  ['what only looks like JSON', (cover) => cover.text('{pan: 4111'), '{pan: 4111'],
];
for (const [what, masked, expected] of rows) test(`masks ${what}`, () => assert.equal(masked(begin()), expected));

test('a covered value is masked wherever it turns up again, also in what was masked before', () => {
  const cover = begin();
  const early = cover.property('copy', 'of 4111-2222 & more');
  assert.equal(early, 'of 4111-2222 & more');
  assert.equal(cover.covered, 0);
  cover.text('{"pan":"4111-2222"}');
  assert.equal(cover.covered, 1);
  assert.equal(cover.again(early), 'of *****[card] & more');
  assert.equal(cover.property('url', '/a?b=4111-2222'), '/a?b=*****[card]');
  assert.equal(begin().property('copy', '4111-2222'), '4111-2222');
});

test('short values are masked where a rule finds them alone', () => {
  const cover = begin();
  assert.equal(cover.text('{"pan":"12","b":"12"}'), '{"pan":"*****[card]","b":"12"}');
});

test('without the built-in rule names of secrets mask nothing', () => {
  const cover = createMasking({ rules, secretNames: false }).begin();
  assert.equal(cover.header('Authorization', 'a'), 'a');
  assert.equal(cover.text('{"password":"a","pan":"1"}'), '{"password":"a","pan":"*****[card]"}');
});

const wrong: readonly (readonly [rule: Partial<MaskingRule>, message: RegExp])[] = [
  [{ name: 'a b' }, /letters, digits/],
  [{ name: 'secret-names' }, /other than secret-names/],
  [{ expression: ' ' }, /no expression/],
  [{ kind: 'xpath', expression: '//[' }, /offset/],
  [{ kind: 'xpath', expression: '//x:a' }, /x/],
  [{ kind: 'jsonpath', expression: '$.[' }, /offset/],
  [{ kind: 'text', expression: '(' }, /./],
];
for (const [rule, message] of wrong) {
  test(`the rule ${JSON.stringify(rule)} is refused`, () => {
    const whole: MaskingRule = { name: 'a', kind: 'text', expression: 'a', ...rule };
    assert.throws(() => createMasking({ rules: [whole], secretNames: true }), message);
  });
}

/** Ways to put a text into another one. */
const wraps: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify({ a: [{ data: text }] }),
  (text) => JSON.stringify([1, text, { b: 'c' }]),
  (text) => `<w><v>${escapeText(text)}</v></w>`,
  (text) => `<w k="${escapeAttribute(text)}"/>`,
  (text) => `<w k="1"><![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]></w>`,
];
const starts: readonly ((value: string) => string)[] = [
  (value) => JSON.stringify({ pan: value }),
  (value) => `<a iban="${escapeAttribute(value)}"/>`,
  (value) => `<b:iban xmlns:b="urn:bank">${escapeText(value)}</b:iban>`,
];

test('a covered value stands nowhere in what is shown, however deep its payload is nested', () => {
  const odd = fc.string({ unit: fc.constantFrom(...'ab1é"&<>'.split(''), ' ', '\\', "'", '%', ']'), maxLength: 8 });
  const nested = fc.array(fc.constantFrom(...wraps), { maxLength: 5 });
  fc.assert(
    fc.property(odd, fc.constantFrom(...starts), nested, (middle, start, around) => {
      const value = `begin${middle}QUITE-SECRET`;
      const text = around.reduce((inner, wrap) => wrap(inner), start(value));
      const cover = begin();
      const early = cover.property('early', `see ${value}`);
      const shown = [cover.text(text), cover.property('late', `of ${value}.`), cover.header('X-Late', value)];
      for (const part of [...shown, cover.again(early)]) {
        assert.match(part, /\*{5}\[(?:card|iban|customer)\]/);
        assert.ok(!part.includes('QUITE-SECRET'), `${value} stands in ${part} of ${text}`);
      }
    }),
    { numRuns: 300 },
  );
});
