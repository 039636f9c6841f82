import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ExpressionError } from '../error.ts';
import { createTestScope } from '../test-scope.ts';
import { compileSynapse } from './index.ts';
import { synapseMessage } from './test-message.ts';

interface Row {
  readonly expression: string;
  /** The text; null where there is none. */
  readonly result?: string | null;
  /** True when the expression is refused. */
  readonly error?: boolean;
  readonly oracle: string;
}

const fixture = join(import.meta.dirname, '../../../test/fixtures/synapse/rows.json');
const rows = JSON.parse(readFileSync(fixture, 'utf8')) as readonly Row[];

test('operators, paths and functions give what their rules say at every edge', () => {
  const scope = createTestScope(synapseMessage);
  for (const { expression, result, error, oracle } of rows) {
    const evaluate = (): string | undefined => compileSynapse(expression, new Map()).evaluateString(scope);
    if (error) assert.throws(evaluate, ExpressionError, `${expression} (${oracle})`);
    else assert.equal(evaluate() ?? null, result, `${expression} (${oracle})`);
  }
});
