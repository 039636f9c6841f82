import { encodeText } from '#core/java';
import { appendChild, childElements, cloneNode, ownText, serializeXml, soapVersionOf, XmlElement } from '#xml';
import { partOf, type Attachment } from '../attachments.ts';
import { writeMultipart, type Part } from '../mime/index.ts';
import type { FormattedBody, FormatterInput } from './formatter.ts';

const xopNamespace = 'http://www.w3.org/2004/08/xop/include';
const mimeNamespace = 'http://www.w3.org/2005/05/xmlmime';
const rootId = 'root.message@millrace';
const base64Text = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

/**
 * The envelope with what it carries outside of itself: MTOM (base64 content goes into parts of its own) or SOAP with
 * attachments; undefined when neither is on or there is nothing to carry.
 */
export function withAttachments(
  { payload, charset, attachments: settings }: FormatterInput,
  envelope: XmlElement,
): FormattedBody | undefined {
  const type = soapVersionOf(envelope) === 'soap11' ? 'text/xml' : 'application/soap+xml';
  const usesMtom = settings.mtom === true;
  const own = settings.swa || usesMtom ? payload.attachments.filter(({ included }) => !included) : [];
  const extracted = usesMtom ? extract(envelope, payload.attachments) : undefined;
  if (extracted && extracted.parts.length > 0) {
    const root = rootPart(extracted.envelope, `application/xop+xml; charset=${charset}; type="${type}"`, charset);
    return multipart(
      [root, ...extracted.parts, ...own],
      `type="application/xop+xml"; start="<${rootId}>"; start-info="${type}"`,
    );
  }
  if (!settings.swa || own.length === 0) return undefined;
  return multipart(
    [rootPart(envelope, `${type}; charset=${charset}`, charset), ...own],
    `type="${type}"; start="<${rootId}>"`,
  );
}

function rootPart(envelope: XmlElement, contentType: string, charset: string): Part {
  const headers = ['Content-Type', contentType, 'Content-Transfer-Encoding', 'binary', 'Content-ID', `<${rootId}>`];
  return { headers, body: encodeText(serializeXml(envelope), charset) };
}

function multipart(parts: readonly (Part | Attachment)[], parameters: string): FormattedBody {
  const written = writeMultipart(parts.map((part) => ('body' in part ? part : partOf(part))));
  return { body: written.bytes, contentType: `multipart/related; boundary="${written.boundary}"; ${parameters}` };
}

/**
 * A copy of the envelope in which base64 content is replaced by inclusions: what came that way, and elements that say
 * the type of their content by `xmime:contentType`.
 */
function extract(
  envelope: XmlElement,
  attachments: readonly Attachment[],
): { envelope: XmlElement; parts: readonly Attachment[] } {
  const copy = cloneNode(envelope);
  const known = new Map(
    attachments
      .filter(({ included }) => included)
      .map((attachment) => [Buffer.from(attachment.bytes).toString('base64'), attachment] as const),
  );
  const parts = new Map<string, Attachment>();
  const visit = (element: XmlElement): void => {
    const children = childElements(element);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    const text = ownText(element);
    if (text === '') return;
    const attachment = known.get(text) ?? declaredContent(element, text, parts.size);
    if (!attachment) return;
    parts.set(attachment.contentId, attachment);
    const inclusion = new XmlElement('Include', xopNamespace, 'xop');
    inclusion.attributes.push({
      prefix: '',
      local: 'href',
      uri: '',
      value: `cid:${encodeURIComponent(attachment.contentId)}`,
    });
    element.children = [];
    appendChild(element, inclusion);
  };
  visit(copy);
  return { envelope: copy, parts: [...parts.values()] };
}

function declaredContent(element: XmlElement, text: string, count: number): Attachment | undefined {
  const declared = element.attributes.find(({ local, uri }) => local === 'contentType' && uri === mimeNamespace);
  if (!declared || !base64Text.test(text)) return undefined;
  return {
    contentId: `part.${count + 1}@millrace`,
    contentType: declared.value,
    headers: [],
    bytes: Buffer.from(text, 'base64'),
    included: true,
  };
}
