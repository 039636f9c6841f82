import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { appendChild, childElements, createEnvelope, parseXml, XmlElement, XmlText, type SoapVersion } from '#xml';
import { bodySourceOf } from '../body.ts';
import { defaultFormats } from '../formats/message-formats.ts';
import { parseMultipart } from '../mime/index.ts';
import { Payload } from '../payload.ts';
import type { Formatted } from './formatter.ts';

type Fill = (payload: Payload) => void;

const xml =
  (text: string): Fill =>
  (payload) =>
    payload.setContent([parseXml(text).root]);
const json =
  (text: string): Fill =>
  (payload) =>
    payload.setJson(text);
const plain =
  (text: string): Fill =>
  (payload) =>
    payload.setText(text);
const bytes =
  (text: string): Fill =>
  (payload) =>
    payload.setContent([
      parseXml(
        `<binary xmlns="http://ws.apache.org/commons/ns/payload">${Buffer.from(text).toString('base64')}</binary>`,
      ).root,
    ]);
const envelope =
  (version: SoapVersion, text: string): Fill =>
  (payload) =>
    payload.setEnvelope(createEnvelope(version, [parseXml(text).root]));
const nothing: Fill = (payload) => payload.clear();

interface Row {
  readonly what: string;
  readonly type: string;
  readonly payload: Fill;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly expected: string | undefined;
}

function format(type: string, payload: Payload, properties: Readonly<Record<string, unknown>> = {}): Formatted {
  const formatter = defaultFormats.formatterFor(type);
  assert.ok(formatter, `no formatter for ${type}`);
  return formatter.format({
    payload,
    mediaType: type,
    charset: 'UTF-8',
    attachments: { mtom: false, swa: false },
    property: (name) => properties[name],
  });
}

function textOf(formatted: Formatted): string | undefined {
  if (formatted === undefined || typeof formatted === 'string') return formatted;
  if (formatted instanceof Uint8Array) return Buffer.from(formatted).toString();
  return textOf(formatted.body);
}

const soap11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const soap12 = 'http://www.w3.org/2003/05/soap-envelope';
const wrapped = (uri: string, content: string): string =>
  `<soapenv:Envelope xmlns:soapenv="${uri}"><soapenv:Body>${content}</soapenv:Body></soapenv:Envelope>`;
const fault11 = (detail: string): string =>
  `<s:Fault xmlns:s="${soap11}"><faultcode>s:Client</faultcode><faultstring>Bad</faultstring>${detail}</s:Fault>`;
const fault12 = (detail: string): string =>
  `<s:Fault xmlns:s="${soap12}"><s:Code><s:Value>s:Sender</s:Value></s:Code><s:Reason><s:Text xml:lang="en">Bad</s:Text></s:Reason>${detail}</s:Fault>`;

const rows: readonly Row[] = [
  // application/xml
  { what: 'the first element', type: 'application/xml', payload: xml('<a><b/></a>'), expected: '<a><b/></a>' },
  { what: 'no element', type: 'application/xml', payload: nothing, expected: undefined },
  {
    what: 'JSON as XML',
    type: 'application/xml',
    payload: json('{"a":[1,2]}'),
    expected: '<jsonObject><a>1</a><a>2</a></jsonObject>',
  },
  {
    what: 'the detail of a SOAP 1.1 fault',
    type: 'application/xml',
    payload: envelope('soap11', fault11('<detail><e>1</e></detail>')),
    expected: '<e>1</e>',
  },
  {
    what: 'the reason of a SOAP 1.1 fault',
    type: 'application/xml',
    payload: envelope('soap11', fault11('')),
    expected: '<faultstring>Bad</faultstring>',
  },
  {
    what: 'the detail of a SOAP 1.2 fault',
    type: 'application/xml',
    payload: envelope('soap12', fault12('<s:Detail><e>1</e></s:Detail>')),
    expected: '<e>1</e>',
  },
  // JSON
  { what: 'JSON text as it is', type: 'application/json', payload: json('{"a": 1.0 }'), expected: '{"a": 1.0 }' },
  {
    what: 'XML as JSON',
    type: 'application/json',
    payload: xml('<a x="1">t</a>'),
    expected: '{"a":{"@x":"1","$":"t"}}',
  },
  {
    what: 'equal members that are apart',
    type: 'application/json',
    payload: xml('<a><b/><c/><b/></a>'),
    expected: '{"a":{"b":null,"c":null,"b":null}}',
  },
  { what: 'blanks', type: 'application/json', payload: xml('<a> </a>'), expected: '{"a":null}' },
  {
    what: 'blanks that are kept',
    type: 'application/json',
    payload: xml('<a> </a>'),
    properties: { PRESERVE_SPACES: 'true' },
    expected: '{"a":" "}',
  },
  { what: 'an empty body', type: 'application/json', payload: nothing, expected: undefined },
  {
    what: 'JSON_STRING',
    type: 'application/json',
    payload: nothing,
    properties: { JSON_STRING: '{"x":1}' },
    expected: '{"x":1}',
  },
  {
    what: 'JSON_STRING beside a body',
    type: 'application/json',
    payload: json('1'),
    properties: { JSON_STRING: '{}' },
    expected: '1',
  },
  { what: 'a text wrapper as JSON', type: 'application/json', payload: plain('hi'), expected: '{"text":"hi"}' },
  // mapped JSON and Badgerfish
  {
    what: 'mapped JSON',
    type: 'text/javascript',
    payload: xml('<a><b>1</b><b>2</b></a>'),
    expected: '{"a":{"b":[1,2]}}',
  },
  { what: 'mapped JSON from JSON', type: 'text/javascript', payload: json('{"a":"1"}'), expected: '{"a":1}' },
  { what: 'no mapped JSON', type: 'text/javascript', payload: nothing, expected: undefined },
  {
    what: 'Badgerfish',
    type: 'application/json/badgerfish',
    payload: xml('<a xmlns="urn:d" xmlns:p="urn:p" x="1"><p:b>1</p:b><p:b/></a>'),
    expected: '{"a":{"@xmlns":{"$":"urn:d","p":"urn:p"},"@x":"1","p:b":[{"$":"1"},{}]}}',
  },
  { what: 'no Badgerfish', type: 'application/json/badgerfish', payload: nothing, expected: undefined },
  // text
  { what: 'the text of the wrapper', type: 'text/plain', payload: plain('a < b'), expected: 'a < b' },
  {
    what: 'an element in the text wrapper',
    type: 'text/plain',
    payload: xml('<text xmlns="http://ws.apache.org/commons/ns/payload"><a xmlns="">1</a></text>'),
    expected: '<a xmlns="">1</a>',
  },
  { what: 'XML as text', type: 'text/plain', payload: xml('<a>1</a>'), expected: '' },
  { what: 'JSON as text', type: 'text/plain', payload: json('{"a":1}'), expected: '' },
  { what: 'events', type: 'text/event-stream', payload: plain('data: 1\n\n'), expected: 'data: 1\n\n' },
  { what: 'HTML', type: 'text/html', payload: xml('<p>1</p>'), expected: '<p>1</p>' },
  // binary
  { what: 'bytes', type: 'application/binary', payload: bytes('hello'), expected: 'hello' },
  { what: 'XML as binary', type: 'application/binary', payload: xml('<a/>'), expected: undefined },
  { what: 'octets', type: 'application/octet-stream', payload: bytes('hello'), expected: 'hello' },
  { what: 'a PDF', type: 'application/pdf', payload: bytes('%PDF'), expected: '%PDF' },
  { what: 'XML as octets', type: 'application/octet-stream', payload: xml('<a/>'), expected: wrapped(soap12, '<a/>') },
  // SOAP
  { what: 'SOAP 1.2', type: 'application/soap+xml', payload: xml('<a/>'), expected: wrapped(soap12, '<a/>') },
  { what: 'SOAP 1.1', type: 'text/xml', payload: envelope('soap11', '<a/>'), expected: wrapped(soap11, '<a/>') },
  { what: 'a body as SOAP 1.1', type: 'text/xml', payload: xml('<a/>'), expected: wrapped(soap11, '<a/>') },
  {
    what: 'SOAP 1.1 as SOAP 1.2',
    type: 'application/soap+xml',
    payload: envelope('soap11', '<a/>'),
    expected: wrapped(soap12, '<a/>'),
  },
  {
    what: 'an empty body as SOAP',
    type: 'text/xml',
    payload: nothing,
    expected: `<soapenv:Envelope xmlns:soapenv="${soap11}"><soapenv:Body/></soapenv:Envelope>`,
  },
  {
    what: 'a SOAP 1.1 fault as SOAP 1.2',
    type: 'application/soap+xml',
    payload: envelope('soap11', fault11('<faultactor>urn:x</faultactor><detail><e/></detail>')),
    expected: wrapped(
      soap12,
      '<soapenv:Fault><soapenv:Code><soapenv:Value>soapenv:Sender</soapenv:Value></soapenv:Code><soapenv:Reason><soapenv:Text xml:lang="en">Bad</soapenv:Text></soapenv:Reason><soapenv:Role>urn:x</soapenv:Role><soapenv:Detail><e/></soapenv:Detail></soapenv:Fault>',
    ),
  },
  {
    what: 'a SOAP 1.2 fault as SOAP 1.1',
    type: 'text/xml',
    payload: envelope('soap12', fault12('<s:Role>urn:x</s:Role><s:Detail><e/></s:Detail>')),
    expected: wrapped(
      soap11,
      '<soapenv:Fault><faultcode>soapenv:Client</faultcode><faultstring>Bad</faultstring><faultactor>urn:x</faultactor><detail><e/></detail></soapenv:Fault>',
    ),
  },
  // form-urlencoded
  {
    what: 'a form',
    type: 'application/x-www-form-urlencoded',
    payload: xml("<f><a>1 2</a><b>x&amp;y=(z)</b><a>ä*'!~</a></f>"),
    expected: 'a=1%202&b=x%26y%3D%28z%29&a=%C3%A4*%27%21%7E',
  },
  {
    what: 'names that XML does not know',
    type: 'application/x-www-form-urlencoded',
    payload: xml('<f><_JsonReader_PD_1a>x</_JsonReader_PD_1a><_JsonReader_PS_b>y</_JsonReader_PS_b></f>'),
    expected: '1a=x&%24b=y',
  },
  {
    what: 'JSON as a form',
    type: 'application/x-www-form-urlencoded',
    payload: json('{"a":1,"b":[2,3]}'),
    expected: 'a=1&b=2&b=3',
  },
  { what: 'an empty form', type: 'application/x-www-form-urlencoded', payload: xml('<f/>'), expected: '' },
  { what: 'no form', type: 'application/x-www-form-urlencoded', payload: nothing, expected: undefined },
  // multipart/related without anything to carry
  {
    what: 'an envelope without attachments',
    type: 'multipart/related',
    payload: envelope('soap11', '<a/>'),
    expected: wrapped(soap11, '<a/>'),
  },
];
for (const { what, type, payload: fill, properties, expected } of rows) {
  test(`a payload is written as ${type}: ${what}`, () => {
    const payload = new Payload();
    fill(payload);
    assert.equal(textOf(format(type, payload, properties)), expected);
  });
}

interface FormRow {
  readonly what: string;
  readonly xml: string;
  readonly decodes?: boolean;
  readonly headers: readonly string[];
  readonly body: string;
}

const formRows: readonly FormRow[] = [
  {
    what: 'a field',
    xml: '<m><a>ä</a></m>',
    headers: ['form-data; name="a"', 'text/plain; charset=UTF-8'],
    body: 'ä',
  },
  {
    what: 'a field with a type',
    xml: '<m><a content-type="application/json">{}</a></m>',
    headers: ['form-data; name="a"', 'application/json; charset=UTF-8'],
    body: '{}',
  },
  {
    what: 'a field with a charset',
    xml: '<m><a charset="ISO-8859-1">x</a></m>',
    headers: ['form-data; name="a"', 'text/plain; charset=ISO-8859-1'],
    body: 'x',
  },
  {
    what: 'an element with children',
    xml: '<m><a><b>1</b></a></m>',
    headers: ['form-data; name="a"', 'application/xml; charset=UTF-8'],
    body: '<a><b>1</b></a>',
  },
  {
    what: 'a file as text',
    xml: '<m><f filename="x.txt">aGk=</f></m>',
    headers: ['form-data; name="f"; filename="x.txt"', 'text/plain; charset=ISO-8859-1'],
    body: 'aGk=',
  },
  {
    what: 'a file that is decoded',
    xml: '<m><f filename="x.png" content-type="image/png">aGk=</f></m>',
    decodes: true,
    headers: ['form-data; name="f"; filename="x.png"', 'image/png'],
    body: 'hi',
  },
  {
    what: 'a form-data file',
    xml: '<m><d:file xmlns:d="http://org.apache.axis2/xsd/form-data" name="up" filename="x" content-type="a/b">aGk=</d:file></m>',
    headers: ['form-data; name="up"; filename="x"', 'a/b'],
    body: 'hi',
  },
  {
    what: 'a form-data file without attributes',
    xml: '<m><d:file xmlns:d="http://org.apache.axis2/xsd/form-data">aGk=</d:file></m>',
    headers: ['form-data; name="file"; filename="esb-generated-file"', 'text/plain'],
    body: 'hi',
  },
  {
    what: 'a file name with a quote and a line end',
    xml: '<m><f filename="a&quot;&#xa;b">x</f></m>',
    headers: [String.raw`form-data; name="f"; filename="a\"%0Ab"`, 'text/plain; charset=ISO-8859-1'],
    body: 'x',
  },
  {
    what: 'a name that XML does not know',
    xml: '<m><a_JsonReader_91__JsonReader_93_>1</a_JsonReader_91__JsonReader_93_></m>',
    headers: ['form-data; name="a[]"', 'text/plain; charset=UTF-8'],
    body: '1',
  },
];
for (const { what, xml: text, decodes, headers, body } of formRows) {
  test(`a part of a form is written: ${what}`, () => {
    const payload = new Payload();
    xml(text)(payload);
    const formatted = format('multipart/form-data', payload, { DECODE_MULTIPART_DATA: decodes });
    assert.ok(typeof formatted === 'object' && 'contentType' in formatted && formatted.body instanceof Uint8Array);
    const [part] = parseMultipart(formatted.body, formatted.contentType);
    assert.deepEqual(
      part?.headers.filter((_, index) => index % 2 === 1),
      headers,
    );
    assert.equal(Buffer.from(part?.body ?? []).toString(), body);
  });
}

/** Names and values of form fields, those with a file name being files. */
const fields = fc.array(
  fc.record({
    name: fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((name) => !/[\0\r\n]/.test(name) && !name.includes('_JsonReader_')),
    value: fc.string({ unit: 'grapheme' }),
    fileName: fc.option(
      fc.string({ unit: 'grapheme' }).filter((name) => !/[\0\r\n]/.test(name)),
      { nil: undefined },
    ),
  }),
  { maxLength: 6 },
);

test('a form that was written is read as it was', async () => {
  await fc.assert(
    fc.asyncProperty(fields, async (written) => {
      const root = new XmlElement('mediate');
      for (const { name, value, fileName } of written) {
        const field = new XmlElement(name);
        if (fileName !== undefined) {
          field.attributes.push({ prefix: '', local: 'filename', uri: '', value: fileName });
          field.attributes.push({ prefix: '', local: 'charset', uri: '', value: 'UTF-8' });
        }
        appendChild(field, new XmlText(value));
        appendChild(root, field);
      }
      const payload = new Payload();
      payload.setContent([root]);
      const formatted = format('multipart/form-data', payload);
      assert.ok(typeof formatted === 'object' && 'contentType' in formatted && formatted.body instanceof Uint8Array);
      const again = Payload.received(bodySourceOf(formatted.body), {
        contentType: formatted.contentType,
        hasSoapAction: false,
        query: '',
      });
      await again.load(1_000_000);
      const content = again.content();
      const read = new Payload();
      if (content) read.setContent([content]);
      const second = format('multipart/form-data', read, { DECODE_MULTIPART_DATA: 'true' });
      assert.ok(typeof second === 'object' && 'contentType' in second && second.body instanceof Uint8Array);
      const bodies = parseMultipart(second.body, second.contentType).map((part) => Buffer.from(part.body).toString());
      assert.deepEqual(
        bodies,
        written.map(({ value }) => Buffer.from(value).toString()),
      );
      assert.equal(content ? childElements(content).length : 0, written.length);
    }),
  );
});
