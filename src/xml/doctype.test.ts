import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml, XmlError } from './parse.ts';

const admitted = [
  '<!DOCTYPE a><a/>',
  '<!DOCTYPE a [ ]><a/>',
  '<!DOCTYPE a [<!ELEMENT a (#PCDATA)><!ATTLIST a b CDATA "]>"><!-- ]> --><?pi ]> ?>]><a/>',
  "<!DOCTYPE a [<!ATTLIST a b CDATA '100%'>]><a/>",
];
const refused: readonly (readonly [text: string, reason: RegExp])[] = [
  ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /external/],
  ['<!DOCTYPE a PUBLIC "x" "http://there/"><a/>', /external/],
  ['<!DOCTYPE a [<!ENTITY b "c">]><a/>', /entities/],
  ['<!DOCTYPE a [<!ENTITY % b SYSTEM "http://there/"> %b;]><a/>', /entities/],
  ['<!DOCTYPE a [ %b; ]><a/>', /entities/],
  ['<!DOCTYPE a [<!ELEMENT a ANY>', /not closed/],
  ['<!DOCTYPE a "', /not closed/],
];

for (const text of admitted) {
  test(`a document type declaration without entities is passed over where that is allowed: ${text}`, () => {
    assert.equal(parseXml(text, { allowDtd: true }).root.local, 'a');
    assert.throws(() => parseXml(text), /not allowed/);
  });
}

for (const [text, reason] of refused) {
  test(`refused even where document type declarations are allowed: ${text}`, () => {
    assert.throws(
      () => parseXml(text, { allowDtd: true }),
      (error: unknown) => error instanceof XmlError && reason.test(error.message),
    );
  });
}
