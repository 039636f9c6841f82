import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '#config';
import { bodySourceOf, mediaTypeOf, Payload, readMessageFormats, type MessageFormats } from '#message';
import { parseXml, serializeXml } from '#xml';
import { startInProcess } from '../helpers/in-process.ts';
import type { EffectRow } from './effect-row.ts';

/** Keys that have a builder and a formatter, and their media types. */
const types = {
  application_xml: 'application/xml',
  form_urlencoded: 'application/x-www-form-urlencoded',
  multipart_form_data: 'multipart/form-data; boundary=b',
  text_plain: 'text/plain',
  application_json: 'application/json',
  json_badgerfish: 'application/json/badgerfish',
  text_javascript: 'text/javascript',
  octet_stream: 'application/octet-stream',
  application_binary: 'application/binary',
};
/** Keys that only the builders have. */
const builderTypes = {
  application_pdf: 'application/pdf',
  application_msword: 'application/msword',
  application_docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  application_ppt: 'application/vnd.ms-powerpoint',
  application_pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  application_xls: 'application/vnd.ms-excel',
  application_xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  text_html: 'text/html',
  text_eventstream: 'text/event-stream',
};
const formatterTypes = { text_xml: 'text/xml', soap_xml: 'application/soap+xml' };

const textBuilder = 'org.apache.axis2.format.PlainTextBuilder';
const binaryBuilder = 'org.apache.axis2.format.BinaryBuilder';
const textFormatter = 'org.apache.axis2.format.PlainTextFormatter';
const jsonFormatter = 'org.apache.synapse.commons.json.JsonStreamFormatter';

/** What a body of the type is to mediators. */
async function built(formats: MessageFormats, contentType: string | undefined): Promise<string> {
  const origin = { contentType, hasSoapAction: false, query: '', method: 'POST' };
  const payload = Payload.received(bodySourceOf(Buffer.from('hello')), origin);
  payload.formats = formats;
  await payload.load(1000);
  const content = payload.content();
  return content ? serializeXml(content) : 'nothing';
}

/** What a text is in a body of the type. */
function written(formats: MessageFormats, contentType: string): unknown {
  const payload = new Payload();
  payload.setText('hello');
  const input = { payload, mediaType: mediaTypeOf(contentType), charset: 'UTF-8', property: () => undefined };
  return formats.formatterFor(contentType)?.format({ ...input, attachments: formats.attachments });
}

const usual = (config: Config): Promise<MessageFormats> => readMessageFormats(config, '.');
const blocking = async (config: Config): Promise<MessageFormats> => (await usual(config)).blocking;

function builderRow(key: string, contentType: string, formatsOf: typeof usual): EffectRow {
  const observe = async (config: Config) => built(await formatsOf(config), contentType);
  return { key, first: textBuilder, second: binaryBuilder, observe };
}

function formatterRow(key: string, contentType: string, formatsOf: typeof usual): EffectRow {
  const observe = async (config: Config) => written(await formatsOf(config), contentType);
  return { key, first: textFormatter, second: jsonFormatter, observe };
}

function customRows(prefix: string, formatsOf: typeof usual): EffectRow[] {
  const builders = `${prefix}custom_message_builders`;
  const formatters = `${prefix}custom_message_formatters`;
  const given = (section: string, line: string) => `[[${section}]]\n${line}\n`;
  const type = 'content_type = "text/csv"';
  return [
    { ...builderRow(`${builders}.class`, 'text/csv', formatsOf), given: given(builders, type) },
    {
      ...builderRow(`${builders}.content_type`, 'text/plain', formatsOf),
      first: 'text/plain',
      second: 'text/csv',
      given: given(builders, `class = "${binaryBuilder}"`),
    },
    { ...formatterRow(`${formatters}.class`, 'text/csv', formatsOf), given: given(formatters, type) },
    {
      ...formatterRow(`${formatters}.content_type`, 'text/plain', formatsOf),
      first: 'text/plain',
      second: 'text/csv',
      given: given(formatters, `class = "${jsonFormatter}"`),
    },
  ];
}

function rowsFor(prefix: string, formatsOf: typeof usual, builderKeys: Readonly<Record<string, string>>): EffectRow[] {
  return [
    ...Object.entries(builderKeys).map(([key, type]) =>
      builderRow(`${prefix}message_builders.${key}`, type, formatsOf),
    ),
    ...Object.entries({ ...types, ...formatterTypes }).map(([key, type]) =>
      formatterRow(`${prefix}message_formatters.${key}`, type, formatsOf),
    ),
    ...customRows(prefix, formatsOf),
  ];
}

const xmime = 'xmlns:m="http://www.w3.org/2005/05/xmlmime" m:contentType="image/png"';
const soap = (content: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content}</s:Body></s:Envelope>`;

/** The answer to a SOAP request that carries an attachment, its envelope formatted anew. */
async function soapAnswer(config: Config): Promise<string> {
  const api = `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t"><resource methods="POST"><inSequence>
    <enrich><source type="inline"><b ${xmime}>aGVsbG8=</b></source><target type="body" action="child"/></enrich>
    <respond/></inSequence></resource></api>`;
  const sources = {
    files: [{ file: 't.xml', text: api }],
    packed: [],
    roots: [],
    definitions: new Map(),
    problems: [],
  };
  const cors = { enabled: true, allowOrigins: [], allowHeaders: '' };
  const runtime = startInProcess({ sources, scripts: [], cors, formats: await usual(config) });
  const parts = `--b\nContent-Type: text/xml\n\n${soap('<a/>')}\n--b\nContent-ID: <x>\n\nhello\n--b--`;
  const headers = 'Content-Type: multipart/related; boundary=b; type="text/xml"\nSOAPAction: "x"';
  return runtime.exchange(`POST /t HTTP/1.1\n${headers}\n\n${parts}`, 'http');
}

/** What the class `com.acme.Shout` of a configuration makes of XML. */
async function shouted(config: Config): Promise<unknown> {
  const extensions = mkdtempSync(join(tmpdir(), 'millrace-effects-'));
  try {
    writeFileSync(join(extensions, 'one.mjs'), 'export default { format: () => "one" };');
    writeFileSync(join(extensions, 'two.mjs'), 'export default { format: () => "two" };');
    const formats = await readMessageFormats(config, extensions);
    const payload = new Payload();
    payload.setContent([parseXml('<a/>').root]);
    return written(formats, 'application/xml');
  } finally {
    rmSync(extensions, { recursive: true });
  }
}

export const rows: readonly EffectRow[] = [
  ...rowsFor('', usual, { ...types, ...builderTypes }),
  ...rowsFor('blocking.', blocking, types),
  { key: 'server.enableMTOM', first: false, second: true, alone: true, observe: soapAnswer },
  { key: 'server.enableSwA', first: false, second: true, alone: true, observe: soapAnswer },
  {
    key: 'transport.default_content_type',
    first: 'text/plain',
    second: 'application/octet-stream',
    observe: async (config) => built(await usual(config), undefined),
  },
  {
    key: 'millrace.class_map.com.acme.Shout',
    first: './one.mjs',
    second: './two.mjs',
    given: '[message_formatters]\napplication_xml = "com.acme.Shout"\n',
    observe: shouted,
  },
];
