import { decodeText } from '#core/java';
import { toXmlName } from '#json';
import { appendChild, XmlElement, XmlText } from '#xml';
import { parameterOf } from '../content-type.ts';
import { getHeader } from '../header-list.ts';
import { headerParameters, MultipartError, parseMultipart, type Part } from '../mime/index.ts';
import { defineBuilder } from './builder.ts';

/**
 * `multipart/form-data` (RFC 7578): `<mediate>` with a child for each part, named by its field (runtime-core 6.3). The
 * text of a field is its value, that of a file its Base64 form; what the part says about itself becomes attributes.
 */
export const multipartFormData = defineBuilder({
  name: 'multipart-form-data',
  build({ bytes, contentType }) {
    const root = new XmlElement('mediate');
    const charset = parameterOf(contentType, 'charset') ?? 'UTF-8';
    for (const part of parseMultipart(bytes, contentType)) appendChild(root, fieldOf(part, charset));
    return { form: 'content', content: [root] };
  },
});

function fieldOf(part: Part, charset: string): XmlElement {
  const disposition = headerParameters(getHeader(part.headers, 'Content-Disposition') ?? '');
  const name = disposition.get('name');
  if (name === undefined || name === '') throw new MultipartError('a part of the form has no name');
  const field = new XmlElement(toXmlName(name, true));
  const fileName = disposition.get('filename');
  const contentType = getHeader(part.headers, 'Content-Type');
  const text = fileName === undefined ? textOf(part, contentType, charset) : base64Of(part.body);
  if (fileName !== undefined) addAttribute(field, 'filename', fileName);
  addAttribute(field, 'content-type', contentType);
  addAttribute(field, 'charset', contentType === undefined ? undefined : parameterOf(contentType, 'charset'));
  addAttribute(field, 'content-transfer-encoding', getHeader(part.headers, 'Content-Transfer-Encoding'));
  if (text !== '') appendChild(field, new XmlText(text));
  return field;
}

function textOf({ body }: Part, contentType: string | undefined, charset: string): string {
  return decodeText(body, (contentType !== undefined && parameterOf(contentType, 'charset')) || charset);
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

function addAttribute(element: XmlElement, local: string, value: string | undefined): void {
  if (value !== undefined) element.attributes.push({ prefix: '', local, uri: '', value });
}
