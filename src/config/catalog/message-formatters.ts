import { defineSection, key } from './define.ts';
import { className, text } from './types.ts';

export const messageFormatters = defineSection({
  path: 'message_formatters',
  doc: 'How outgoing bodies are written, by media type.',
  keys: {
    applicationXml: key('application_xml', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/xml.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/xml.',
    }),
    formUrlencoded: key('form_urlencoded', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/x-www-form-urlencoded.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/x-www-form-urlencoded.',
    }),
    multipartFormData: key('multipart_form_data', className(), {
      note: 'built-in class',
      doc: 'Formatter for multipart/form-data.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to multipart/form-data.',
    }),
    textPlain: key('text_plain', className(), {
      note: 'built-in class',
      doc: 'Formatter for text/plain.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to text/plain.',
    }),
    applicationJson: key('application_json', className(), {
      note: 'built-in class',
      aliases: ['message_formatter.json'],
      doc: 'Formatter for application/json.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/json.',
    }),
    jsonBadgerfish: key('json_badgerfish', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/json/badgerfish.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/json/badgerfish.',
    }),
    textJavascript: key('text_javascript', className(), {
      note: 'built-in class',
      doc: 'Formatter for text/javascript.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to text/javascript.',
    }),
    octetStream: key('octet_stream', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/octet-stream.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/octet-stream.',
    }),
    applicationBinary: key('application_binary', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/binary.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/binary.',
    }),
    textXml: key('text_xml', className(), {
      note: 'built-in class',
      doc: 'Formatter for text/xml.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to text/xml.',
    }),
    soapXml: key('soap_xml', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/soap+xml.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/soap+xml.',
    }),
  },
});

export const blockingMessageFormatters = defineSection({
  path: 'blocking.message_formatters',
  doc: 'How bodies of blocking calls are written.',
  keys: {
    applicationXml: key('application_xml', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/xml.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/xml.',
    }),
    formUrlencoded: key('form_urlencoded', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/x-www-form-urlencoded.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/x-www-form-urlencoded.',
    }),
    multipartFormData: key('multipart_form_data', className(), {
      note: 'built-in class',
      doc: 'Formatter for multipart/form-data.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to multipart/form-data.',
    }),
    textPlain: key('text_plain', className(), {
      note: 'built-in class',
      doc: 'Formatter for text/plain.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to text/plain.',
    }),
    applicationJson: key('application_json', className(), {
      note: 'built-in class',
      aliases: ['blocking.message_formatter.json'],
      doc: 'Formatter for application/json.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/json.',
    }),
    jsonBadgerfish: key('json_badgerfish', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/json/badgerfish.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/json/badgerfish.',
    }),
    textJavascript: key('text_javascript', className(), {
      note: 'built-in class',
      doc: 'Formatter for text/javascript.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to text/javascript.',
    }),
    octetStream: key('octet_stream', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/octet-stream.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/octet-stream.',
    }),
    applicationBinary: key('application_binary', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/binary.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/binary.',
    }),
    textXml: key('text_xml', className(), {
      note: 'built-in class',
      doc: 'Formatter for text/xml.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to text/xml.',
    }),
    soapXml: key('soap_xml', className(), {
      note: 'built-in class',
      doc: 'Formatter for application/soap+xml.',
      mapped:
        'class name -> built-in formatter by media type, or module specifier of a TypeScript formatter; applied to application/soap+xml.',
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
      note: 'none; example application/json/badgerfish',
      doc: 'Media type.',
      effect: 'exact media type without parameters, compared lower-cased; wins over the fixed key of the same type.',
    }),
    class: key('class', className(), { required: true, doc: 'Class.', mapped: 'as for the sibling key.' }),
  },
});

export const blockingCustomMessageFormatters = defineSection({
  path: 'blocking.custom_message_formatters',
  repeated: true,
  doc: 'Writers of further media types in blocking calls.',
  keys: {
    contentType: key('content_type', text(), {
      required: true,
      note: 'none; example application/json/badgerfish',
      doc: 'Media type.',
      effect: 'exact media type without parameters, compared lower-cased; wins over the fixed key of the same type.',
    }),
    class: key('class', className(), { required: true, doc: 'Class.', mapped: 'as for the sibling key.' }),
  },
});
