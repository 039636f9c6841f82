import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { JsonError, parseJson, readJsonAt, stringifyJson, valueAt, type JsonKeys } from './index.ts';

const rows: readonly (readonly [text: string, keys: JsonKeys, expected: string | undefined])[] = [
  ['{"a":{"b":[1,{"c":"x"}]}}', ['a', 'b', 1, 'c'], '"x"'],
  [' {"a" : 1.50 } ', ['a'], '1.50'],
  ['\ufeff[true]', [0], 'true'],
  ['7', [], '7'],
  ['{"a":1,"a":2}', ['a'], '2'],
  ['{"a":{"b":1},"a":{"c":2}}', ['a', 'b'], undefined],
  ['{"a":{"b":1},"a":3}', ['a', 'b'], undefined],
  ['{"\\u0061":1}', ['a'], '1'],
  ['{"a\\"":1}', ['a"'], '1'],
  ['{"a\\\\":1}', ['a\\'], '1'],
  ['{"a\\":1}":2}', ['a\\'], undefined],
  ['{"\\\\":1}', ['\\\\'], undefined],
  ['{"":{"":1}}', ['', ''], '1'],
  ['{"__proto__":1}', ['__proto__'], '1'],
  ['{"0":1}', [0], undefined],
  ['[1]', ['0'], undefined],
  ['[1]', [1], undefined],
  ['{"a":null}', ['a'], 'null'],
  ['"text"', ['length'], undefined],
];

test('keys lead through a text where they lead through its value', () => {
  for (const [text, keys, expected] of rows) {
    const found = readJsonAt(text, keys);
    assert.equal(found === undefined ? undefined : stringifyJson(found), expected, text);
  }
});

test('what is malformed anywhere in the text raises the error of the parser', () => {
  for (const text of [
    '{"a":1',
    '{"a":1}x',
    '{"a":1,"b":01}',
    '{"a":1,"b":"\\x"}',
    '{"a":1,"b":[1,]}',
    '',
    '{"b":tru}',
  ]) {
    assert.throws(() => readJsonAt(text, ['a']), parserError(text), text);
  }
});

test('a text may be nested as deep as the parser allows', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
  const keys = Array.from({ length: 512 }, () => 0);
  assert.equal(stringifyJson(readJsonAt(nested(512), keys) ?? null), '1');
  assert.equal(readJsonAt(nested(512), ['a']), undefined);
  for (const place of [keys, ['a'], keys.slice(0, 3)]) {
    assert.throws(() => readJsonAt(nested(513), place), /nested deeper than 512/);
  }
});

test('random texts and keys: reading a part and reading all agree', () => {
  const name = fc.constantFrom('a', 'a', 'a', '"', '\\', '😀\n');
  const text = fc.letrec<{ value: string; spelling: string }>((tie) => ({
    // Names in any spelling, more than once, with blanks around.
    spelling: fc.tuple(name, fc.boolean()).map(([each, escapes]) => (escapes ? escaped(each) : JSON.stringify(each))),
    value: fc.oneof(
      { maxDepth: 4 },
      { weight: 40, arbitrary: fc.constantFrom('1', '-0.50e+3', 'true', 'null', '"x"', '"\\u0041\\n"') },
      { weight: 1, arbitrary: fc.constantFrom('01', '1.', '"', '{', 'nul', '"\\x"', ']') },
      { weight: 20, arbitrary: items(tie('value')) },
      { weight: 40, arbitrary: members(tie('spelling'), tie('value')) },
    ),
  })).value;
  const keys = fc.array(fc.oneof(name, fc.nat(1)), { maxLength: 4 });
  let found = 0;
  fc.assert(
    fc.property(text, keys, (json, path) => {
      let expected: ReturnType<typeof valueAt>;
      try {
        expected = valueAt(parseJson(json), path);
      } catch {
        assert.throws(() => readJsonAt(json, path), parserError(json));
        return;
      }
      if (path.length > 0 && expected !== undefined) found++;
      assert.deepEqual(readJsonAt(json, path), expected, json);
    }),
    { numRuns: 5000 },
  );
  assert(found > 100, `only ${found} paths led anywhere`);
});

function items(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(value, { maxLength: 4 }).map((each) => `[${each.join(' , ')}]`);
}

function members(name: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(name, value).map((parts) => parts.join(': '));
  return fc.array(member, { maxLength: 6 }).map((each) => `{ ${each.join(',')}\n}`);
}

function escaped(name: string): string {
  const units = Array.from({ length: name.length }, (_, index) => name.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

function parserError(text: string): (error: unknown) => boolean {
  let message = '';
  try {
    parseJson(text);
  } catch (error) {
    message = String(error);
  }
  return (error) => error instanceof JsonError && message !== '' && String(error) === message;
}
