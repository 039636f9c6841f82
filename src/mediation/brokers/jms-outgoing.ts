import { MillraceError } from '#errors';
import type { HeaderList, Message } from '#message';
import type { JmsBody, JmsOutgoing, JmsValue } from '#transport';
import { textOfValue } from '../shared/typed-value.ts';
import { textOfBody, type WireBody } from './wire-body.ts';

/** What becomes of hyphens in names, which the rules of JMS do not have (mediators 12.3). */
export type Hyphens = 'none' | 'replace' | 'delete';

const hyphenText = '_HYPHEN_';
const usualPriority = 4;
/** Headers that speak of a connection and not of the message. */
const notProperties =
  /^(?:JMS_|Content-Type$|Content-Length$|Host$|Connection$|Transfer-Encoding$|User-Agent$|Accept)/i;

/** What makes a message of one that goes to a JMS destination. */
export interface JmsOutgoingFacts {
  readonly body: WireBody;
  readonly headers: HeaderList;
  readonly hyphens: Hyphens;
  /** The property that tells the type of the content; `Content-Type` when absent. */
  readonly contentTypeProperty?: string | undefined;
}

/**
 * A JMS message of a mediated one: transport headers become its properties, and `JMS_…` of the scope `axis2` or of the
 * transport headers its own headers (runtime-core 4.3).
 *
 * @throws MillraceError `MR_JMS_PROPERTY` for what is no number
 */
export function jmsOutgoing(message: Message, facts: JmsOutgoingFacts): JmsOutgoing {
  const { body, headers, hyphens, contentTypeProperty = 'Content-Type' } = facts;
  const valueOf = (name: string): string | undefined => {
    const value: unknown = message.axis2.get(name) ?? message.header(name);
    const text = value === undefined ? '' : textOfValue(value).trim();
    return text === '' ? undefined : text;
  };
  const properties = new Map<string, JmsValue>();
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (notProperties.test(name) || (hyphens === 'delete' && name.includes('-'))) continue;
    properties.set(hyphens === 'replace' ? name.replaceAll('-', hyphenText) : name, headers[at + 1] ?? '');
  }
  if (body.contentType !== undefined) properties.set(contentTypeProperty, body.contentType);
  return {
    body: bodyOf(body, valueOf('JMS_MESSAGE_TYPE')),
    properties,
    correlationId: valueOf('JMS_COORELATION_ID') ?? valueOf('JMS_CORRELATION_ID'),
    type: valueOf('JMS_TYPE'),
    priority: Math.min(9, wholeNumber('JMS_PRIORITY', valueOf('JMS_PRIORITY'), usualPriority)),
    isPersistent: wholeNumber('JMS_DELIVERY_MODE', valueOf('JMS_DELIVERY_MODE'), 2) !== 1,
    timeToLive: wholeNumber('JMS_TIME_TO_LIVE', valueOf('JMS_TIME_TO_LIVE'), 0),
  };
}

/** The name of a property as a header has it. */
export function headerOfProperty(name: string, hyphens: Hyphens): string {
  return hyphens === 'replace' ? name.replaceAll(hyphenText, '-') : name;
}

/** Text travels as text, anything else as bytes, unless `JMS_MESSAGE_TYPE` says otherwise. */
function bodyOf(body: WireBody, wanted: string | undefined): JmsBody {
  const text = wanted === 'JMS_BYTE_MESSAGE' ? undefined : textOfBody(body);
  if (text !== undefined) return { kind: 'text', text };
  if (wanted === 'JMS_TEXT_MESSAGE') return { kind: 'text', text: new TextDecoder().decode(body.bytes) };
  return body.bytes.length === 0 && wanted === undefined ? { kind: 'none' } : { kind: 'bytes', bytes: body.bytes };
}

/** @throws MillraceError `MR_JMS_PROPERTY` */
export function wholeNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new MillraceError({
    code: 'MR_JMS_PROPERTY',
    message: `the property "${name}" must be a whole number, found "${text.slice(0, 40)}"`,
  });
}
