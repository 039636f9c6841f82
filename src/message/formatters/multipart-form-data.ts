import { encodeText } from '#core/java';
import { toMemberName } from '#json';
import { childElements, firstElement, getAttribute, ownText, serializeXml, type XmlElement } from '#xml';
import { parameterOf } from '../content-type.ts';
import { quoted, writeMultipart, type Part } from '../mime/index.ts';
import { defineFormatter, isOn } from './formatter.ts';

/** Namespace of the element that is a file whatever its attributes say. */
const formDataNamespace = 'http://org.apache.axis2/xsd/form-data';

const fileDefaults = { name: 'esb-generated-file', contentType: 'text/plain', charset: 'ISO-8859-1' };

interface Context {
  /** Charset of texts that name none. */
  readonly charset: string;
  /** True when the text of every file is Base64 (`DECODE_MULTIPART_DATA`). */
  readonly decodes: boolean;
}

/** `multipart/form-data` (RFC 7578): each child of the first body element is a part (runtime-core 6.3). */
export const multipartFormData = defineFormatter({
  name: 'multipart-form-data',
  format(input) {
    const { payload, charset } = input;
    const content = payload.content();
    const context = { charset, decodes: isOn(input.property('DECODE_MULTIPART_DATA')) };
    const parts = content ? childElements(content).map((child) => formPart(child, context)) : [];
    const { bytes, boundary } = writeMultipart(parts);
    return { body: bytes, contentType: `multipart/form-data; boundary=${boundary}` };
  },
});

function formPart(element: XmlElement, context: Context): Part {
  const isFormDataFile = element.local === 'file' && element.uri === formDataNamespace;
  if (isFormDataFile || getAttribute(element, 'filename') !== undefined) {
    return filePart(element, isFormDataFile, context);
  }
  return firstElement(element) ? xmlPart(element, context) : textPart(element, context);
}

function filePart(element: XmlElement, isFormDataFile: boolean, { decodes }: Context): Part {
  const name = (isFormDataFile && getAttribute(element, 'name')) || toMemberName(element.local);
  const fileName = getAttribute(element, 'filename') ?? fileDefaults.name;
  const contentType = getAttribute(element, 'content-type') ?? fileDefaults.contentType;
  const charset = getAttribute(element, 'charset') ?? parameterOf(contentType, 'charset') ?? fileDefaults.charset;
  const text = ownText(element);
  const isBase64 = isFormDataFile || decodes;
  const encoding = getAttribute(element, 'content-transfer-encoding');
  return {
    headers: [
      'Content-Disposition',
      `form-data; name=${quoted(name)}; filename=${quoted(fileName)}`,
      'Content-Type',
      isBase64 ? contentType : withCharset(contentType, charset),
      ...(encoding === undefined ? [] : ['Content-Transfer-Encoding', encoding]),
    ],
    body: isBase64 ? Buffer.from(text, 'base64') : encodeText(text, charset),
  };
}

function textPart(element: XmlElement, context: Context): Part {
  const contentType = getAttribute(element, 'content-type') ?? 'text/plain';
  return fieldPart(element, contentType, { text: ownText(element), context });
}

function xmlPart(element: XmlElement, context: Context): Part {
  const contentType = getAttribute(element, 'content-type') ?? 'application/xml';
  return fieldPart(element, contentType, { text: serializeXml(element), context });
}

function fieldPart(
  element: XmlElement,
  contentType: string,
  { text, context }: { text: string; context: Context },
): Part {
  const charset = getAttribute(element, 'charset') ?? parameterOf(contentType, 'charset') ?? context.charset;
  const disposition = `form-data; name=${quoted(toMemberName(element.local))}`;
  return {
    headers: ['Content-Disposition', disposition, 'Content-Type', withCharset(contentType, charset)],
    body: encodeText(text, charset),
  };
}

function withCharset(contentType: string, charset: string): string {
  return parameterOf(contentType, 'charset') === undefined ? `${contentType}; charset=${charset}` : contentType;
}
