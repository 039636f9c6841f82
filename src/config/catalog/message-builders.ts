import { defineSection, key } from './define.ts';
import { className, text } from './types.ts';

export const messageBuilders = defineSection({
  path: 'message_builders',
  doc: 'How incoming bodies are read, by media type.',
  keys: {
    applicationXml: key('application_xml', className(), {
      note: 'built-in class',
      doc: 'Builder for application/xml.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/xml.',
    }),
    formUrlencoded: key('form_urlencoded', className(), {
      note: 'built-in class',
      doc: 'Builder for application/x-www-form-urlencoded.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/x-www-form-urlencoded.',
    }),
    multipartFormData: key('multipart_form_data', className(), {
      note: 'built-in class',
      doc: 'Builder for multipart/form-data.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to multipart/form-data.',
    }),
    textPlain: key('text_plain', className(), {
      note: 'built-in class',
      doc: 'Builder for text/plain.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to text/plain.',
    }),
    applicationJson: key('application_json', className(), {
      note: 'built-in class',
      aliases: ['message_builder.json'],
      doc: 'Builder for application/json.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/json.',
    }),
    jsonBadgerfish: key('json_badgerfish', className(), {
      note: 'built-in class',
      doc: 'Builder for application/json/badgerfish.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/json/badgerfish.',
    }),
    textJavascript: key('text_javascript', className(), {
      note: 'built-in class',
      doc: 'Builder for text/javascript.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to text/javascript.',
    }),
    octetStream: key('octet_stream', className(), {
      note: 'built-in class',
      doc: 'Builder for application/octet-stream.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/octet-stream.',
    }),
    applicationBinary: key('application_binary', className(), {
      note: 'built-in class',
      doc: 'Builder for application/binary.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/binary.',
    }),
    applicationPdf: key('application_pdf', className(), {
      additional: true,
      doc: 'Binary office types (integrator).',
      mapped: 'default pass-through binary builder.',
    }),
    applicationMsword: key('application_msword', className(), {
      additional: true,
      doc: 'Binary office types (integrator).',
      mapped: 'default pass-through binary builder.',
    }),
    applicationDocx: key('application_docx', className(), {
      additional: true,
      doc: 'Binary office types (integrator).',
      mapped: 'default pass-through binary builder.',
    }),
    applicationPpt: key('application_ppt', className(), {
      additional: true,
      doc: 'Binary office types (integrator).',
      mapped: 'default pass-through binary builder.',
    }),
    applicationPptx: key('application_pptx', className(), {
      additional: true,
      doc: 'Binary office types (integrator).',
      mapped: 'default pass-through binary builder.',
    }),
    applicationXls: key('application_xls', className(), {
      additional: true,
      doc: 'Binary office types (integrator).',
      mapped: 'default pass-through binary builder.',
    }),
    applicationXlsx: key('application_xlsx', className(), {
      additional: true,
      doc: 'Binary office types (integrator).',
      mapped: 'default pass-through binary builder.',
    }),
    textHtml: key('text_html', className(), {
      additional: true,
      doc: 'API manager types.',
      mapped: 'binary relay and plain text.',
    }),
    textEventstream: key('text_eventstream', className(), {
      additional: true,
      doc: 'API manager types.',
      mapped: 'binary relay and plain text.',
    }),
  },
});

export const blockingMessageBuilders = defineSection({
  path: 'blocking.message_builders',
  doc: 'How bodies are read after blocking calls.',
  keys: {
    applicationXml: key('application_xml', className(), {
      note: 'built-in class',
      doc: 'Builder for application/xml.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/xml.',
    }),
    formUrlencoded: key('form_urlencoded', className(), {
      note: 'built-in class',
      doc: 'Builder for application/x-www-form-urlencoded.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/x-www-form-urlencoded.',
    }),
    multipartFormData: key('multipart_form_data', className(), {
      note: 'built-in class',
      doc: 'Builder for multipart/form-data.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to multipart/form-data.',
    }),
    textPlain: key('text_plain', className(), {
      note: 'built-in class',
      doc: 'Builder for text/plain.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to text/plain.',
    }),
    applicationJson: key('application_json', className(), {
      note: 'built-in class',
      aliases: ['blocking.message_builder.json'],
      doc: 'Builder for application/json.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/json.',
    }),
    jsonBadgerfish: key('json_badgerfish', className(), {
      note: 'built-in class',
      doc: 'Builder for application/json/badgerfish.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/json/badgerfish.',
    }),
    textJavascript: key('text_javascript', className(), {
      note: 'built-in class',
      doc: 'Builder for text/javascript.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to text/javascript.',
    }),
    octetStream: key('octet_stream', className(), {
      note: 'built-in class',
      doc: 'Builder for application/octet-stream.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/octet-stream.',
    }),
    applicationBinary: key('application_binary', className(), {
      note: 'built-in class',
      doc: 'Builder for application/binary.',
      mapped:
        'class name -> built-in builder by media type, or module specifier of a TypeScript builder; applied to application/binary.',
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
      note: 'none; example application/json/badgerfish',
      doc: 'Media type.',
      effect: 'exact media type without parameters, compared lower-cased; wins over the fixed key of the same type.',
    }),
    class: key('class', className(), { required: true, doc: 'Class.', mapped: 'as for the sibling key.' }),
  },
});

export const blockingCustomMessageBuilders = defineSection({
  path: 'blocking.custom_message_builders',
  repeated: true,
  doc: 'Readers of further media types after blocking calls.',
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
