import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cloneNode,
  firstChild,
  parseXml,
  positionOfAttribute,
  positionOfElement,
  serializeXml,
  XmlError,
} from './index.ts';

test('serializing a parsed document gives equal markup with namespaces as declared', () => {
  const text = '<a xmlns="u" xmlns:p="v"><p:b p:c="1" d="&quot;&lt;"/><![CDATA[<x>]]>t&amp;<!--c--><?pi v?></a>';
  assert.equal(serializeXml(parseXml(text).root), text);
});

test('a detached element brings the declarations that it needs', () => {
  const { root } = parseXml('<p:a xmlns:p="v"><p:b/></p:a>');
  const inner = firstChild(root, 'b', 'v');
  assert.ok(inner);
  assert.equal(serializeXml(cloneNode(inner)), '<p:b xmlns:p="v"/>');
});

test('an unprefixed element below a default namespace resets it when it has none', () => {
  const { root } = parseXml('<a xmlns="u"><b xmlns=""/></a>');
  const inner = firstChild(root, 'b', '');
  assert.ok(inner);
  inner.declarations = [];
  assert.equal(serializeXml(root), '<a xmlns="u"><b xmlns=""/></a>');
});

test('positions name line and column of elements and attributes', () => {
  const document = parseXml('<a x="1"\n  yy = "2">\n  <b/></a>', { file: 'f.xml', positions: true });
  assert.deepEqual(positionOfAttribute(document, document.root, 'yy'), { file: 'f.xml', line: 2, column: 3 });
  const inner = firstChild(document.root, 'b');
  assert.ok(inner);
  assert.deepEqual(positionOfElement(document, inner), { file: 'f.xml', line: 3, column: 3 });
});

for (const [what, text] of [
  ['a document type declaration', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['an undeclared prefix', '<p:a/>'],
  ['two roots', '<a/><b/>'],
  ['an unclosed element', '<a><b></a>'],
  ['too deep nesting', '<a>'.repeat(300) + '</a>'.repeat(300)],
  ['an empty document', ''],
  ['an undefined entity', '<a>&nope;</a>'],
] as const) {
  test(`${what} is refused with a position`, () => {
    assert.throws(
      () => parseXml(text, { file: 'f.xml' }),
      (error) => error instanceof XmlError && error.position.file === 'f.xml' && error.position.line >= 1,
    );
  });
}
