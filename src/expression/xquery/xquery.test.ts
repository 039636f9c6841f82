import assert from 'node:assert/strict';
import test from 'node:test';
import { EvaluationError } from '../error.ts';
import { createTestScope } from '../test-scope.ts';
import { createXQuery } from './index.ts';

const scope = createTestScope({});

function texts(query: string): string[] {
  const items = createXQuery(query).evaluate(scope, new Map());
  return items.map((item) => ('text' in item ? item.text : item.node.kind));
}

const rows: readonly (readonly [query: string, expected: readonly string[]])[] = [
  ['declare function local:f($a) { $a + 1 }; local:f(1)', ['2']],
  [
    `xquery version "1.0"; declare function local:sum($n as xs:integer) as xs:integer {
      if ($n < 1) then 0 else $n + local:sum($n - 1)
    }; local:sum(4)`,
    ['10'],
  ],
  ['declare namespace q = "urn:q"; declare function q:f($a) { $a }; q:f(2)', ['2']],
  ['declare namespace q = "urn:q"; declare variable $q:v := 5; $q:v', ['5']],
  ['declare default function namespace "urn:z"; declare function f($a) { $a }; f((2, "x"))', ['2', 'x']],
];

test('functions and variables that a query declares are found', () => {
  for (const [query, expected] of rows) assert.deepEqual(texts(query), expected, query);
});

test('a function that a query does not declare, or that never ends, fails', () => {
  for (const query of ['local:f(1)', 'declare function local:f($a) { local:f($a) }; local:f(1)']) {
    assert.throws(() => texts(query), EvaluationError, query);
  }
});
