import { defineSection, key } from './define.ts';
import { className, text } from './types.ts';

export const messageBuilders = defineSection({
  path: 'message_builders',
  doc: 'How incoming bodies are read, by media type.',
  keys: {
    applicationXml: key('application_xml', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/xml.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    formUrlencoded: key('form_urlencoded', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/x-www-form-urlencoded.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    multipartFormData: key('multipart_form_data', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for multipart/form-data.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    textPlain: key('text_plain', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for text/plain.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    applicationJson: key('application_json', className(), {
      whenAbsent: 'the built-in one',
      aliases: ['message_builder.json'],
      doc: 'Builder for application/json.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    jsonBadgerfish: key('json_badgerfish', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/json/badgerfish.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    textJavascript: key('text_javascript', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for text/javascript.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    octetStream: key('octet_stream', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/octet-stream.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    applicationBinary: key('application_binary', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/binary.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    applicationPdf: key('application_pdf', className(), {
      additional: true,
      doc: 'Builder for PDF files.',
      mapped: 'the body passes unread unless another builder is named.',
    }),
    applicationMsword: key('application_msword', className(), {
      additional: true,
      doc: 'Builder for Word 97 files.',
      mapped: 'the body passes unread unless another builder is named.',
    }),
    applicationDocx: key('application_docx', className(), {
      additional: true,
      doc: 'Builder for Word files.',
      mapped: 'the body passes unread unless another builder is named.',
    }),
    applicationPpt: key('application_ppt', className(), {
      additional: true,
      doc: 'Builder for PowerPoint 97 files.',
      mapped: 'the body passes unread unless another builder is named.',
    }),
    applicationPptx: key('application_pptx', className(), {
      additional: true,
      doc: 'Builder for PowerPoint files.',
      mapped: 'the body passes unread unless another builder is named.',
    }),
    applicationXls: key('application_xls', className(), {
      additional: true,
      doc: 'Builder for Excel 97 files.',
      mapped: 'the body passes unread unless another builder is named.',
    }),
    applicationXlsx: key('application_xlsx', className(), {
      additional: true,
      doc: 'Builder for Excel files.',
      mapped: 'the body passes unread unless another builder is named.',
    }),
    textHtml: key('text_html', className(), {
      additional: true,
      doc: 'Builder for text/html.',
      mapped: 'the body passes unread unless another builder is named.',
    }),
    textEventstream: key('text_eventstream', className(), {
      additional: true,
      doc: 'Builder for text/event-stream.',
      mapped: 'the body is text unless another builder is named.',
    }),
  },
});

export const blockingMessageBuilders = defineSection({
  path: 'blocking.message_builders',
  doc: 'How bodies are read after blocking calls.',
  keys: {
    applicationXml: key('application_xml', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/xml.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    formUrlencoded: key('form_urlencoded', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/x-www-form-urlencoded.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    multipartFormData: key('multipart_form_data', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for multipart/form-data.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    textPlain: key('text_plain', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for text/plain.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    applicationJson: key('application_json', className(), {
      whenAbsent: 'the built-in one',
      aliases: ['blocking.message_builder.json'],
      doc: 'Builder for application/json.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    jsonBadgerfish: key('json_badgerfish', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/json/badgerfish.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    textJavascript: key('text_javascript', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for text/javascript.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    octetStream: key('octet_stream', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/octet-stream.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
    applicationBinary: key('application_binary', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Builder for application/binary.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
  },
});

export const customMessageBuilders = defineSection({
  path: 'custom_message_builders',
  repeated: true,
  doc: 'Readers of further media types.',
  keys: {
    contentType: key('content_type', text(), {
      required: true,
      note: 'example application/json/badgerfish',
      doc: 'Media type.',
      effect: 'exact media type without parameters, compared lower-cased; wins over the fixed key of the same type.',
    }),
    class: key('class', className(), {
      required: true,
      doc: 'Class of the builder.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
  },
});

export const blockingCustomMessageBuilders = defineSection({
  path: 'blocking.custom_message_builders',
  repeated: true,
  doc: 'Readers of further media types after blocking calls.',
  keys: {
    contentType: key('content_type', text(), {
      required: true,
      note: 'example application/json/badgerfish',
      doc: 'Media type.',
      effect: 'exact media type without parameters, compared lower-cased; wins over the fixed key of the same type.',
    }),
    class: key('class', className(), {
      required: true,
      doc: 'Class of the builder.',
      mapped: 'a known class name selects a built-in builder; a module of the extensions replaces it.',
    }),
  },
});
