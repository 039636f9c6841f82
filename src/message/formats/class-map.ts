import type { BuilderKind } from '../builders/index.ts';
import type { FormatterKind } from '../formatters/index.ts';

/** Classes of the original that read bodies, and the built-in builder that does the same (config-catalog 4.8). */
export const builderClasses: Readonly<Record<string, BuilderKind>> = {
  'org.apache.axis2.builder.ApplicationXMLBuilder': 'xml',
  'org.apache.axis2.builder.SOAPBuilder': 'soap',
  'org.apache.axis2.builder.MIMEBuilder': 'multipart-related',
  'org.apache.axis2.builder.MTOMBuilder': 'multipart-related',
  'org.apache.axis2.builder.XFormURLEncodedBuilder': 'form-urlencoded',
  'org.apache.synapse.commons.builders.XFormURLEncodedBuilder': 'form-urlencoded',
  'org.apache.axis2.builder.MultipartFormDataBuilder': 'multipart-form-data',
  'org.apache.axis2.format.PlainTextBuilder': 'text',
  'org.apache.axis2.format.BinaryBuilder': 'binary',
  'org.wso2.carbon.relay.BinaryRelayBuilder': 'relay',
  'org.apache.synapse.commons.json.JsonStreamBuilder': 'json',
  'org.apache.synapse.commons.json.JsonBuilder': 'json',
  'org.wso2.micro.integrator.core.json.JsonStreamBuilder': 'json',
  'org.wso2.carbon.integrator.core.json.JsonStreamBuilder': 'json',
  'org.apache.axis2.json.gson.JsonBuilder': 'json',
  'org.apache.axis2.json.JSONStreamBuilder': 'json',
  'org.apache.axis2.json.JSONBadgerfishOMBuilder': 'json-badgerfish',
  'org.apache.axis2.json.JSONBuilder': 'json-mapped',
  'org.apache.axis2.json.JSONOMBuilder': 'json-mapped',
};

/** Classes of the original that write bodies, and the built-in formatter that does the same. */
export const formatterClasses: Readonly<Record<string, FormatterKind>> = {
  'org.apache.axis2.transport.http.ApplicationXMLFormatter': 'xml',
  'org.apache.axis2.transport.http.SOAPMessageFormatter': 'soap',
  'org.apache.axis2.transport.http.XFormURLEncodedFormatter': 'form-urlencoded',
  'org.apache.synapse.commons.formatters.XFormURLEncodedFormatter': 'form-urlencoded',
  'org.apache.axis2.transport.http.MultipartFormDataFormatter': 'multipart-form-data',
  'org.apache.axis2.format.PlainTextFormatter': 'text',
  'org.apache.axis2.format.BinaryFormatter': 'binary',
  'org.wso2.carbon.relay.ExpandingMessageFormatter': 'relay',
  'org.apache.synapse.commons.json.JsonStreamFormatter': 'json',
  'org.apache.synapse.commons.json.JsonFormatter': 'json',
  'org.wso2.micro.integrator.core.json.JsonStreamFormatter': 'json',
  'org.wso2.carbon.integrator.core.json.JsonStreamFormatter': 'json',
  'org.apache.axis2.json.gson.JsonFormatter': 'json',
  'org.apache.axis2.json.JSONStreamFormatter': 'json',
  'org.apache.axis2.json.JSONBadgerfishMessageFormatter': 'json-badgerfish',
  'org.apache.axis2.json.JSONMessageFormatter': 'json-mapped',
};
