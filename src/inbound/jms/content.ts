import type { JmsBody, JmsValue } from '#transport';
import { escapeText } from '#xml';

/** What a JMS message carries, as a message of ours has it. */
export interface JmsContent {
  /** Text, which has no bytes of its own. */
  readonly text?: string;
  readonly bytes: Uint8Array;
  /** The type where the kind of message says it; undefined for text that nobody describes. */
  readonly type?: string;
}

const none = new Uint8Array();
const mapNamespace = 'http://axis.apache.org/axis2/java/transports/jms/map-payload';

/** The content of each kind of message. A serialized Java object stays what it is: bytes. */
export function contentOf(body: JmsBody): JmsContent {
  switch (body.kind) {
    case 'none':
      return { text: '', bytes: none, type: 'text/plain' };
    case 'text':
      return { text: body.text, bytes: none };
    case 'bytes':
    case 'object':
      return { bytes: body.bytes, type: 'application/octet-stream' };
    case 'map':
      return { text: mapElement(body.entries), bytes: none, type: 'application/xml' };
    case 'stream':
      return { text: JSON.stringify(body.items.map(plain)), bytes: none, type: 'application/json' };
  }
}

/** A map as the original shows it: an element for each entry. */
function mapElement(entries: ReadonlyMap<string, JmsValue>): string {
  const children = [...entries].map(([name, value]) => {
    const element = name.replace(/^(?![A-Za-z_])/, '_').replace(/[^\w.-]/g, '_');
    return `<${element}>${escapeText(String(plain(value)))}</${element}>`;
  });
  return `<JMSMap xmlns="${mapNamespace}">${children.join('')}</JMSMap>`;
}

function plain(value: JmsValue): string | number | boolean | null {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
