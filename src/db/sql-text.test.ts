import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countPlaceholders, numberPlaceholders, splitStatements } from './sql-text.ts';

describe('SQL text', () => {
  it('numbers placeholders, and nothing that only looks like one', () => {
    const rows: readonly (readonly [string, string])[] = [
      ['select ? + ?', 'select $1 + $2'],
      ["select '?' || ?", "select '?' || $1"],
      ["select 'it''s ?' || ?", "select 'it''s ?' || $1"],
      ['select "a?" from t where x = ?', 'select "a?" from t where x = $1'],
      ['select ? -- why?\n, ?', 'select $1 -- why?\n, $2'],
      ['select /* ? */ ?', 'select /* ? */ $1'],
      ['select $tag$ ? $tag$ || ?', 'select $tag$ ? $tag$ || $1'],
      ["select 'open ?", "select 'open ?"],
    ];
    for (const [sql, expected] of rows) assert.equal(numberPlaceholders(sql), expected);
    assert.equal(countPlaceholders("select ?, '?', ?"), 2);
  });

  it('splits statements at semicolons outside of strings', () => {
    assert.deepEqual(splitStatements("insert into t values ('a;b'); delete from t ;\n;"), [
      "insert into t values ('a;b')",
      'delete from t',
    ]);
    assert.deepEqual(splitStatements(' '), []);
  });
});
