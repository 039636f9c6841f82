import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parseXml } from '#xml';
import { compileExpression } from '../compile.ts';
import { EvaluationError, ExpressionError } from '../error.ts';
import { createTestScope } from '../test-scope.ts';
import { compileXPath2 } from './compile.ts';
import { allowXPath2 } from './switch.ts';

const fixtures = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/xpath2/rows.json'), 'utf8'),
) as {
  readonly document: string;
  readonly rows: readonly { readonly expression: string; readonly expected: string }[];
};
const envelope = parseXml(fixtures.document).root;
const namespaces = new Map([['n', 'urn:n']]);

/** Expressions whose results differ from Saxon's, and why. */
const deviations: ReadonlyMap<string, string> = new Map<string, string>([
  ['string(xs:double(100000000))', 'the engine writes doubles without an exponent'],
  ['5 treat as xs:integer', 'the engine does not know "treat as"'],
  ["in-scope-prefixes(/*)[. = 'n']", 'the engine does not know the function'],
  [
    "adjust-dateTime-to-timezone(xs:dateTime('2024-01-01T00:00:00Z'),xs:dayTimeDuration('PT2H'))",
    'the engine does not know the function',
  ],
]);

test('expressions of XPath 2.0 and 3.1 give what Saxon gives', (context) => {
  let failures = '';
  for (const { expression, expected } of fixtures.rows) {
    const actual = joined(expression);
    if ((actual === expected) === deviations.has(expression)) {
      failures += `${expression}\n  expected ${expected}\n  found    ${actual}\n`;
    }
  }
  assert.equal(failures, '');
  context.diagnostic(`${fixtures.rows.length - deviations.size} of ${fixtures.rows.length}`);
});

const scope = createTestScope({
  envelope,
  properties: { 'default:n': 5, 'default:s': 'x', 'default:e': parseXml('<a><b>7</b></a>').root, 'axis2:p': 'q' },
  headers: { 'content-type': 'text/xml' },
  to: '/p?id=9',
});

const messageRows: readonly (readonly [string, string | undefined])[] = [
  ['for $i in 1 to 2 return $ctx:n + $i', '6 7'],
  ['let $e := $ctx:e/b return $e', '7'],
  ["string-join(($axis2:p, get-property('axis2','p'), get-property('s')), '-')", 'q-q-x'],
  ['($trp:Content-Type, $url:id)[2]', '9'],
  ["if ($ctx:missing) then 'a' else 'b'", 'b'],
  ["string-join(('$ctx:n', \"$ctx:s\"), ' ')", '$ctx:n $ctx:s'],
  ['(//symbol)[1][true() eq true()]', 'IBM'],
  ['//symbol[. ne "IBM"][1]/.. ! @id', '233a'],
  ['let $b := $body return count($b//order)', '4'],
  ["(base64Encode('a'), url-encode('a b'))[2]", 'a%20b'],
  ['$ctx:n idiv 2', '2'],
];

test('variables and functions of messages are there', () => {
  for (const [expression, expected] of messageRows) {
    const compiled = compileExpression(expression, { namespaces });
    assert.equal(compiled.evaluateString(scope), expected, expression);
  }
});

test('results have their own types', () => {
  const evaluate = (text: string): unknown => compileExpression(text, { namespaces }).evaluateValue(scope);
  assert.equal(evaluate('let $x := 2 return $x * 2'), 4);
  assert.equal(evaluate("let $x := 'a' return $x = 'a'"), true);
  assert.equal(evaluate("xs:date('2024-02-29') + xs:dayTimeDuration('P1D')"), '2024-03-01');
  const nodes = evaluate('(//symbol)[. eq "SUN"]') as readonly unknown[];
  assert.equal(nodes.length, 1);
  const condition = compileExpression('every $q in //qty satisfies $q > 1', { namespaces });
  assert.equal(condition.evaluateBoolean(scope), true);
});

test('what neither language takes is explained in terms of XPath 1.0', () => {
  const compile = (): unknown => compileExpression('//order[', { namespaces });
  assert.throws(compile, (error) => error instanceof ExpressionError && error.offset === 8);
  assert.throws(() => compileExpression('unknown(1)', { namespaces }), /the function "unknown" is not known/);
  assert.throws(
    () => compileExpression("doc('file:///etc/passwd')", { namespaces }),
    /the function "doc" is not known/,
  );
});

test('switched off, only XPath 1.0 is taken', () => {
  allowXPath2(false);
  try {
    assert.throws(() => compileExpression("string-join(('a'), '')", { namespaces }), ExpressionError);
  } finally {
    allowXPath2(true);
  }
});

test('an expression that takes too long is stopped', () => {
  const compiled = compileXPath2('count(for $a in 1 to 100000, $b in 1 to 100000 return 1)', namespaces);
  assert.throws(() => compiled.evaluateString(scope), EvaluationError);
});

function joined(expression: string): string {
  try {
    const items = `string-join(for $item in (${expression}) return string($item), '|')`;
    return compileXPath2(items, namespaces).evaluateString(createTestScope({ envelope })) ?? '';
  } catch (error) {
    return String(error);
  }
}
