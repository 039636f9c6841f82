import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parseJson, stringifyJson } from '#json';
import { EvaluationError, ExpressionError } from '../error.ts';
import { compileJsonPath } from './index.ts';

interface Recorded {
  readonly document: string;
  readonly rows: readonly { readonly expression: string; readonly result: string; readonly oracle: string }[];
}

const fixture = join(import.meta.dirname, '../../../test/fixtures/jsonpath/rows.json');
const { document, rows } = JSON.parse(readFileSync(fixture, 'utf8')) as Recorded;

test("paths lead where the original's engine led", () => {
  const root = parseJson(document);
  const evaluate = (expression: string): string => {
    try {
      const value = compileJsonPath(expression).evaluate(root);
      return value === undefined ? 'missing' : stringifyJson(value);
    } catch (error) {
      if (error instanceof ExpressionError) return 'error';
      if (error instanceof EvaluationError) return 'fails';
      throw error;
    }
  };
  for (const { expression, result, oracle } of rows) {
    assert.equal(evaluate(expression), result, `${expression} (${oracle})`);
  }
});
