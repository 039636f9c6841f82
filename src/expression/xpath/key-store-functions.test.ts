import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { EvaluationError } from '../error.ts';
import { createTestScope } from '../test-scope.ts';
import { compileXPath } from './index.ts';

const home = join(import.meta.dirname, '../../../test/fixtures/keystore');
const scope = createTestScope({ properties: { 'system:carbon.home': home, 'default:text': 'grüezi' } });

function evaluate(expression: string): string {
  return compileXPath(expression, new Map()).evaluateString(scope) ?? '';
}

test('what encrypt makes, decrypt reads, with every kind of store and transformation', () => {
  const stores = ["'server.p12','storepass','server'", "'server.p12','storepass','SERVER','pkcs12'"];
  const algorithms = ['RSA', 'RSA/ECB/PKCS1Padding', 'RSA/ECB/OAEPwithSHA1andMGF1Padding'];
  for (const store of [...stores, ...algorithms.map((each) => `'server.p12','storepass','server','JKS','${each}'`)]) {
    const cipherText = evaluate(`encrypt($ctx:text,${store})`);
    assert.match(cipherText, /^[A-Za-z0-9+/]{342}==$/, store);
    assert.equal(evaluate(`decrypt('${cipherText}',${store})`), 'grüezi', store);
  }
});

test('a trusted certificate encrypts', () => {
  const cipherText = evaluate("encrypt('x','trust.jks','trustpass','ca-one')");
  assert.equal(evaluate(`decrypt('${cipherText}','server.p12','storepass','server')`), 'x');
});

test('whatever stands in the way is named, and the store read anew when its file changes', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-keys-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'store');
  copyFileSync(join(home, 'server.p12'), file);
  const cipherText = evaluate(`encrypt('x','${file}','storepass','server')`);
  const rows: readonly (readonly [string, RegExp])[] = [
    [`encrypt('x','${file}','wrong','server')`, /^encrypt failed: .*password/],
    [`encrypt('x','${file}','storepass','other')`, /no entry "other"; its aliases are "server"/],
    [`encrypt('x','${file}','storepass','server','BKS')`, /expected JKS or PKCS12 .* but found "BKS"/],
    [`encrypt('x','${file}','storepass','server','JKS','AES')`, /the transformation AES is unknown/],
    [`encrypt('x','absent.jks','storepass','server')`, /absent\.jks/],
    [`decrypt('!','${file}','storepass','server')`, /no Base64/],
    ["decrypt('AAAA','trust.jks','trustpass','ca-one')", /the entry "ca-one" has no private key/],
    [`decrypt('AAAA','${file}','storepass','server')`, /was not encrypted with this key/],
  ];
  for (const [expression, message] of rows) {
    assert.throws(
      () => evaluate(expression),
      (error) => error instanceof EvaluationError && message.test(error.message),
      expression,
    );
  }
  copyFileSync(join(home, 'trust.p12'), file);
  utimesSync(file, 1, 1);
  assert.throws(() => evaluate(`decrypt('${cipherText}','${file}','storepass','server')`), /password/);
});
