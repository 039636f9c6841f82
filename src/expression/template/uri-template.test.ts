import assert from 'node:assert/strict';
import test from 'node:test';
import { ExpressionError } from '../error.ts';
import { compileUriTemplate } from './uri-template.ts';

/** Variables of RFC 6570, section 3.2, as far as they are strings. */
const rfcValues: Readonly<Record<string, string>> = {
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  semi: ';',
};

const rfcRows: readonly (readonly [template: string, expansion: string])[] = [
  ['O{var}X', 'OvalueX'],
  ['x{hello}', 'xHello%20World%21'],
  ['x{half}', 'x50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['x{x,y}', 'x1024,768'],
  ['x{x,hello,y}', 'x1024,Hello%20World%21,768'],
  ['?{x,empty}', '?1024,'],
  ['?{x,undef}', '?1024'],
  ['?{undef,y}', '?768'],
  ['x{var:3}', 'xval'],
  ['x{var:30}', 'xvalue'],
  ['x{semi:2}', 'x%3B'],
  ['{+var}', 'value'],
  ['{+hello}', 'Hello%20World!'],
  ['{+half}', '50%25'],
  ['{base}index', 'http://example.com/home/index'],
  ['{+base}index', 'http://example.com/home/index'],
  ['x{base}index', 'xhttp%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['O{+empty}X', 'OX'],
  ['O{+undef}X', 'OX'],
  ['{+path}/here', '/foo/bar/here'],
  ['here?ref={+path}', 'here?ref=/foo/bar'],
  ['up{+path}{var}/here', 'up/foo/barvalue/here'],
  ['{+x,hello,y}', '1024,Hello%20World!,768'],
  ['{+path,x}/here', '/foo/bar,1024/here'],
  ['{+path:6}/here', '/foo/b/here'],
  ['{#var}', '#value'],
  ['{#hello}', '#Hello%20World!'],
  ['{#half}', '#50%25'],
  ['foo{#empty}', 'foo#'],
  ['foo{#undef}', 'foo'],
  ['{#x,hello,y}', '#1024,Hello%20World!,768'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['{#path:6}/here', '#/foo/b/here'],
  ['{.who}', '.fred'],
  ['{.who,who}', '.fred.fred'],
  ['{.half,who}', '.50%25.fred'],
  ['X{.var}', 'X.value'],
  ['X{.empty}', 'X.'],
  ['X{.undef}', 'X'],
  ['X{.var:3}', 'X.val'],
  ['{/who}', '/fred'],
  ['{/who,who}', '/fred/fred'],
  ['{/half,who}', '/50%25/fred'],
  ['{/who,dub}', '/fred/me%2Ftoo'],
  ['{/var}', '/value'],
  ['{/var,empty}', '/value/'],
  ['{/var,undef}', '/value'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{/var:1,var}', '/v/value'],
  ['{;who}', ';who=fred'],
  ['{;half}', ';half=50%25'],
  ['{;empty}', ';empty'],
  ['{;v,empty,who}', ';v=6;empty;who=fred'],
  ['{;v,bar,who}', ';v=6;who=fred'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{;x,y,undef}', ';x=1024;y=768'],
  ['{;hello:5}', ';hello=Hello'],
  ['{?who}', '?who=fred'],
  ['{?half}', '?half=50%25'],
  ['{?x,y}', '?x=1024&y=768'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?x,y,undef}', '?x=1024&y=768'],
  ['{?var:3}', '?var=val'],
  ['{&who}', '&who=fred'],
  ['{&half}', '&half=50%25'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&x,y,empty}', '&x=1024&y=768&empty='],
  ['{&var:3}', '&var=val'],
];

test('templates expand as in RFC 6570', () => {
  for (const [template, expansion] of rfcRows) {
    assert.equal(
      compileUriTemplate(template).expand((name) => rfcValues[name]),
      expansion,
      template,
    );
  }
});

const endpointRows: readonly (readonly [
  template: string,
  values: Readonly<Record<string, string>>,
  expansion: string,
])[] = [
  ['{uri.var.full}', { 'uri.var.full': 'http://h/a?b=c d' }, 'http://h/a?b=c%20d'],
  ['http://h/{uri.var.a}', { 'uri.var.a': 'x y/z' }, 'http://h/x%20y%2Fz'],
  ['http://h/{+uri.var.a}', { 'uri.var.a': 'x/y?z' }, 'http://h/x/y?z'],
  ['http://h/{uri.var.a}', {}, 'http://h/'],
  ['http://h{?query.param.q}', { 'query.param.q': 'ä&b' }, 'http://h?query.param.q=%C3%A4%26b'],
  ['http://h/{uri.var.my-name}', { 'uri.var.my-name': '1' }, 'http://h/1'],
  ['http://h/a b/{x}', { x: '1' }, 'http://h/a b/{x}'],
  ['http://${host}/{x}', { x: '1' }, 'http://${host}/1'],
  ['legacy-encoding:http://h/{x}', { x: 'a%20b' }, 'http://h/a%20b'],
  ['legacy-encoding:http://h/{x}?q={y}', { x: 'a+b', y: 'c%26d' }, 'http://h/a%20b?q=c&d'],
];

test('templates of endpoints take whole addresses and keep property placeholders', () => {
  for (const [template, values, expansion] of endpointRows) {
    assert.equal(
      compileUriTemplate(template).expand((name) => values[name]),
      expansion,
      template,
    );
  }
});

test('a template names its variables once', () => {
  assert.deepEqual(compileUriTemplate('http://h/{a}/{b,c}{?a,d}').variables, ['a', 'b', 'c', 'd']);
});

test('malformed templates say where', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['http://h/{a', 9],
    ['http://h/a}', 10],
    ['http://h/{}', 10],
    ['http://h/{a b}', 10],
    ['http://h/{a,,b}', 12],
    ['http://h/{!a}', 10],
    ['http://h/{a:0}', 10],
    ['legacy-encoding:{a', 16],
  ];
  for (const [template, offset] of rows) {
    assert.throws(
      () => compileUriTemplate(template),
      (error) => error instanceof ExpressionError && error.offset === offset,
      template,
    );
  }
});
