import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstChild, parseXml, parseXmlLazily, serializeXml, XmlError } from './index.ts';

const asItIs = (error: XmlError): Error => error;

test('a lazily read document is the same tree as one that was read at once', () => {
  const text = '<a xmlns="u"><b>1</b><!--c--><c x="2"><d/>t</c><?p i?></a>';
  assert.equal(serializeXml(parseXmlLazily(text, asItIs)), serializeXml(parseXml(text).root));
});

test('what is behind the part that is looked at is not read', () => {
  const root = parseXmlLazily('<a><b>1</b><broken', asItIs);
  assert.equal(firstChild(root, 'b')?.local, 'b');
  assert.throws(() => firstChild(root, 'c'), XmlError);
});

test('the error of an unread part is made by whoever reads lazily', () => {
  const root = parseXmlLazily('<a><b></a>', (error) => new Error(`payload: ${error.message}`));
  assert.throws(() => root.children, /^Error: payload: expected <\/b>, found <\/a>$/);
});

test('an element that is still being read can be put below another one', () => {
  const root = parseXmlLazily('<a><b/></a>', asItIs);
  const outer = parseXml('<outer/>').root;
  outer.append(root);
  assert.equal(serializeXml(outer), '<outer><a><b/></a></outer>');
});
