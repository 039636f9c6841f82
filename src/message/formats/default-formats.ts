import type { BuilderKind } from '../builders/index.ts';
import type { FormatterKind } from '../formatters/index.ts';

/** How one media type is read and written, and by which key of the configuration that can be changed. */
export interface FormatRow {
  /** Key of `[message_builders]` and `[message_formatters]`; undefined where there is none. */
  readonly key: string | undefined;
  readonly mediaType: string;
  readonly builder: BuilderKind;
  readonly formatter: FormatterKind;
}

type Row = readonly [mediaType: string, key: string | undefined, builder: BuilderKind, formatter?: FormatterKind];

/** The formatter stands where it is not the builder's namesake. */
const rows: readonly Row[] = [
  ['application/xml', 'applicationXml', 'xml'],
  ['text/xml', 'textXml', 'soap'],
  ['application/soap+xml', 'soapXml', 'soap'],
  ['application/json', 'applicationJson', 'json'],
  ['text/javascript', 'textJavascript', 'json-mapped'],
  ['application/json/badgerfish', 'jsonBadgerfish', 'json-badgerfish'],
  ['application/x-www-form-urlencoded', 'formUrlencoded', 'form-urlencoded'],
  ['multipart/form-data', 'multipartFormData', 'multipart-form-data'],
  ['multipart/related', undefined, 'multipart-related'],
  ['text/plain', 'textPlain', 'text'],
  ['text/event-stream', 'textEventstream', 'text'],
  ['text/html', 'textHtml', 'relay', 'xml'],
  ['application/octet-stream', 'octetStream', 'relay'],
  ['application/binary', 'applicationBinary', 'binary'],
  ['application/pdf', 'applicationPdf', 'relay'],
  ['application/msword', 'applicationMsword', 'relay'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'applicationDocx', 'relay'],
  ['application/vnd.ms-powerpoint', 'applicationPpt', 'relay'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'applicationPptx', 'relay'],
  ['application/vnd.ms-excel', 'applicationXls', 'relay'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'applicationXlsx', 'relay'],
];

/** The media types that are known without configuration (runtime-core 6.2, config-catalog 4.11). */
export const defaultFormatRows: readonly FormatRow[] = rows.map(([mediaType, key, builder, formatter]) => ({
  mediaType,
  key,
  builder,
  formatter: formatter ?? builder,
}));
