import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import test from 'node:test';
import * as fc from 'fast-check';
import { MillraceError } from '#errors';
import { namespacesInScope, parseXml, type XmlElement } from '#xml';
import {
  compileExpression,
  compileInlineTemplate,
  compilePathTemplate,
  compileUriTemplate,
  compileValue,
  ExpressionError,
} from './index.ts';
import { jsonPathRows } from './jsonpath/jsonpath-rows.ts';
import { createTestScope, type TestMessage } from './test-scope.ts';
import { xpathRows } from './xpath/xpath-rows.ts';

const message: TestMessage = {
  json: '{"a":{"b":[1,2,3]},"s":"text","f":4.50,"i":5,"t":true,"k":null,"e":"","m":{"members":[1]},"x":{"elements":{"y":1}},"list":[{"id":"a","v":1},{"id":"b","v":2}]}',
  properties: {
    'default:p': 'value',
    'default:j': '{"store":{"book":[{"price":8,"title":"A"},{"price":12,"title":"B"}]}}',
    'default:id': 'b',
    'axis2:j': '[1,2]',
  },
  headers: { body: '{"h":1}' },
  variables: { m: new Map([['a', [1, 2]]]) },
};

/** Expression, language, needs the body, text, condition. */
const rows: readonly (readonly [string, string, boolean, string | undefined, boolean])[] = [
  ['json-eval($)', 'jsonpath', true, message.json, false],
  ['json-eval($.)', 'jsonpath', true, message.json, false],
  ['json-eval()', 'jsonpath', true, message.json, false],
  [' json-eval($.s) ', 'jsonpath', true, 'text', false],
  ['json-eval($.f)', 'jsonpath', true, '4.50', false],
  ['json-eval($.t)', 'jsonpath', true, 'true', true],
  ['json-eval($.k)', 'jsonpath', true, 'null', false],
  ['json-eval($.e)', 'jsonpath', true, '', false],
  ['json-eval($.missing)', 'jsonpath', true, '', false],
  ['json-eval($.a)', 'jsonpath', true, '{"b":[1,2,3]}', false],
  ['json-eval($.a.b)', 'jsonpath', true, '[1,2,3]', false],
  ['json-eval($.a.b.)', 'jsonpath', true, '[1,2,3]', false],
  ['json-eval($..v)', 'jsonpath', true, '[1,2]', false],
  ['json-eval($..nothing)', 'jsonpath', true, '[]', false],
  ['json-eval(a.b[0])', 'jsonpath', true, '1', false],
  ['json-eval($.m)', 'jsonpath', true, '[1]', false],
  ['json-eval($.x)', 'jsonpath', true, '{"y":1}', false],
  ['json-eval($.list[0,1].id)', 'jsonpath', true, '["a","b"]', false],
  ['json-eval($ctx:j.store.book[0].title)', 'jsonpath', false, 'A', false],
  ['json-eval($ctx:j.store.book[?(@.price > 10)].title)', 'jsonpath', false, '["B"]', false],
  [
    'json-eval($ctx:j)',
    'jsonpath',
    false,
    '{"store":{"book":[{"price":8,"title":"A"},{"price":12,"title":"B"}]}}',
    false,
  ],
  ['json-eval($ctx:none.x)', 'jsonpath', false, '', false],
  ['json-eval($axis2:j.[1])', 'jsonpath', false, '2', false],
  ['json-eval($axis2:j[0])', 'jsonpath', false, '1', false],
  ['json-eval($trp:body.h)', 'jsonpath', false, '1', false],
  ['json-eval($var:m.a[1])', 'jsonpath', false, '2', false],
  ["json-eval($.list[?(@.id == '{$ctx:id}')].v)", 'jsonpath', true, '[2]', false],
  ["json-eval($.{get-property('p')})", 'jsonpath', true, '', false],
  ['${payload.s}', 'synapse', true, 'text', false],
  [' ${payload.t} ', 'synapse', true, 'true', true],
  ['${payload.i > 4}', 'synapse', true, 'true', true],
  ['${1 + 1}', 'synapse', false, '2', false],
  ['${payload.none}', 'synapse', true, undefined, false],
  ['//s', 'xpath', true, 'text', true],
  ['$ctx:p', 'xpath', false, 'value', true],
  ["get-property('none')", 'xpath', false, undefined, false],
  ["concat('[', get-property('none'), ']')", 'xpath', false, '[]', true],
  ["'json-eval'", 'xpath', false, 'json-eval', true],
];

test('the text of an expression shows its language', () => {
  const scope = createTestScope(message);
  for (const [text, language, contentAware, string, boolean] of rows) {
    const expression = compileExpression(text);
    assert.deepEqual([expression.language, expression.contentAware], [language, contentAware], text);
    assert.equal(expression.evaluateString(scope), string, text);
    assert.equal(expression.evaluateBoolean(scope), boolean, text);
  }
});

test('values in attributes are literal or dynamic', () => {
  const scope = createTestScope(message);
  const values: readonly (readonly [text: string, literal: string | undefined, result: string | undefined])[] = [
    ['plain', 'plain', 'plain'],
    ['', '', ''],
    ['{$ctx:p}', undefined, 'value'],
    ["{get-property('p')}", undefined, 'value'],
    ['{json-eval($.s)}', undefined, 'text'],
    ['{${payload.s}}', undefined, 'text'],
    ['{{$ctx:p}}', '{$ctx:p}', '{$ctx:p}'],
    ['${payload.s}', '${payload.s}', '${payload.s}'],
    ['a{$ctx:p}', 'a{$ctx:p}', 'a{$ctx:p}'],
    ['{}', '{}', '{}'],
  ];
  for (const [text, literal, result] of values) {
    const value = compileValue(text);
    assert.equal(value.literal, literal, text);
    assert.equal(value.evaluate(scope), result, text);
  }
});

test('texts have every expression of a line replaced', () => {
  const scope = createTestScope(message);
  const templates: readonly (readonly [text: string, result: string])[] = [
    ['plain', 'plain'],
    ['a ${payload.s} b ${payload.i}', 'a text b 5'],
    ['${payload.none}!', '!'],
    ['${', '${'],
    ['${\n}', '${\n}'],
    ['{${payload.s}}', '{text}'],
  ];
  for (const [text, result] of templates) assert.equal(compileInlineTemplate(text).evaluate(scope), result, text);
});

test('errors count from the start of the whole text', () => {
  const cases: readonly (readonly [compile: (text: string) => unknown, text: string, offset: number])[] = [
    [compileExpression, ' ${payload.}', 11],
    [compileExpression, 'json-eval($.a[)', 14],
    [compileExpression, 'json-eval($ctx:a.b[)', 19],
    [compileExpression, "json-eval($.a[?(@.b == '{//x[}')])", 29],
    [compileExpression, '//a[', 4],
    [compileValue, '{//a[}', 5],
    [compileValue, '{${1 +}}', 6],
    [compileInlineTemplate, 'ab ${1 +} c', 8],
  ];
  for (const [compile, text, offset] of cases) {
    assert.throws(
      () => compile(text),
      (error) => {
        assert(error instanceof ExpressionError, text);
        assert.equal(error.offset, offset, text);
        return true;
      },
    );
  }
});

const seeds = [
  ...xpathRows.map(([text]) => text),
  ...jsonPathRows.map(([text]) => `json-eval(${text})`),
  ...rows.map(([text]) => text),
  '${payload.items[?(@.n > vars.i && @.t in ["a"])].t + toUpper("x") ? 1 : [1, 2]}',
];

test('mutated expressions raise nothing but errors of their languages', () => {
  const scope = createTestScope(message);
  fc.assert(
    fc.property(mutated(seeds), (text) => {
      survives(() => compileExpression(text).evaluateString(scope), text);
      survives(() => compileValue(text).evaluate(scope), text);
      survives(() => compileInlineTemplate(text).evaluate(scope), text);
    }),
    { numRuns: 3000, verbose: 1 },
  );
});

test('mutated templates raise nothing but errors of their languages', () => {
  fc.assert(
    fc.property(mutated(['/a/{x}/b{.y}{/z,w}', 'http://h/{a}{?b,c}{&d}', '/a?x={+x}&y={y:3}*']), (text) => {
      survives(() => compileUriTemplate(text).expand(() => 'v'), text);
      survives(() => compilePathTemplate(text).match('/a/1/b.2/3/4?x=1&y=abc'), text);
    }),
    { numRuns: 2000, verbose: 1 },
  );
});

const corpus = new URL('../../../shared/corpus/synapse/', import.meta.url).pathname;
/** A text of the corpus that is no XPath. */
const faulty = /^\$$/;

test('expressions of existing artifacts compile', { skip: existsSync(corpus) ? false : 'the corpus is absent' }, () => {
  let count = 0;
  for (const file of globSync('**/*.xml', { cwd: corpus })) {
    for (const [element, text] of expressionsOf(readFileSync(`${corpus}/${file}`, 'utf8'))) {
      if (faulty.test(text) || /\)\s*,\s*\$/.test(text) || (text.startsWith('json-eval(') && text.includes(',$')))
        continue;
      const isPath = element.attributes.some(({ local, value }) => local === 'evaluator' && value === 'json');
      const wrapped = isPath && !text.startsWith('json-eval(') ? `json-eval(${text})` : text;
      assert.doesNotThrow(
        () => compileExpression(wrapped, { namespaces: namespacesInScope(element) }),
        `${file}: ${text}`,
      );
      count++;
    }
  }
  assert(count > 300, `only ${count} expressions were found`);
});

function expressionsOf(source: string): (readonly [XmlElement, string])[] {
  const found: (readonly [XmlElement, string])[] = [];
  const visit = (element: XmlElement): void => {
    for (const { local, uri, value } of element.attributes) {
      if (uri === '' && (local === 'expression' || local === 'xpath')) found.push([element, value]);
    }
    for (const child of element.children) if (child.kind === 'element') visit(child);
  };
  visit(parseXml(source).root);
  return found;
}

function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  const noise = fc.constantFrom(
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
    '$',
    '.',
    '..',
    '/',
    '//',
    '@',
    '*',
    "'",
    '"',
    ':',
    ',',
    ' ',
    '-',
    '1',
    '?',
    '=',
    'a',
    '|',
    '%',
    '\n',
    '\0',
    '😀',
  );
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(fc.tuple(fc.nat(80), fc.nat(3), noise), { minLength: 1, maxLength: 4 }))
    .map(([text, edits]) =>
      edits.reduce((result, [at, removed, added]) => result.slice(0, at) + added + result.slice(at + removed), text),
    );
}

function survives(act: () => unknown, text: string): void {
  try {
    act();
  } catch (error) {
    assert(error instanceof MillraceError, `${text}: ${String(error)}`);
  }
}
