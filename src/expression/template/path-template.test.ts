import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { ExpressionError } from '../error.ts';
import { compilePathTemplate } from './path-template.ts';

/** Template, path, variables; undefined is no match. */
const rows: readonly (readonly [
  template: string,
  path: string,
  variables: Readonly<Record<string, string>> | undefined,
])[] = [
  ['/', '/', {}],
  ['/', '/?x=1', {}],
  ['/', '/a', undefined],
  ['/order', '/order', {}],
  ['/order', '/order/', {}],
  ['/order', '/order?x=1', {}],
  ['/order', '/order/?x=1', {}],
  ['/order', '/order//', undefined],
  ['/order', '/orders', undefined],
  ['/order', '/Order', undefined],
  ['/order', '/', undefined],
  ['/order/', '/order', {}],
  ['/order/', '/order/', {}],
  ['/order/{id}', '/order/A1', { id: 'A1' }],
  ['/order/{id}', '/order/A1/', { id: 'A1' }],
  ['/order/{id}', '/order/A1?x=1', { id: 'A1' }],
  ['/order/{id}', '/order/', undefined],
  ['/order/{id}', '/order', undefined],
  ['/order/{id}', '/order/A1/b', undefined],
  ['/order/{id}', '/order/a%20b', { id: 'a b' }],
  ['/order/{id}', '/order/a%2Fb', { id: 'a/b' }],
  ['/order/{id}', '/order/a+b', undefined],
  ['/order/{id}', '/order/%C3%A4', { id: 'ä' }],
  ['/order/{id}', '/order/%zz', undefined],
  ['/order/{id}', '/order/a;b', undefined],
  ['/order/{id}', '/order/a.b-c_d~e', { id: 'a.b-c_d~e' }],
  ['/order/{id}', '/order/a:b', undefined],
  ['/order/{id}/', '/order/1', { id: '1' }],
  ['/order/{id}/item', '/order/1/item', { id: '1' }],
  ['/order/{id}/item', '/order/1/item/', { id: '1' }],
  ['/order/{id}/item', '/order/1', undefined],
  ['/order/{id}/item', '/order/1/items', undefined],
  ['/a/{x}/b/{y}', '/a/1/b/2', { x: '1', y: '2' }],
  ['/a/{x}/b/{y}', '/a/1/c/2', undefined],
  ['/a/{x}/{x}', '/a/1/1', { x: '1' }],
  ['/a/{x}/{x}', '/a/1/2', undefined],
  ['/{x}.json', '/data.json', { x: 'data' }],
  ['/{x}.json', '/data.xml', undefined],
  ['/{x}-{y}', '/a-b', { x: 'a', y: 'b' }],
  ['/{x,y}', '/1,2', { x: '1', y: '2' }],
  ['/{x,y}', '/1', { x: '1', y: '' }],
  ['/{x,y}', '/1,2,3', undefined],
  ['/*', '/', {}],
  ['/*', '/a/b?c=d', {}],
  ['/x*', '/xyz/1', {}],
  ['/x*', '/y', undefined],
  ['/a/*', '/a/b/c', {}],
  ['/a/*', '/a', undefined],
  ['/{x}/*', '/a/b/c', { x: 'a' }],
  ['/{x}/*', '/a', { x: 'a' }],
  ['/{x}*', '/a', { x: 'a' }],
  ['/{+x}', '/a/b?c=d', { x: 'a/b?c=d' }],
  ['/{+x}', '/a,b', { x: 'a,b' }],
  ['/files/{+path}', '/files/a%20b/c', { path: 'a b/c' }],
  ['/a{+x}/b', '/a/1/b', undefined],
  ['/a/{+x}/b', '/a/1/b', { x: '1' }],
  ['/a/{+x}/b', '/a/1/2/b', undefined],
  ['/a{#f}', '/a#frag', { f: 'frag' }],
  ['/a{#f}', '/a', undefined],
  ['/a{#f}/b', '/a/b', {}],
  ['/a{.ext}', '/a.json', { ext: 'json' }],
  ['/a{.x,y}', '/a.b.c', { x: 'b', y: 'c' }],
  ['/a{.ext}/b', '/a/b', {}],
  ['/a{/x}', '/a/b', { x: 'b' }],
  ['/a{/x,y}', '/a/b/c', { x: 'b', y: 'c' }],
  ['/a{/x,y}', '/a/b/c/d', undefined],
  ['/a/{x:3}', '/a/abc', { x: 'abc' }],
  ['/a/{x:3}', '/a/abcd', undefined],
  ['/a/{x:3}', '/a/ab', undefined],
  ['/a/{x:3}', '/a/%C3%A4bc', { x: 'äbc' }],
  ['/a?x={x}', '/a?x=1', { x: '1' }],
  ['/a?x={x}', '/a', undefined],
  ['/a?x={x}', '/a?x=1&y=2', undefined],
  ['/a?x={x}&y={y}', '/a?x=1&y=2', { x: '1', y: '2' }],
  ['/a?x={x}&y={y}', '/a?y=2&x=1', undefined],
  ['/a?x={+x}&y={+y}', '/a?x=&y=2', { x: '', y: '2' }],
  ['/a?x={+x}&y={+y}', '/a?x=1&y=', { x: '1', y: '' }],
  ['/a?x={+x}', '/a?x=', { x: '' }],
  ['/a/{my-id_1.x}', '/a/1', { 'my-id_1.x': '1' }],
];

test('paths match templates as in the original', () => {
  for (const [template, path, variables] of rows) {
    const found = compilePathTemplate(template).match(path);
    assert.deepEqual(found && Object.fromEntries(found), variables, `${template} ${path}`);
  }
});

test('sub-delimiters may stand in values when they are not reserved', () => {
  const template = compilePathTemplate('/a/{x}', { reserveSubDelimiters: false });
  assert.equal(template.match('/a/b;c=d')?.get('x'), 'b;c=d');
  assert.equal(template.match('/a/b:c'), undefined);
});

const errorRows: readonly (readonly [string, number, RegExp])[] = [
  ['{x}', 0, /expected a template that starts with "\/"/],
  ['/a{', 2, /expected "}"/],
  ['/a{x', 2, /expected "}"/],
  ['/a{}', 2, /expected "}"/],
  ['/a{}/b', 3, /expected the name of a variable/],
  ['/a{x{y}}', 4, /another "{"/],
  ['/a}', 2, /without a "{"/],
  ['/a{?x}', 3, /Unsupported template expression/],
  ['/a{;x}', 3, /Unsupported template expression/],
  ['/a{&x}', 3, /Unsupported template expression/],
  ['/a{x*}', 4, /found "\*"/],
  ['/a{x:[0-9]+}', 4, /found ":"/],
  ['/a{x y}', 4, /found " "/],
  ['/a{x,}', 5, /found nothing/],
];

test('templates that the original refuses are refused with a position', () => {
  for (const [template, offset, message] of errorRows) {
    assert.throws(
      () => compilePathTemplate(template),
      (error) => {
        assert(error instanceof ExpressionError, template);
        assert.match(error.message, message);
        assert.equal(error.offset, offset, template);
        return true;
      },
    );
  }
});

test('what was put in for variables is what comes out', () => {
  const segment = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(segment, segment, (x, y) => {
      const encode = (text: string): string =>
        encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
      const found = compilePathTemplate('/a/{x}/b/{y}').match(`/a/${encode(x)}/b/${encode(y)}`);
      assert.deepEqual(found && Object.fromEntries(found), { x, y });
    }),
    { numRuns: 200, verbose: 1 },
  );
});
