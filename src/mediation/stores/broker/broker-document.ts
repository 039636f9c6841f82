import { newMessageId } from '#core';
import { MillraceError } from '#errors';
import { bodySourceOf, noAddressing, Payload } from '#message';
import { typeOfText } from '../../brokers/text-type.ts';
import { textOfValue } from '../../shared/typed-value.ts';
import type { StoredMessage } from '../stored-message.ts';

/** The property by which a message of ours is known in a queue; its value is the version of the document. */
export const documentMark = 'MillraceDocument';
/** The original's property with the identity of the message that was stored. */
export const originalId = 'OrigMessageID';

const noLimit = Number.MAX_SAFE_INTEGER;

/** What somebody else put into a queue. */
export interface ForeignMessage {
  readonly id: string;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** As the sender says; found out from the text when absent. */
  readonly contentType?: string | undefined;
  readonly headers: ReadonlyMap<string, string>;
}

/** Makes a stored message of one that another program put into the queue: its body, and its properties as headers. */
export async function adoptForeign(foreign: ForeignMessage): Promise<StoredMessage> {
  const { id, text, bytes = Buffer.from(text ?? ''), headers } = foreign;
  const contentType = foreign.contentType ?? (text === undefined ? 'application/octet-stream' : typeOfText(text));
  const payload = Payload.received(bodySourceOf(Buffer.from(bytes)), {
    contentType,
    hasSoapAction: false,
    query: '',
  });
  await payload.load(noLimit);
  const all = [...headers].filter(([name]) => name.toLowerCase() !== 'content-type');
  return {
    id: id === '' ? newMessageId() : id,
    payload,
    headers: [...all, ['Content-Type', contentType]].flat(),
    properties: new Map(),
    axis2: new Map([['ContentType', contentType]]),
    variables: new Map(),
    addressing: noAddressing(),
  };
}

/** What a message says about how it is sent, by the original's properties. */
export interface SendingFacts {
  /** 0 to 9. */
  readonly priority: number;
  /** Milliseconds; 0 for ever. */
  readonly timeToLive: number;
  readonly isPersistent: boolean;
  /** `JMS_MSG_P_name`: properties of the message in the queue. */
  readonly properties: ReadonlyMap<string, string | number | boolean>;
}

const propertyPrefix = 'JMS_MSG_P_';

/**
 * Reads how a message is to be sent; `usualPriority` is that of messages that name none.
 *
 * @throws MillraceError `MR_STORE_PROPERTY` for what is no number
 */
export function sendingFactsOf({ properties, axis2 }: StoredMessage, usualPriority: number): SendingFacts {
  const own = [...properties].flatMap(([name, value]): [string, string | number | boolean][] =>
    name.startsWith(propertyPrefix) && ['string', 'number', 'boolean'].includes(typeof value)
      ? [[name.slice(propertyPrefix.length), value as string | number | boolean]]
      : [],
  );
  return {
    priority: Math.min(9, numberOf(properties, 'JMS_PROD_PRIORITY', numberOf(axis2, 'JMS_PRIORITY', usualPriority))),
    timeToLive: numberOf(properties, 'JMS_PROD_TIME_TO_LIVE', 0),
    isPersistent: numberOf(properties, 'JMS_PROD_DELIVERY_MODE', 2) !== 1,
    properties: new Map(own),
  };
}

function numberOf(properties: ReadonlyMap<string, unknown>, name: string, fallback: number): number {
  const text = textOfValue(properties.get(name)).trim();
  if (text === '') return fallback;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new MillraceError({
    code: 'MR_STORE_PROPERTY',
    message: `the property "${name}" must be a whole number, found "${text.slice(0, 40)}"`,
  });
}
