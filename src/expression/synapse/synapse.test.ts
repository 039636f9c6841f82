import assert from 'node:assert/strict';
import test from 'node:test';
import { parseXml } from '#xml';
import { ExpressionError } from '../error.ts';
import { createTestScope } from '../test-scope.ts';
import { compileSynapse } from './index.ts';
import { synapseMessage as message } from './test-message.ts';

/** Expression and its text; undefined is null. */
const rows: readonly (readonly [expression: string, result: string | undefined])[] = [
  ['5.5 + 3.5', '9.0'],
  ['2147483647 + 1', '2147483648'],
  ['5 * 3 * -2', '-30'],
  ['"abc" + 5', undefined],
  ['null == payload["missing"]', undefined],
  ['null == payload["k"]', 'true'],
  ['5.2 > 5 ? 5 : 4', '5'],
  ['"bla" ? true : 1', undefined],
  ['1 + 2 * 3', '7'],
  ['(1 + 2) * 3', '9'],
  ['10 - 4 - 3', '3'],
  ['5 - 3', '2'],
  ['5 + -3', '2'],
  ['7 % 3', '1'],
  ['-7 % 3', '-1'],
  ['7.5 % 2', '1.5'],
  ['7 % 0', undefined],
  ['1 / 0', undefined],
  ['1.0 / 0', undefined],
  ['8 / 2', '4'],
  ['7 / 2', '3.5'],
  ['34.45 / 3.44', '10.01'],
  ['10.0 / 4', '2.5'],
  ['1.0 / 3', '0.3'],
  ['8.95 + 8.99', '17.94'],
  ['0.1 + 0.2', '0.3'],
  ['0.3 - 0.1', '0.2'],
  ['1.1 * 1.1', '1.21'],
  ['2147483647 * 2', '4294967294'],
  ['3000000000 + 1', '3000000001'],
  ['3000000000 / 2', '1.5E9'],
  ['2000000000.0', '2.0E9'],
  ['1.0', '1.0'],
  ['-5', '-5'],
  ['"a" + "b"', 'ab'],
  ["'a' + 'b'", 'ab'],
  ['1 + null', undefined],
  ['true + 1', undefined],
  ['5 == "5"', 'true'],
  ['5 == 5.0', 'false'],
  ['5 != 4', 'true'],
  ['"a" == "a"', 'true'],
  ['null == null', 'true'],
  ['null != 1', 'true'],
  ['"a" < "b"', undefined],
  ['true > false', undefined],
  ['1 < 2', 'true'],
  ['2 <= 2', 'true'],
  ['2.5 >= 3', 'false'],
  ['3000000000 > 1', undefined],
  ['true and false', 'false'],
  ['true && true', 'true'],
  ['false or true', 'true'],
  ['false || false', 'false'],
  ['true and 1', undefined],
  ['(payload.age > 18) and (payload.ok == true)', 'true'],
  ['payload.age > 18 and payload.age < 40', 'true'],
  ['true ? "y" : "n"', 'y'],
  ['false ? 1 : true ? 2 : 3', '2'],
  ['(1 > 2) ? "a" : "b"', 'b'],
  ['[1, "a", true, null]', '[1,"a",true,null]'],
  ['[]', '[]'],
  ['true', 'true'],
  ['null', undefined],
  ['"a\\nb"', 'a\\nb'],
  ['payload.name', 'Ann'],
  ['$.name', 'Ann'],
  ['$["name"]', 'Ann'],
  ['payload.o["a-b"]', 'dash'],
  ["payload['name']", 'Ann'],
  ['payload.["name"]', 'Ann'],
  ['payload.age', '30'],
  ['payload.age + 1', '31'],
  ['payload.price', '4.5'],
  ['payload.ok', 'true'],
  ['payload.k', undefined],
  ['payload.long', '3000000000'],
  ['payload.o.a-b', 'dash'],
  ['payload.o.size', '7'],
  ['payload.o', '{"a-b":"dash","size":7,"x":{"y":[10,20]}}'],
  ['payload.o.x.y[1]', '20'],
  ['payload.list', '[1,2,3,4,5]'],
  ['payload.list[0]', '1'],
  ['payload.list[-1]', '5'],
  ['payload.list[vars.i]', '2'],
  ['payload.list[vars.i + 1]', '3'],
  ['payload.list[1 + 1]', '3'],
  ['payload.list[payload.items[0].n]', '2'],
  ['payload.list[0,2]', '[1,3]'],
  ['payload.list[1:3]', '[2,3]'],
  ['payload.list[:2]', '[1,2]'],
  ['payload.list[-2:]', '[4,5]'],
  ['payload.list[0:5:2]', '[1,3,5]'],
  ['payload.list[vars.i:vars.i + 2]', '[2,3]'],
  ['payload.list[*]', '[1,2,3,4,5]'],
  ['payload.list[9]', undefined],
  ['payload.list.length()', '5'],
  ['payload.list.sum()', '15.0'],
  ['payload.items[*].t', '["a","b","c"]'],
  ['payload.items.*.n', '[1,2,3]'],
  ['payload..n', '[1,2,3]'],
  ['payload.items[?(@.n > 1)].t', '["b","c"]'],
  ['payload.items[?(@.n == vars.i)].t', '["a"]'],
  ['payload.items[?(@.t == payload.items[2].t)].n', '[3]'],
  ['payload.items[?(@.t == $.items[1].t)].n', '[2]'],
  ['payload.items[?(@.n > 1 && @.t == "c")].n', '[3]'],
  ['payload.items[?(@.t == toLower("B"))].n', '[2]'],
  ['payload.items[?(@.t in ["a","c"])].n', '[1,3]'],
  ['payload.items[?(@.n > 9)]', '[]'],
  ['payload.o[vars.v]', undefined],
  ['payload.missing', undefined],
  ['payload.name.x', undefined],
  ['vars.v', 'hello'],
  ['var.v', 'hello'],
  ['vars["v"]', 'hello'],
  ['vars.n + 1', '6'],
  ['vars.d * 2', '5.0'],
  ['vars.b', 'true'],
  ['vars.nothing', undefined],
  ['vars.missing', undefined],
  ['vars.obj.a.b[1]', '2'],
  ['vars.obj', '{"a":{"b":[1,2,3]}}'],
  ['vars.arr[0]', 'x'],
  ['vars.text.in.side[0]', '7'],
  ['vars.result.payload.id', '9'],
  ['vars.result.attributes.statusCode', '201'],
  ['vars.result.headers["X-Y"]', 'z'],
  ['vars.xml', '<r xmlns:q="u"><a>1</a><a>2</a><b c="d">t</b></r>'],
  ['vars.quoted', 'quoted'],
  ['headers.h', 'head'],
  ['headers["Content-Type"]', 'application/json'],
  ['headers.num + 1', '43'],
  ['headers.missing', undefined],
  ['toUpper(headers.num)', undefined],
  ['length(string(headers.num))', '2'],
  ['props.synapse.p', 'value'],
  ['properties.synapse.p', 'value'],
  ['props.axis2.HTTP_SC', '200'],
  ['props.axis2["name"]', 'axis'],
  ['props.synapse["uri.var.id"]', '12'],
  ['props.synapse.number', '7'],
  ['props.synapse.half', '1.0'],
  ['props.synapse.double', '1.0'],
  ['props.synapse.big', '4294967296'],
  ['props.synapse.flag and true', undefined],
  ['boolean(props.synapse.flag) and true', 'true'],
  ['params.pathParams.id', '12'],
  ['params.uriParams.id', '12'],
  ['params.queryParams.q', 'hello world'],
  ['params.functionParams.fp', 'param'],
  ['params.queryParams.none', undefined],
  ['configs.host', 'localhost'],
  ['config.port + 1', '8081'],
  ['length("abc")', '3'],
  ['length(payload.list)', '5'],
  ['length(5)', undefined],
  ['toUpper("abc")', 'ABC'],
  ['toLower("ABC")', 'abc'],
  ['trim("  a ")', 'a'],
  ['subString("hello", 1)', 'ello'],
  ['subString("hello", 1, 3)', 'el'],
  ['subString("hello", 9)', undefined],
  ['subString("hello", 3, 1)', undefined],
  ['startsWith("hello", "he")', 'true'],
  ['endsWith("hello", "lo")', 'true'],
  ['contains("hello", "ll")', 'true'],
  ['contains(payload.list, 1)', undefined],
  ['replace("a.b.c", ".", "$")', 'a$b$c'],
  ['split("a,b,,", ",")', '["a","b"]'],
  ['split("a1b22c", "[0-9]+")', '["a","b","c"]'],
  ['indexOf("hello", "l")', '2'],
  ['indexOf("hello", "l", 3)', '3'],
  ['indexOf("hello", "z")', '-1'],
  ['charAt("hello", 1)', 'e'],
  ['charAt("hello", 5)', undefined],
  ['abs(-5)', '5'],
  ['abs(-5.5)', '5.5'],
  ['ceil(1.2)', '2.0'],
  ['floor(1.8)', '1.0'],
  ['floor(3)', '3'],
  ['round(2.5)', '3'],
  ['round(2)', '2'],
  ['round(2.345, 2)', '2.35'],
  ['sqrt(16)', '4.0'],
  ['pow(2, 10)', '1024.0'],
  ['log(100)', '2.0'],
  ['log(8, 2)', '3.0'],
  ['base64encode("hä")', 'aMOk'],
  ['base64decode("aMOk")', 'hä'],
  ['urlEncode("a b*")', 'a%20b%2A'],
  ['urlEncode("a b", "ISO-8859-1")', 'a+b'],
  ['urlDecode("a%20b+c")', 'a b c'],
  ['urlDecode("%zz")', undefined],
  ['isString("a")', 'true'],
  ['isString(1)', 'false'],
  ['isNumber(1.5)', 'true'],
  ['isNumber(now())', 'false'],
  ['isArray(payload.list)', 'true'],
  ['isArray("[1]")', 'true'],
  ['isArray("[1")', 'false'],
  ['isObject(payload.json)', 'true'],
  ['isObject(payload.list)', 'false'],
  ['string(5)', '5'],
  ['string(payload.o.x)', '{"y":[10,20]}'],
  ['integer("12") + 1', '13'],
  ['integer("x")', undefined],
  ['integer("1.5")', undefined],
  ['float("1") + 1', '2.0'],
  ['float("x")', undefined],
  ['boolean("TRUE")', 'true'],
  ['boolean("yes")', 'false'],
  ['object(payload.json).q', '1'],
  ['object("[1]")', undefined],
  ['array("[1,2,3]")[1]', '2'],
  ['array("{}")', undefined],
  ['now()', '1709209845678'],
  ['formatDateTime(now(), "yyyy-MM-dd HH:mm")', '2024-02-29 12:30'],
  ['formatDateTime("2024-02-29", "yyyy-MM-dd", "dd/MM/yyyy")', '29/02/2024'],
  ['formatDateTime("x", "yyyy", "yy")', undefined],
  ['registry("gov:/text")', 'content'],
  ['registry("gov:/json").a[1].b', 'deep'],
  ['registry("gov:/json").property("owner")', 'me'],
  ['registry("gov:/none")', undefined],
  ['exists(payload.name)', 'true'],
  ['exists(payload.missing)', 'false'],
  ['exists(payload.k)', 'false'],
  ['exists(vars.missing) ? 1 : 2', '2'],
  ['not(true)', 'false'],
  ['not("true")', undefined],
  ['xpath("//name")', 'Ann'],
  ["xpath('//items[2]/t')", 'b'],
  ["xpath('count(//items)')", '3.0'],
  ["xpath('//b/@c', 'xml')", 'd'],
  ["xpath('/r/b', 'xml')", ''],
  ["xpath('/b', 'xml')", 't'],
  ["xpath('/a', 'result.xml')", '5'],
  ["xpath('/a', 'v')", undefined],
  ["length(xpath('//name'))", '3'],
  ['wso2-vault("alias")', 'hidden'],
  ['wso2-vault("none")', undefined],
  ['toUpper(payload.k)', undefined],
  ['toUpper(subString(payload.name, 0, 1)) + "."', 'A.'],
  ['\'"x"\'', 'x'],
];

test('expressions have the results of the original', () => {
  for (const [expression, expected] of rows) {
    const compiled = compileSynapse(expression, new Map());
    assert.equal(compiled.evaluateString(createTestScope(message)), expected, expression);
  }
});

test('an expression that fails is null and warns once', () => {
  const warnings: string[] = [];
  const compiled = compileSynapse('payload.missing', new Map());
  assert.equal(compiled.evaluateNative(createTestScope({ ...message, warnings })), null);
  assert.deepEqual(warnings, ['an expression has no value: ${payload.missing}: the path leads to nothing']);
});

const xmlRows: readonly (readonly [string, string | undefined])[] = [
  ['payload.order.id', '7'],
  ['$.order.item[1]', 'b'],
  ['xpath("//id")', '7'],
  ['payload.order.none', undefined],
];

test('paths into an XML payload read its JSON form', () => {
  const root = parseXml('<order><id>7</id><item>a</item><item>b</item></order>').root;
  const envelope = parseXml(
    '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body/></s:Envelope>',
  ).root;
  const body = envelope.children[0];
  assert(body?.kind === 'element');
  body.children.push(root);
  root.parent = body;
  for (const [expression, expected] of xmlRows) {
    assert.equal(compileSynapse(expression, new Map()).evaluateString(createTestScope({ envelope })), expected);
  }
  const whole = compileSynapse('payload', new Map()).evaluateString(createTestScope({ envelope }));
  assert.match(whole ?? '', /^<s:Body[^>]*><order>.*<\/order><\/s:Body>$/);
});

test('only expressions that read the payload need the body', () => {
  for (const expression of ['payload', '$.a', "xpath('//a')", 'vars.x == payload.y', 'vars.x[payload.i]']) {
    assert.equal(compileSynapse(expression, new Map()).contentAware, true, expression);
  }
  for (const expression of ['vars.x', 'headers.h', '1 + 1', "xpath('//a', 'v')"]) {
    assert.equal(compileSynapse(expression, new Map()).contentAware, false, expression);
  }
});

const errorRows: readonly (readonly [string, number, RegExp])[] = [
  ['', 0, /expected an expression but found the end/],
  ['1 +', 3, /expected an expression but found the end/],
  ['5 -3', 2, /expected a blank after "-"/],
  ['payload.', 8, /expected a member name/],
  ['payload.a b', 10, /expected an operator or the end but found "b"/],
  ['vars', 4, /expected "\." and a name/],
  ['vars.', 5, /expected a name/],
  ['toUppr("a")', 0, /did you mean "toUpper"/],
  ['toUpper()', 0, /expected 1 arguments of "toUpper" but found 0/],
  ['hader.x', 0, /expected a function, a literal or one of/],
  ['props.nowhere.x', 0, /found "props.nowhere"/],
  ['(1', 2, /expected "\)"/],
  ['[1, 2', 5, /expected "," or "\]"/],
  ['"abc', 0, /expected an expression/],
  ['true ? 1', 8, /expected ":"/],
  ['payload[?(@.a == )]', 17, /expected a value or a path/],
  ['-vars.n', 0, /expected an expression/],
  ['!true', 0, /expected an expression/],
  ["xpath('//a[')", 11, /expected an expression/],
  ["hashicorp-vault('a')", 0, /expected 2 to 3 arguments of "hashicorp-vault" but found 1/],
  [`${'('.repeat(100)}1`, 60, /nested deeper/],
];

test('malformed expressions say what was expected and where', () => {
  for (const [expression, offset, text] of errorRows) {
    assert.throws(
      () => compileSynapse(expression, new Map()),
      (error) => {
        assert(error instanceof ExpressionError, expression);
        assert.match(error.message, text);
        assert.equal(error.offset, offset, expression);
        return true;
      },
    );
  }
});
