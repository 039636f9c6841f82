import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Findings } from './findings.ts';
import { parseToml } from './toml.ts';

function parse(text: string) {
  const findings = new Findings('file.toml', text);
  return { table: parseToml(text, findings), problems: findings.problems };
}

const placed = (text: string) =>
  parse(text).problems.map(({ message, position }) => `${position?.line}:${position?.column} ${message}`);

test('header, dotted key and full path lead to the same place', () => {
  for (const text of ['[a.b]\nc = 1', '[a]\nb.c = 1', 'a.b.c = 1', 'a = { b = { c = 1 } }']) {
    assert.deepEqual(
      parse(text).table?.values.map(({ path, raw }) => [path, raw]),
      [[['a', 'b', 'c'], 1]],
    );
  }
});

test('a byte order mark and any line ends are accepted', () => {
  const { table, problems } = parse('\uFEFFa = 1\r\nb = 2\r\n');
  assert.deepEqual(problems, []);
  assert.deepEqual(table?.values[1]?.position, { file: 'file.toml', line: 2, column: 1 });
});

test('a sub-table belongs to the last table of the array', () => {
  const { table } = parse('[[x]]\nn = 1\n[[x]]\nn = 2\n[x.y]\nz = 3');
  const items = table?.lists.get('x') ?? [];
  assert.deepEqual(
    items.map((item) => item.values.map(({ path, raw }) => [path.join('.'), raw])),
    [
      [['x.n', 1]],
      [
        ['x.n', 2],
        ['x.y.z', 3],
      ],
    ],
  );
});

test('what is wrong is named with its place and what was expected', () => {
  assert.deepEqual(placed('a = 1\nb = \nc = 2'), [
    '2:5 not valid TOML: expected a value: a quoted text, a number, true, false, an array or an inline table',
  ]);
  assert.deepEqual(placed('[a\nb = 1'), [
    '1:3 not valid TOML: expected the rest of the header or "key = value" on this line',
  ]);
  assert.deepEqual(placed('a = 1 b = 2'), ['1:7 not valid TOML: expected the end of the line after the value']);
  assert.deepEqual(placed('a = "x'), ['1:7 not valid TOML: the text has no closing quote on this line']);
  assert.deepEqual(placed('a = [1, "x"]'), [
    '1:5 an array holds values of one type; this one mixes integer and string',
  ]);
});

test('a text without quotes gets the hint to quote it', () => {
  assert.equal(parse('mode = single').problems[0]?.hint, 'texts need quotes, as in key = "text"');
});

test('of several repeated definitions the first in the file is reported', () => {
  const text = '[a]\nx = 1\nx = 2\n[b]\ny = 1\n[b]\ny = 2';
  assert.deepEqual(placed(text), ['3:1 not valid TOML: the key or table is already defined']);
});
