import { setProperty, type Message } from '#message';
import { childElements, deepText, soapVersionOf, type SourceNode } from '#xml';

const formats = ['soap11', 'soap12', 'pox', 'get', 'rest'] as const;

/** How an address or default endpoint wants its messages (runtime-core 5.1). */
export interface FormatSettings {
  readonly format: (typeof formats)[number] | undefined;
  readonly encoding: string | undefined;
  readonly optimize: string | undefined;
}

export const noFormat: FormatSettings = { format: undefined, encoding: undefined, optimize: undefined };

export function readFormat(node: SourceNode): FormatSettings {
  return {
    format: node.attribute('format') === undefined ? undefined : node.choice('format', formats, 'rest'),
    encoding: node.attribute('encoding'),
    optimize: node.attribute('optimize'),
  };
}

export function serializeFormat({ format, encoding, optimize }: FormatSettings): Record<string, string | undefined> {
  return { format, encoding, optimize };
}

/** True when the format can only be reached with the payload built. */
export function formatNeedsBody({ format, optimize }: FormatSettings): boolean {
  return (format !== undefined && format !== 'rest') || isOptimized(optimize);
}

/** Brings the message into the format; gives the query to append for `get`. */
export function applyFormat(message: Message, { format, encoding, optimize }: FormatSettings): string {
  if (encoding !== undefined) message.axis2.set('CHARACTER_SET_ENCODING', encoding);
  if (isOptimized(optimize)) applyOptimization(message, optimize);
  switch (format) {
    case undefined:
      return '';
    case 'soap11':
    case 'soap12':
      applySoap(message, format);
      return '';
    case 'pox':
      setProperty(message, { scope: 'axis2', name: 'messageType' }, 'application/xml');
      return '';
    case 'get':
      message.axis2.set('HTTP_METHOD', 'GET');
      return queryOf(message);
    case 'rest':
      if (message.axis2.get('HTTP_METHOD') === 'GET' || message.axis2.get('HTTP_METHOD') === 'DELETE') {
        message.axis2.delete('messageType');
      }
      return '';
  }
}

function isOptimized(optimize: string | undefined): optimize is 'mtom' | 'swa' {
  return optimize === 'mtom' || optimize === 'swa';
}

/** Lets attachments go outside of the envelope; a message that is JSON has none. */
function applyOptimization(message: Message, optimize: 'mtom' | 'swa'): void {
  message.axis2.set(optimize === 'mtom' ? 'enableMTOM' : 'enableSwA', 'true');
  if (!message.payload.hasJson()) message.payload.editEnvelope();
}

function applySoap(message: Message, format: 'soap11' | 'soap12'): void {
  const action = message.addressing.action ?? message.header('SOAPAction')?.replaceAll('"', '');
  if (soapVersionOf(message.payload.editEnvelope()) !== format) message.payload.convertEnvelope(format);
  message.axis2.set('HTTP_METHOD', 'POST');
  if (format === 'soap11') {
    setProperty(message, { scope: 'axis2', name: 'messageType' }, 'text/xml');
    setProperty(message, { scope: 'transport', name: 'SOAPAction' }, `"${action ?? ''}"`);
  } else {
    const type = action === undefined ? 'application/soap+xml' : `application/soap+xml; action="${action}"`;
    setProperty(message, { scope: 'axis2', name: 'messageType' }, 'application/soap+xml');
    message.axis2.set('ContentType', type);
  }
}

function queryOf(message: Message): string {
  const content = message.payload.content();
  const pairs = content
    ? childElements(content).map((child) => `${encode(child.local)}=${encode(deepText(child))}`)
    : [];
  message.payload.clear();
  message.axis2.set('NO_ENTITY_BODY', true);
  return pairs.join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text);
}
