import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parseXml } from '#xml';
import { ExpressionError } from '../error.ts';
import { createTestScope } from '../test-scope.ts';
import { describeValue } from './describe-value.ts';
import { compileXPath } from './index.ts';

interface Recorded {
  readonly documents: Readonly<Record<string, string>>;
  readonly namespaces: Readonly<Record<string, string>>;
  readonly rows: readonly {
    readonly document: string;
    readonly expression: string;
    readonly result: string;
    readonly oracle: string;
  }[];
}

const fixture = join(import.meta.dirname, '../../../test/fixtures/xpath/rows.json');
const { documents, namespaces, rows } = JSON.parse(readFileSync(fixture, 'utf8')) as Recorded;

test("expressions give what the original's engine gave, or what the recommendation says", () => {
  const prefixes = new Map(Object.entries(namespaces));
  const roots = new Map(Object.entries(documents).map(([name, text]) => [name, parseXml(text).root]));
  for (const { document, expression, result, oracle } of rows) {
    const envelope = roots.get(document);
    assert(envelope, document);
    const evaluate = (): string => {
      try {
        return describeValue(compileXPath(expression, prefixes).evaluate(createTestScope({ envelope })));
      } catch (error) {
        if (error instanceof ExpressionError) return 'error';
        throw error;
      }
    };
    assert.equal(evaluate(), result, `${document}: ${expression} (${oracle})`);
  }
});
