import { defineSection, key } from './define.ts';
import { className, text } from './types.ts';

export const messageFormatters = defineSection({
  path: 'message_formatters',
  doc: 'How outgoing bodies are written, by media type.',
  keys: {
    applicationXml: key('application_xml', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/xml.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    formUrlencoded: key('form_urlencoded', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/x-www-form-urlencoded.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    multipartFormData: key('multipart_form_data', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for multipart/form-data.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    textPlain: key('text_plain', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for text/plain.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    applicationJson: key('application_json', className(), {
      whenAbsent: 'the built-in one',
      aliases: ['message_formatter.json'],
      doc: 'Formatter for application/json.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    jsonBadgerfish: key('json_badgerfish', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/json/badgerfish.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    textJavascript: key('text_javascript', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for text/javascript.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    octetStream: key('octet_stream', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/octet-stream.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    applicationBinary: key('application_binary', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/binary.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    textXml: key('text_xml', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for text/xml.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    soapXml: key('soap_xml', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/soap+xml.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
  },
});

export const blockingMessageFormatters = defineSection({
  path: 'blocking.message_formatters',
  doc: 'How bodies of blocking calls are written.',
  keys: {
    applicationXml: key('application_xml', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/xml.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    formUrlencoded: key('form_urlencoded', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/x-www-form-urlencoded.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    multipartFormData: key('multipart_form_data', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for multipart/form-data.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    textPlain: key('text_plain', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for text/plain.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    applicationJson: key('application_json', className(), {
      whenAbsent: 'the built-in one',
      aliases: ['blocking.message_formatter.json'],
      doc: 'Formatter for application/json.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    jsonBadgerfish: key('json_badgerfish', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/json/badgerfish.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    textJavascript: key('text_javascript', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for text/javascript.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    octetStream: key('octet_stream', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/octet-stream.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    applicationBinary: key('application_binary', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/binary.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    textXml: key('text_xml', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for text/xml.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
    soapXml: key('soap_xml', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Formatter for application/soap+xml.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
  },
});

export const customMessageFormatters = defineSection({
  path: 'custom_message_formatters',
  repeated: true,
  doc: 'Writers of further media types.',
  keys: {
    contentType: key('content_type', text(), {
      required: true,
      note: 'example application/json/badgerfish',
      doc: 'Media type.',
      effect: 'exact media type without parameters, compared lower-cased; wins over the fixed key of the same type.',
    }),
    class: key('class', className(), {
      required: true,
      doc: 'Class of the formatter.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
  },
});

export const blockingCustomMessageFormatters = defineSection({
  path: 'blocking.custom_message_formatters',
  repeated: true,
  doc: 'Writers of further media types in blocking calls.',
  keys: {
    contentType: key('content_type', text(), {
      required: true,
      note: 'example application/json/badgerfish',
      doc: 'Media type.',
      effect: 'exact media type without parameters, compared lower-cased; wins over the fixed key of the same type.',
    }),
    class: key('class', className(), {
      required: true,
      doc: 'Class of the formatter.',
      mapped: 'a known class name selects a built-in formatter; a module of the extensions replaces it.',
    }),
  },
});
