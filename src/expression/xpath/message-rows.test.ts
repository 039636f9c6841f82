import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parseXml } from '#xml';
import { createTestScope, type TestMessage } from '../test-scope.ts';
import { compileXPath } from './index.ts';

interface Recorded {
  readonly envelope: string;
  readonly message: TestMessage;
  readonly rows: readonly { readonly expression: string; readonly result: string | null; readonly oracle: string }[];
}

const fixture = join(import.meta.dirname, '../../../test/fixtures/xpath/message-rows.json');
const { envelope, message, rows } = JSON.parse(readFileSync(fixture, 'utf8')) as Recorded;

test('variables and functions read the message at every edge', () => {
  const map = new Map(Object.entries(message.properties?.['default:map'] ?? {}));
  const properties = { ...message.properties, 'default:map': map };
  const scope = createTestScope({ ...message, properties, envelope: parseXml(envelope).root });
  const namespaces = new Map([['s', 'http://www.w3.org/2003/05/soap-envelope']]);
  for (const { expression, result, oracle } of rows) {
    const text = compileXPath(expression, namespaces).evaluateString(scope);
    assert.equal(text ?? null, result, `${expression} (${oracle})`);
  }
});
