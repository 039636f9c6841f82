import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { SchemaError } from './error.ts';
import { compileXmlSchema } from './schema.ts';

interface Row {
  readonly name: string;
  readonly schema: string;
  readonly document: string;
  readonly valid: boolean;
}

const rows = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/xsd/rows.json'), 'utf8'),
) as readonly Row[];

/** Rows that end differently with Xerces, by name and document, and why. */
const deviations: ReadonlyMap<string, string> = new Map<string, string>([
  ['ID and IDREF <r><p to="z"/></r>', 'the library does not look for the element of an IDREF'],
]);

test('documents are valid where Xerces finds them valid', (context) => {
  let failures = '';
  for (const { name, schema, document, valid } of rows) {
    using compiled = compileXmlSchema([{ key: 'a.xsd', text: schema }], () => undefined);
    const findings = compiled.validate(document);
    const isValid = findings.length === 0;
    if ((isValid === valid) === deviations.has(`${name} ${document}`)) {
      failures += `${name} ${document}: expected ${valid}, found ${JSON.stringify(findings)}\n`;
    }
  }
  assert.equal(failures, '');
  context.diagnostic(`${rows.length - deviations.size} of ${rows.length}`);
});

const head = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"';

test('imports and includes come from the resolver, also over several steps', () => {
  const texts: Readonly<Record<string, string>> = {
    'b.xsd': `${head} targetNamespace="urn:b"><xs:include schemaLocation="c.xsd"/></xs:schema>`,
    'c.xsd': `${head} targetNamespace="urn:b"><xs:simpleType name="t"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>`,
  };
  const main = `${head} xmlns:b="urn:b"><xs:import namespace="urn:b" schemaLocation="b.xsd"/><xs:element name="a" type="b:t"/></xs:schema>`;
  const resolve = (location: string): { key: string; text: string } | undefined => {
    const text = texts[location];
    return text === undefined ? undefined : { key: location, text };
  };
  using schema = compileXmlSchema([{ key: 'a.xsd', text: main }], resolve);
  assert.deepEqual(schema.validate('<a>1</a>'), []);
  assert.equal(schema.validate('<a>x</a>').length, 1);
});

test('schemas that import each other end', () => {
  const text = (own: string, other: string): string =>
    `${head} targetNamespace="urn:${own}" xmlns:o="urn:${other}"><xs:import namespace="urn:${other}" schemaLocation="${other}"/><xs:element name="${own}" type="xs:int"/></xs:schema>`;
  const resolve = (location: string): { key: string; text: string } => ({
    key: location,
    text: location === 'x' ? text('x', 'y') : text('y', 'x'),
  });
  using schema = compileXmlSchema([resolve('x')], resolve);
  assert.deepEqual(schema.validate('<y xmlns="urn:y">1</y>'), []);
});

test('several schemas of one namespace and of none are one grammar', () => {
  const of = (namespace: string, name: string): { key: string; text: string } => ({
    key: name,
    text: `${head}${namespace === '' ? '' : ` targetNamespace="${namespace}"`}><xs:element name="${name}" type="xs:int"/></xs:schema>`,
  });
  const sources = [of('urn:a', 'a1'), of('urn:a', 'a2'), of('urn:b', 'b'), of('', 'n')];
  using schema = compileXmlSchema(sources, () => undefined);
  for (const document of [
    '<a1 xmlns="urn:a">1</a1>',
    '<a2 xmlns="urn:a">1</a2>',
    '<b xmlns="urn:b">1</b>',
    '<n>1</n>',
  ]) {
    assert.deepEqual(schema.validate(document), [], document);
    assert.equal(schema.validate(document.replace('>1<', '>x<')).length, 1, document);
  }
});

const refused: readonly (readonly [schema: string, message: RegExp])[] = [
  [`${head}><xs:element name="a" type="xs:none"/></xs:schema>`, /a\.xsd:1: .*xs:none|a\.xsd:1: .*none/],
  [
    `${head}><xs:include schemaLocation="file:///etc/passwd"/></xs:schema>`,
    /Failed to load the document 'file:\/\/\/etc\/passwd'/,
  ],
  [`${head}><xs:include schemaLocation="http://127.0.0.1:1/x.xsd"/></xs:schema>`, /Failed to load/],
  [`<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${head}/>`, /document type declaration is not allowed/],
  ['<a/>', /this is no XML Schema/],
  [`${head}>`, /not well-formed/],
];

test('what cannot be compiled is refused with its key; nothing is read from elsewhere', () => {
  for (const [text, message] of refused) {
    assert.throws(
      () => compileXmlSchema([{ key: 'a.xsd', text }], () => undefined),
      (error) => {
        assert(error instanceof SchemaError, text);
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

test('hints in a document are not followed', () => {
  using schema = compileXmlSchema(
    [
      {
        key: 'a.xsd',
        text: `${head}><xs:element name="a"><xs:complexType><xs:sequence><xs:any processContents="lax"/></xs:sequence></xs:complexType></xs:element></xs:schema>`,
      },
    ],
    () => undefined,
  );
  const hint = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="urn:x file:///etc/passwd"';
  assert.deepEqual(schema.validate(`<a ${hint}><x xmlns="urn:x"/></a>`), []);
});
