import assert from 'node:assert/strict';
import test from 'node:test';
import { parseJson, stringifyJson, type JsonValue } from '#json';
import { EvaluationError, ExpressionError } from '../error.ts';
import { addAt, compileJsonPath, removeAt, renameAt, setAt } from './index.ts';
import { jsonPathDocument, jsonPathRows } from './jsonpath-rows.ts';

const document = parseJson(jsonPathDocument);

test('paths lead where Jayway leads them', () => {
  for (const [path, expected] of jsonPathRows) assert.equal(evaluate(path), expected, path);
});

test('paths that fan out are not definite', () => {
  for (const path of ['$..a', '$.*', '$.a[*]', '$.a[0,1]', '$.a[1:2]', '$.a[?(@.b)]', "$['a','b'].c"]) {
    assert.equal(compileJsonPath(path).definite, false, path);
  }
  for (const path of ['$', '$.a.b', "$['a']", '$.a[0]', '$.a[-1]', "$['a','b']"]) {
    assert.equal(compileJsonPath(path).definite, true, path);
  }
});

type Change = (places: ReturnType<ReturnType<typeof compileJsonPath>['locate']>) => void;
const setNine: Change = (places) => {
  for (const place of places) setAt(place, 'new');
};
const addMore: Change = (places) => {
  for (const place of places) addAt(place, parseJson('["x"]'));
};
const addMember: Change = (places) => {
  for (const place of places) addAt(place, parseJson('{"x":1}'));
};
const rename: Change = (places) => {
  for (const place of places) renameAt(place, 'renamed');
};

const changeRows: readonly (readonly [name: string, change: Change, path: string, before: string, after: string])[] = [
  ['set', setNine, '$.a', '{"a":1,"b":2}', '{"a":"new","b":2}'],
  ['set', setNine, '$.c', '{"a":1}', '{"a":1,"c":"new"}'],
  ['set', setNine, '$.x.y', '{"a":1}', '{"a":1}'],
  ['set', setNine, '$.a[0]', '{"a":[1,2]}', '{"a":["new",2]}'],
  ['set', setNine, '$.a[-1]', '{"a":[1,2]}', '{"a":[1,"new"]}'],
  ['set', setNine, '$.a[*]', '{"a":[1,2]}', '{"a":["new","new"]}'],
  [
    'set',
    setNine,
    '$..id',
    '{"id":1,"s":[{"id":2},{"x":{"id":3}}]}',
    '{"id":"new","s":[{"id":"new"},{"x":{"id":"new"}}]}',
  ],
  ['set', setNine, '$.s[?(@.n>1)].n', '{"s":[{"n":1},{"n":2}]}', '{"s":[{"n":1},{"n":"new"}]}'],
  ['remove', removeAt, '$.a', '{"a":1,"b":2}', '{"b":2}'],
  ['remove', removeAt, '$.a[0]', '{"a":[1,2,3]}', '{"a":[2,3]}'],
  ['remove', removeAt, '$.a[0,2]', '{"a":[1,2,3]}', '{"a":[2]}'],
  ['remove', removeAt, '$.a[?(@ > 1)]', '{"a":[1,2,3]}', '{"a":[1]}'],
  ['remove', removeAt, "$['a','b']", '{"a":1,"b":2,"c":3}', '{"c":3}'],
  ['remove', removeAt, '$..x', '{"x":1,"y":{"x":2,"z":3}}', '{"y":{"z":3}}'],
  ['add', addMore, '$.a', '{"a":[1]}', '{"a":[1,"x"]}'],
  ['add', addMore, '$', '[1]', '[1,"x"]'],
  ['add', addMember, '$', '{"a":1}', '{"a":1,"x":1}'],
  ['add', addMember, '$.a', '{"a":[1]}', '{"a":[1,{"x":1}]}'],
  ['rename', rename, '$.a', '{"a":1,"b":2}', '{"renamed":1,"b":2}'],
  ['rename', rename, '$.s[*].a', '{"s":[{"a":1},{"a":2}]}', '{"s":[{"renamed":1},{"renamed":2}]}'],
];

test('places that a path leads to can be changed', () => {
  for (const [name, change, path, before, after] of changeRows) {
    const root = parseJson(before);
    change(compileJsonPath(path).locate(root));
    assert.equal(stringifyJson(root), after, `${name} ${path}`);
  }
});

test('malformed paths say where', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['$.a[', 4],
    ['$.a[0', 5],
    ['$.a[?(@.b == )]', 13],
    ['$.a[?(@.b =~ /x)]', 13],
    ['$.a b', 3],
    ['$.foo()', 2],
    ['$.a[x]', 4],
    ['a[', 2],
  ];
  for (const [path, offset] of rows) {
    assert.throws(
      () => compileJsonPath(path),
      (error) => error instanceof ExpressionError && error.offset === offset,
      path,
    );
  }
});

function evaluate(path: string): string {
  try {
    const value: JsonValue | undefined = compileJsonPath(path).evaluate(document);
    return value === undefined ? 'missing' : stringifyJson(value);
  } catch (error) {
    if (error instanceof ExpressionError) return 'error';
    if (error instanceof EvaluationError) return 'fails';
    throw error;
  }
}
