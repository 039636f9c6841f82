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

test('an element whose namespace was changed is written in the new one, its children stay in theirs', () => {
  const { root } = parseXml('<p:a xmlns:p="u"><p:b/></p:a>');
  root.uri = 'v';
  assert.equal(serializeXml(root), '<p:a xmlns:p="v"><p:b xmlns:p="u"/></p:a>');
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
  ['an ampersand that begins nothing', '<a>1 & 2</a>'],
  ['a reference to an impossible character', '<a>&#0;</a>'],
  ['a control character', '<a>\u0001</a>'],
  ['"]]>" in text', '<a>]]></a>'],
  ['"--" in a comment', '<a><!-- a -- b --></a>'],
  ['an attribute that occurs twice', '<a b="1" b="2"/>'],
  ['two attributes of one expanded name', '<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>'],
  ['an attribute without quotes', '<a b=1/>'],
  ['"<" in an attribute', '<a b="<"/>'],
  ['a prefix bound to no namespace', '<a xmlns:p=""/>'],
  ['a rebound xml prefix', '<a xmlns:xml="u"/>'],
  ['a name with two colons', '<a xmlns:p="u"><p:b:c/></a>'],
  ['a colon in the target of an instruction', '<a><?p:i v?></a>'],
  ['an XML declaration in the middle', '<a><?xml version="1.0"?></a>'],
  ['text after the root', '<a/>text'],
  ['a CDATA section outside of the root', '<![CDATA[x]]><a/>'],
  ['an end tag of another element', '<a></b>'],
] as const) {
  test(`${what} is refused with a position`, () => {
    assert.throws(
      () => parseXml(text, { file: 'f.xml' }),
      (error) => error instanceof XmlError && error.position.file === 'f.xml' && error.position.line >= 1,
    );
  });
}
