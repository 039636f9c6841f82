import assert from 'node:assert/strict';
import test from 'node:test';
import { parseXml, parseXmlLazily, XmlError } from '#xml';
import { ExpressionError } from '../error.ts';
import { createTestScope } from '../test-scope.ts';
import { describeValue } from './describe-value.ts';
import { compileXPath } from './index.ts';
import { xpathDocument, xpathNamespaces, xpathRows } from './xpath-rows.ts';

const envelope = parseXml(xpathDocument).root;

test('expressions of XPath 1.0 give what the recommendation says', () => {
  for (const [expression, expected] of xpathRows) {
    assert.equal(evaluate(expression), expected, expression);
  }
});

test('every element has namespace nodes of its own', () => {
  const xpath = compileXPath('count((//order)[1]/namespace::n)', xpathNamespaces);
  assert.equal(xpath.evaluate(createTestScope({ envelope })), 1);
});

/** Expression, result as an artifact sees it. */
const stringRows: readonly (readonly [string, string | undefined])[] = [
  ['(//order)[1]/symbol', 'IBM'],
  ['//text', 'a  b'],
  ['//empty', '<empty/>'],
  ['//sub/order', '<order id="3a"><symbol>Z</symbol></order>'],
  ['//sub/symbol', '<symbol>X</symbol><symbol>Y</symbol>'],
  ['//sub/symbol/text()', 'XY'],
  ['//sub/symbol[1]/node()', 'X'],
  ['//sub/self::node()/symbol[1]', '<symbol>X</symbol>'],
  ['//order/@id', '1233a'],
  ['(//order)[1]/@id', '1'],
  ['count(//sub/symbol)', '2.0'],
  ['1 div 3', '0.3333333333333333'],
  ['10000000 * 10', '1.0E8'],
  ['5', '5.0'],
  ['string(5)', '5'],
  ['//nothing', ''],
  ["''", ''],
  ['1 = 1', 'true'],
  ['$body/orders/@count', '3'],
  ['$header/*', '77'],
  ['$env/s:Header/*', '77'],
  ['$ctx:name', 'value'],
  ['$ctx:missing', undefined],
  ['$ctx:int', '5'],
  ['$ctx:json', '{"a":[1.5]}'],
  ['$ctx:element/b', '1'],
  ['$ctx:element', '<a><b>1</b></a>'],
  ['$ctx:element//b[1]/text()', '1'],
  ['$ctx:text/b', ''],
  ['$var:v', 'variable'],
  ['$axis2:p', 'axis2 value'],
  ['$operation:o', 'operation value'],
  ['$trp:content-type', 'text/xml'],
  ['$trp:missing', undefined],
  ['$func:f', 'parameter'],
  ['$sys:s', 'system value'],
  ['$url:Q', 'a b'],
  ['$url:missing', ''],
  ['$map:key', 'entry'],
  ["get-property('name')", 'value'],
  ["get-property('missing')", undefined],
  ["string(get-property('missing'))", ''],
  ["get-property('missing') = ''", 'false'],
  ["get-property('default','name')", 'value'],
  ["get-property('axis2','p')", 'axis2 value'],
  ["get-property('transport','Content-Type')", 'text/xml'],
  ["get-property('operation','o')", 'operation value'],
  ["get-property('func','f')", 'parameter'],
  ["get-property('system','s')", 'system value'],
  ["get-property('nowhere','s')", ''],
  ["get-property('SYSTEM_DATE','yyyy-MM-dd')", '2024-02-29'],
  ["get-property('axis2','SYSTEM_DATE','HH:mm')", '12:30'],
  ["get-property('element')/b", '1'],
  ["fn:concat('a', 'b')", 'ab'],
  ["syn:get-property('name')", 'value'],
  ["base64Encode('hä')", 'aMOk'],
  ["base64Encode('hä','ISO-8859-1')", 'aOQ='],
  ["base64Decode('aMOk')", 'hä'],
  ["base64Decode('aOQ=','ISO-8859-1')", 'hä'],
  ["url-encode('a b*~/')", 'a%20b%2A%7E%2F'],
  ["url-encode('ä','ISO-8859-1')", '%E4'],
  ["hmac-generate('payload','key')", '2f3902cd1626fa7fdfb67e93109f50412ad71531'],
  ["wso2:vault-lookup('alias')", 'secret value'],
  ["wso2:vault-lookup('none','FILE')", ''],
  ["upper-case('a')", 'A'],
  ["lower-case('A')", 'a'],
  ["ends-with('abc','bc')", 'true'],
];

test('results become text by the rules of the original', () => {
  const scope = stringScope();
  for (const [expression, expected] of stringRows) {
    const xpath = compileXPath(expression, new Map([...xpathNamespaces, ['fn', 'urn:fn']]));
    assert.equal(xpath.evaluateString(scope), expected, expression);
  }
});

const booleanRows: readonly (readonly [string, boolean])[] = [
  ['//order', true],
  ['//nothing', false],
  ["'false'", true],
  ["''", false],
  ['$ctx:missing', false],
  ['$ctx:name', true],
  ["get-property('missing')", false],
  ["$ctx:name = 'value'", true],
  ["'value' = $ctx:name", true],
  ['$ctx:int = 5', true],
  ['$ctx:int > 4', true],
  ['0', false],
  ['//order/@id = $url:id', true],
  ["$trp:Content-Type = 'text/xml'", true],
];

test('results become conditions by the rules of XPath', () => {
  const scope = stringScope();
  for (const [expression, expected] of booleanRows) {
    assert.equal(compileXPath(expression, xpathNamespaces).evaluateBoolean(scope), expected, expression);
  }
});

test('a number in a property selects by position', () => {
  assert.equal(compileXPath('(//order)[$ctx:two]/@id', xpathNamespaces).evaluateString(stringScope()), '2');
});

const bodyRows: readonly (readonly [string, boolean])[] = [
  ['//a', true],
  ['$body/a', true],
  ['string()', true],
  ["get-property('a')", false],
  ['$ctx:a', false],
  ["concat($ctx:a, 'x', get-property('transport','h'))", false],
  ['$ctx:a/b[1]', false],
  ['$ctx:a[b = $body/c]', true],
  ["'literal'", false],
];

test('only expressions that look into the message need its body', () => {
  for (const [expression, expected] of bodyRows) {
    assert.equal(compileXPath(expression, xpathNamespaces).contentAware, expected, expression);
  }
});

test('the first node is found without walking the rest', () => {
  let walked = 0;
  const counting = parseXml('<r><a/><b/><b/><b/></r>').root;
  const children = counting.children.slice();
  counting.children = new Proxy(children, {
    get(target, key, receiver) {
      if (key === '1' || key === '2' || key === '3') walked++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  assert.equal(compileXPath('boolean(/r/*)', new Map()).evaluateBoolean(createTestScope({ envelope: counting })), true);
  assert.equal(walked, 0);
});

const errorRows: readonly (readonly [string, number, RegExp])[] = [
  ['//order[', 8, /expected an expression but found the end/],
  ['a b', 2, /expected an operator or the end but found "b"/],
  ['x:a', 0, /the prefix "x" is not declared/],
  ['//a/x:b', 4, /the prefix "x" is not declared/],
  ['foo(1)', 0, /the function "foo" is not known/],
  ['1 + foo(1)', 4, /the function "foo" is not known/],
  ['$nothing', 0, /the variable "\$nothing" is not known/],
  ["encrypt('a','b','c')", 0, /expected 4 to 6 arguments of "encrypt" but found 3/],
  ["hashicorp:vault-lookup('a')", 0, /expected 2 to 3 arguments of "hashicorp:vault-lookup" but found 1/],
  ["substring('a')", 0, /expected 2 to 3 arguments of "substring" but found 1/],
  ["count('a')", 0, /expected a node set/],
  ["'abc", 0, /the string has no end/],
];

test('malformed expressions say what was expected and where', () => {
  for (const [expression, offset, message] of errorRows) {
    assert.throws(
      () => compileXPath(expression, xpathNamespaces),
      (error) => {
        assert(error instanceof ExpressionError, expression);
        assert.equal(error.offset, offset, expression);
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

function stringScope(): ReturnType<typeof createTestScope> {
  return createTestScope({
    envelope,
    properties: {
      'default:name': 'value',
      'default:text': 'text',
      'default:int': 5,
      'default:two': 2,
      'default:json': new Map([['a', [1.5]]]),
      'default:map': new Map([['key', 'entry']]),
      'default:element': parseXml('<a><b>1</b></a>').root,
      'axis2:p': 'axis2 value',
      'operation:o': 'operation value',
      'system:s': 'system value',
    },
    headers: { 'content-type': 'text/xml' },
    variables: { v: 'variable' },
    templateParameters: { f: 'parameter' },
    secrets: { alias: 'secret value' },
    to: '/path?q=a%20b&id=2',
  });
}

function evaluate(expression: string): string {
  try {
    return describeValue(compileXPath(expression, xpathNamespaces).evaluate(createTestScope({ envelope })));
  } catch (error) {
    if (error instanceof ExpressionError) return 'error';
    throw error;
  }
}

test('what needs the first node only reads no further', () => {
  const text = '<r><a i="1"><b>x</b></a><a i="2"><b>y</b></a><broken';
  const rows: readonly (readonly [string, string])[] = [
    ['string(//a[1]/b)', 'x'],
    ['(//a)[1]/b[1]', 'x'],
    ['(//a[1]/b)[1]', 'x'],
    ['/r/a[1]/b', 'x'],
    ['(//b/text())[1]', 'x'],
    ['normalize-space(//b)', 'x'],
    ["concat(//b, '!')", 'x!'],
    ["//b = 'x'", 'true'],
    ['boolean(//a/@i)', 'true'],
  ];
  for (const [expression, expected] of rows) {
    const envelope = parseXmlLazily(text, (error) => error);
    assert.equal(
      compileXPath(expression, new Map()).evaluateString(createTestScope({ envelope })),
      expected,
      expression,
    );
  }
  const envelope = parseXmlLazily(text, (error) => error);
  assert.throws(() => compileXPath('//a[1]/b', new Map()).evaluateString(createTestScope({ envelope })), XmlError);
});
