import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import {
  compareJsonNumbers,
  JsonError,
  jsonEquals,
  JsonNumber,
  parseJson,
  stringifyJson,
  type JsonValue,
} from './index.ts';

const valid: readonly (readonly [text: string, compact: string])[] = [
  ['{}', '{}'],
  ['[]', '[]'],
  [' { "a" : [ 1 , 2 ] } ', '{"a":[1,2]}'],
  ['"\\u0041\\n\\/\\\\"', '"A\\n/\\\\"'],
  ['"\\ud83d\\ude00"', '"😀"'],
  ['1.50', '1.50'],
  ['-0', '-0'],
  ['1e5', '1e5'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['{"a":1,"a":2}', '{"a":2}'],
  ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
  ['\ufeff{"a":true}', '{"a":true}'],
  ['[null,false,"\t"]'.replace('\t', '\\t'), '[null,false,"\\t"]'],
];

test('JSON is read with numbers and order as written', () => {
  for (const [text, compact] of valid) assert.equal(stringifyJson(parseJson(text)), compact, text);
});

const invalid: readonly (readonly [text: string, line: number, column: number, message: RegExp])[] = [
  ['', 1, 1, /expected a value but found the end/],
  ['{', 1, 2, /expected a member name in double quotes/],
  ['{"a"}', 1, 5, /expected ":" but found "}"/],
  ['{"a":1,}', 1, 8, /expected a member name/],
  ['[1,]', 1, 4, /expected a value but found "]"/],
  ['[1 2]', 1, 4, /expected "," or "]"/],
  ['{\n"a": 01}', 2, 7, /expected "," or "}"/],
  ['"abc', 1, 5, /expected a closing quotation mark/],
  ['"a\nb"', 1, 3, /expected a closing quotation mark/],
  ['"\\x"', 1, 2, /expected an escape sequence/],
  ['"\\u12g4"', 1, 2, /expected an escape sequence/],
  ['tru', 1, 1, /expected a value but found "t"/],
  ['1.', 1, 2, /expected nothing more/],
  ['{} x', 1, 4, /expected nothing more but found "x"/],
  ["{'a':1}", 1, 2, /expected a member name/],
];

test('malformed JSON is refused with line and column', () => {
  for (const [text, line, column, message] of invalid) {
    assert.throws(
      () => parseJson(text),
      (error) => {
        assert(error instanceof JsonError, text);
        assert.match(error.message, message);
        assert.deepEqual([error.line, error.column], [line, column], text);
        return true;
      },
    );
  }
});

test('nesting is bounded', () => {
  assert.equal(stringifyJson(parseJson('['.repeat(512) + ']'.repeat(512))).length, 1024);
  assert.throws(() => parseJson('['.repeat(513)), /nested deeper than 512/);
  assert.throws(() => parseJson('[[[]]]', { maxDepth: 2 }), /nested deeper than 2 at line 1, column 3/);
});

test('leading characters are skipped only on demand', () => {
  assert.equal(stringifyJson(parseJson(')]}\'{"a":1}', { skipLeading: true })), '{"a":1}');
  assert.throws(() => parseJson('x{"a":1}'), JsonError);
});

test('equality looks at values, not at their spelling', () => {
  const same: readonly (readonly [string, string])[] = [
    ['1', '1.0'],
    ['100', '1e2'],
    ['{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['[1,[2]]', '[1.0,[2]]'],
    ['123456789012345678901', '1234567890123456789.01e2'],
  ];
  for (const [left, right] of same) assert(jsonEquals(parseJson(left), parseJson(right)), `${left} ${right}`);
  const different: readonly (readonly [string, string])[] = [
    ['1', '"1"'],
    ['null', 'false'],
    ['[1,2]', '[2,1]'],
    ['{"a":1}', '{"b":1}'],
    ['{"a":null}', '{}'],
    ['123456789012345678901', '123456789012345678902'],
  ];
  for (const [left, right] of different) assert(!jsonEquals(parseJson(left), parseJson(right)), `${left} ${right}`);
  assert(compareJsonNumbers(new JsonNumber('0.1'), new JsonNumber('0.10000000000000001')) < 0);
});

test('what is written is read back as the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const parsed: JsonValue = parseJson(text);
      assert.deepEqual(JSON.parse(stringifyJson(parsed)), JSON.parse(text));
      assert.equal(stringifyJson(parseJson(stringifyJson(parsed))), stringifyJson(parsed));
    }),
    { numRuns: 300, verbose: 1 },
  );
});

test('the parser accepts what JSON.parse accepts and nothing else', () => {
  const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"', '1', '-', '0', '.5', 'e3', 'true', 'null', ' ', '\\', '\n'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 10 }), (parts) => {
      const text = parts.join('');
      assert.equal(accepts(parseJson, text, JsonError), accepts(JSON.parse, text, SyntaxError), text);
    }),
    { numRuns: 2000, verbose: 1 },
  );
});

function accepts(parse: (text: string) => unknown, text: string, kind: new (...args: never[]) => Error): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    assert(error instanceof kind, text);
    return false;
  }
}
