import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serializeXml, soapVersionOf } from '#xml';
import { bodySourceOf } from '../body.ts';
import { Payload, type PayloadOrigin } from '../payload.ts';
import { PayloadError } from '../payload-error.ts';

const limit = 1_000_000;

async function received(
  contentType: string | undefined,
  body: string | Uint8Array,
  origin: Partial<PayloadOrigin> = {},
): Promise<Payload> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const payload = Payload.received(bodySourceOf(bytes), { contentType, hasSoapAction: false, query: '', ...origin });
  await payload.load(limit);
  return payload;
}

/** What became of a body: `json …`, `soap11 …` or the XML of what is in the envelope. */
function shown(payload: Payload): string {
  const json = payload.jsonText();
  if (json !== undefined) return `json ${json}`;
  const content = payload.content();
  const version = soapVersionOf(payload.envelope());
  return `${version === 'soap11' ? 'soap11 ' : ''}${content ? serializeXml(content) : 'nothing'}`;
}

const payloadNamespace = 'xmlns="http://ws.apache.org/commons/ns/payload"';
const soap11 = (content: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content}</s:Body></s:Envelope>`;
const soap12 = (content: string): string =>
  `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>${content}</s:Body></s:Envelope>`;
const binary = (bytes: string | Uint8Array): string =>
  `<binary ${payloadNamespace}>${Buffer.from(bytes as string).toString('base64')}</binary>`;
const form = (...fields: string[]): string => `--b\r\n${fields.join('\r\n--b\r\n')}\r\n--b--\r\n`;

interface Row {
  readonly what: string;
  readonly type: string | undefined;
  readonly body: string | Uint8Array;
  readonly origin?: Partial<PayloadOrigin>;
  readonly expected: string;
}

const rows: readonly Row[] = [
  // application/xml
  { what: 'XML', type: 'application/xml', body: '<a><b>1</b></a>', expected: '<a><b>1</b></a>' },
  { what: 'the type in capitals', type: 'Application/XML', body: '<a/>', expected: '<a/>' },
  { what: 'the type before a comma', type: 'application/xml, text/plain', body: '<a/>', expected: '<a/>' },
  { what: 'an XML declaration', type: 'application/xml', body: '<?xml version="1.0"?><a/>', expected: '<a/>' },
  {
    what: 'the charset of the type',
    type: 'application/xml; charset=ISO-8859-1',
    body: Buffer.from('<a>ä</a>', 'latin1'),
    expected: '<a>ä</a>',
  },
  {
    what: 'the encoding of the XML declaration',
    type: 'application/xml',
    body: Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>', 'latin1'),
    expected: '<a>ä</a>',
  },
  {
    what: 'the charset of the type before that of the declaration',
    type: 'application/xml; charset=UTF-8',
    body: '<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>',
    expected: '<a>ä</a>',
  },
  { what: 'a byte order mark', type: 'application/xml', body: '\ufeff<a>ä</a>', expected: '<a>ä</a>' },
  {
    what: 'UTF-16 by its byte order mark',
    type: 'application/xml',
    body: Buffer.from('\ufeff<a>ä</a>', 'utf16le'),
    expected: '<a>ä</a>',
  },
  {
    what: 'a byte order mark against the type',
    type: 'application/xml; charset=UTF-8',
    body: Buffer.from('\ufeff<a>ä</a>', 'utf16le'),
    expected: '<a>ä</a>',
  },
  // text/xml and SOAP
  { what: 'text/xml without SOAPAction', type: 'text/xml', body: '<a/>', expected: '<a/>' },
  {
    what: 'text/xml with SOAPAction',
    type: 'text/xml',
    body: soap11('<a/>'),
    origin: { hasSoapAction: true },
    expected: 'soap11 <a/>',
  },
  { what: 'SOAP 1.2', type: 'application/soap+xml; action="x"', body: soap12('<a/>'), expected: '<a/>' },
  { what: 'an empty SOAP body', type: 'application/soap+xml', body: soap12(''), expected: 'nothing' },
  // JSON
  { what: 'JSON', type: 'application/json', body: '{"a":1.50}', expected: 'json {"a":1.50}' },
  { what: 'JSON of any syntax, unread', type: 'application/json', body: '{oops', expected: 'json {oops' },
  { what: 'JSON with a byte order mark', type: 'application/json', body: '\ufeff{}', expected: 'json {}' },
  {
    what: 'JSON in UTF-16',
    type: 'application/json; charset=UTF-16LE',
    body: Buffer.from('{"a":"ä"}', 'utf16le'),
    expected: 'json {"a":"ä"}',
  },
  // mapped JSON and Badgerfish
  {
    what: 'mapped JSON',
    type: 'text/javascript',
    body: '{"a":{"@x":"1","b":[1,2]}}',
    expected: '<a x="1"><b>1</b><b>2</b></a>',
  },
  {
    what: 'mapped JSON of two members',
    type: 'text/javascript',
    body: '{"a":1,"b":2}',
    expected: '<jsonObject><a>1</a><b>2</b></jsonObject>',
  },
  { what: 'empty mapped JSON', type: 'text/javascript', body: ' ', expected: 'nothing' },
  {
    what: 'Badgerfish',
    type: 'application/json/badgerfish',
    body: '{"p:a":{"@xmlns":{"p":"urn:p"},"@x":"1","b":[{"$":"1"},{"$":"2"}]}}',
    expected: '<p:a xmlns:p="urn:p" x="1"><b>1</b><b>2</b></p:a>',
  },
  // text
  { what: 'text', type: 'text/plain', body: 'a < b', expected: `<text ${payloadNamespace}>a &lt; b</text>` },
  { what: 'events', type: 'text/event-stream', body: 'data: 1', expected: `<text ${payloadNamespace}>data: 1</text>` },
  {
    what: 'text in another charset',
    type: 'text/plain; charset="windows-1252"',
    body: Buffer.from([0x80]),
    expected: `<text ${payloadNamespace}>€</text>`,
  },
  // binary
  {
    what: 'octets',
    type: 'application/octet-stream',
    body: Buffer.from([0, 255]),
    expected: binary(Buffer.from([0, 255])),
  },
  { what: 'application/binary', type: 'application/binary', body: 'x', expected: binary('x') },
  { what: 'PDF', type: 'application/pdf', body: '%PDF', expected: binary('%PDF') },
  { what: 'Word', type: 'application/msword', body: 'x', expected: binary('x') },
  { what: 'HTML', type: 'text/html; charset=utf-8', body: '<p>', expected: binary('<p>') },
  // no type
  { what: 'a reply without a type', type: undefined, body: 'x', expected: binary('x') },
  { what: 'a POST without a type', type: undefined, body: 'x', origin: { method: 'POST' }, expected: binary('x') },
  {
    what: 'a DELETE without a type',
    type: undefined,
    body: 'a=1',
    origin: { method: 'DELETE' },
    expected: '<xformValues><a>1</a></xformValues>',
  },
  { what: 'an empty body', type: 'application/xml', body: '', expected: 'nothing' },
  { what: 'an empty JSON body', type: 'application/json', body: '', expected: 'nothing' },
  { what: 'XML of a type that nobody knows', type: 'application/vnd.acme+xml', body: '<a/>', expected: '<a/>' },
  // form-urlencoded
  {
    what: 'a form',
    type: 'application/x-www-form-urlencoded',
    body: 'a=1&b=x%20y+z&a=2',
    expected: '<xformValues><a>1</a><b>x y z</b><a>2</a></xformValues>',
  },
  {
    what: 'a form after the query',
    type: 'application/x-www-form-urlencoded',
    body: 'a=1',
    origin: { query: 'q=%C3%A4' },
    expected: '<xformValues><q>ä</q><a>1</a></xformValues>',
  },
  {
    what: 'names that XML does not know',
    type: 'application/x-www-form-urlencoded',
    body: '1a=x&$b=y&c=&=z',
    expected:
      '<xformValues><_JsonReader_PD_1a>x</_JsonReader_PD_1a><_JsonReader_PS_b>y</_JsonReader_PS_b><c/></xformValues>',
  },
  {
    what: 'a name that would be markup',
    type: 'application/x-www-form-urlencoded',
    body: 'a%3Eb=1',
    expected: '<xformValues><a_JsonReader_62_b>1</a_JsonReader_62_b></xformValues>',
  },
  // multipart/form-data
  {
    what: 'a field',
    type: 'multipart/form-data; boundary=b',
    body: form('Content-Disposition: form-data; name="a"\r\n\r\n1 < 2'),
    expected: '<mediate><a>1 &lt; 2</a></mediate>',
  },
  {
    what: 'a field with a charset',
    type: 'multipart/form-data; boundary=b',
    body: Buffer.from(
      form('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=ISO-8859-1\r\n\r\nä'),
      'latin1',
    ),
    expected: '<mediate><a content-type="text/plain; charset=ISO-8859-1" charset="ISO-8859-1">ä</a></mediate>',
  },
  {
    what: 'a file',
    type: 'multipart/form-data; boundary="b"',
    body: form('Content-Disposition: form-data; name="f"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nhello'),
    expected: '<mediate><f filename="x.txt" content-type="text/plain">aGVsbG8=</f></mediate>',
  },
  {
    what: 'a file with a transfer encoding',
    type: 'multipart/form-data; boundary=b',
    body: form('Content-Disposition: form-data; name="f"; filename=""\r\nContent-Transfer-Encoding: binary\r\n\r\n'),
    expected: '<mediate><f filename="" content-transfer-encoding="binary"/></mediate>',
  },
  {
    what: 'fields of one name',
    type: 'multipart/form-data; boundary=b',
    body: form('Content-Disposition: form-data; name=a\r\n\r\n1', 'Content-Disposition: form-data; name=a\r\n\r\n2'),
    expected: '<mediate><a>1</a><a>2</a></mediate>',
  },
  {
    what: 'a field whose name XML does not know',
    type: 'multipart/form-data; boundary=b',
    body: form('Content-Disposition: form-data; name="a[]"\r\n\r\n1'),
    expected: '<mediate><a_JsonReader_91__JsonReader_93_>1</a_JsonReader_91__JsonReader_93_></mediate>',
  },
  // multipart/related
  {
    what: 'SOAP with attachments',
    type: 'multipart/related; boundary=b; type="text/xml"',
    body: form(`Content-Type: text/xml\r\n\r\n${soap11('<a/>')}`, 'Content-ID: <x>\r\n\r\nhello'),
    expected: 'soap11 <a/>',
  },
  {
    what: 'the part that start names',
    type: 'multipart/related; boundary=b; start="<r>"',
    body: form('Content-ID: <x>\r\n\r\nhello', `Content-ID: <r>\r\nContent-Type: text/xml\r\n\r\n${soap11('<a/>')}`),
    expected: 'soap11 <a/>',
  },
  {
    what: 'MTOM',
    type: 'multipart/related; boundary=b; type="application/xop+xml"',
    body: form(
      `Content-Type: application/xop+xml; type="application/soap+xml"\r\n\r\n${soap12(
        '<a><xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:x%40y"/></a>',
      )}`,
      'Content-ID: <x@y>\r\nContent-Transfer-Encoding: binary\r\n\r\nhello',
    ),
    expected: '<a>aGVsbG8=</a>',
  },
  {
    what: 'plain XML with attachments',
    type: 'multipart/related; boundary=b',
    body: form('Content-Type: application/xml\r\n\r\n<a/>', 'Content-ID: <x>\r\n\r\nhello'),
    expected: '<a/>',
  },
];

for (const { what, type, body, origin, expected } of rows) {
  test(`a body is built: ${what}`, async () => {
    assert.equal(shown(await received(type, body, origin)), expected);
  });
}

const refused: readonly Omit<Row, 'origin' | 'expected'>[] = [
  { what: 'malformed XML', type: 'application/xml', body: '<a>' },
  { what: 'a document type', type: 'application/xml', body: '<!DOCTYPE a><a/>' },
  { what: 'JSON of a type that nobody knows', type: 'application/vnd.acme+json', body: '{}' },
  { what: 'an unknown charset', type: 'text/plain; charset=klingon', body: 'x' },
  { what: 'XML that is no envelope', type: 'application/soap+xml', body: '<a/>' },
  { what: 'malformed mapped JSON', type: 'text/javascript', body: '{' },
  { what: 'Badgerfish of two members', type: 'application/json/badgerfish', body: '{"a":{},"b":{}}' },
  { what: 'Badgerfish with an undeclared prefix', type: 'application/json/badgerfish', body: '{"p:a":{}}' },
  { what: '1001 form parameters', type: 'application/x-www-form-urlencoded', body: 'a=1&'.repeat(1001) },
  { what: 'a multipart field without a name', type: 'multipart/form-data; boundary=b', body: form('\r\nx') },
  { what: 'multipart without a boundary', type: 'multipart/form-data', body: form('\r\nx') },
  { what: 'multipart/related without parts', type: 'multipart/related; boundary=b', body: '--b--' },
  {
    what: 'multipart/related without its start',
    type: 'multipart/related; boundary=b; start="<r>"',
    body: form(`Content-Type: text/xml\r\n\r\n${soap11('<a/>')}`),
  },
  {
    what: 'an inclusion of a part that is not there',
    type: 'multipart/related; boundary=b; type="application/xop+xml"',
    body: form(
      `Content-Type: application/xop+xml\r\n\r\n${soap12(
        '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:x"/>',
      )}`,
    ),
  },
  {
    what: 'one part included many times',
    type: 'multipart/related; boundary=b; type="application/xop+xml"',
    body: form(
      `Content-Type: application/xop+xml\r\n\r\n${soap12(
        '<a><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:x"/></a>'.repeat(20),
      )}`,
      `Content-ID: <x>\r\n\r\n${'x'.repeat(20_000)}`,
    ),
  },
];
for (const { what, type, body } of refused) {
  test(`a body is refused with 601000: ${what}`, async () => {
    const payload = await received(type, body);
    assert.throws(
      () => serializeXml(payload.envelope()),
      (error) => error instanceof PayloadError && error.code === 601000,
    );
    assert.equal(payload.takeRaw(), null);
    assert.equal(payload.content(), undefined);
  });
}

test('an unknown charset is named', async () => {
  const payload = await received('text/plain; charset=klingon', 'x');
  assert.throws(() => payload.content(), /klingon/);
});

test('a body that was only read keeps its bytes', async () => {
  const body = Buffer.from('<a  b="1"  />');
  const payload = await received('application/xml', body);
  assert.ok(payload.content());
  assert.equal(payload.takeRaw(), body);
});

test('attachments are kept with their headers, and a transfer encoding is undone', async () => {
  const payload = await received(
    'multipart/related; boundary=b',
    form(
      `Content-Type: text/xml\r\n\r\n${soap11('<a/>')}`,
      'Content-ID: <x>\r\nContent-Type: image/png\r\nContent-Location: x.png\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=',
    ),
  );
  assert.deepEqual(
    payload.attachments.map((attachment) => ({ ...attachment, bytes: Buffer.from(attachment.bytes).toString() })),
    [
      {
        contentId: 'x',
        contentType: 'image/png',
        headers: ['Content-Location', 'x.png'],
        bytes: 'hello',
        included: false,
      },
    ],
  );
});
