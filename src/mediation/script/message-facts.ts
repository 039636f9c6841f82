import { textOf } from '#expression';
import {
  getHeader,
  isSoapMediaType,
  mediaTypeOf,
  setHeader,
  setProperty,
  type Addressing,
  type Message,
  type MessageExchange,
} from '#message';
import { faultOf, soapVersionOf } from '#xml';

/** Addressing values that live in `message.addressing`, by the name in the calls of `mc`. */
const addresses: Readonly<Record<string, keyof Addressing>> = {
  To: 'to',
  From: 'from',
  ReplyTo: 'replyTo',
  FaultTo: 'faultTo',
  WSAAction: 'action',
  RelatesTo: 'relatesTo',
};

/** Reads an addressing value by its name in the calls of `mc`. */
export function readAddress(message: Message, name: string): string | undefined {
  const field = Object.hasOwn(addresses, name) ? addresses[name] : undefined;
  if (field) return message.addressing[field];
  if (name !== 'SoapAction') return message.id;
  return getHeader(message.headers, 'SOAPAction')?.replaceAll('"', '') ?? message.addressing.action;
}

/** Writes one; undefined removes it. */
export function writeAddress(message: Message, name: string, value: string | undefined): void {
  const field = Object.hasOwn(addresses, name) ? addresses[name] : undefined;
  if (field) message.addressing[field] = value;
  else if (name.endsWith('MessageID') && value !== undefined) message.id = value;
  else if (name === 'SoapAction' && value !== undefined) {
    message.addressing.action = value;
    setHeader(message.headers, 'SOAPAction', `"${value}"`);
  }
}

interface Flag {
  read(message: Message): boolean;
  write(message: Message, value: boolean): void;
}

/** A flag that is a property of scope axis2. */
function axis2Flag(name: string): Flag {
  return {
    read: (message) => textOf(message.axis2.get(name)) === 'true',
    write: (message, value) => message.axis2.set(name, value),
  };
}

/** What `mc.is…` and `mc.set…` of a name do. */
export const flags: Readonly<Record<string, Flag | undefined>> = {
  Response: {
    read: (message) => message.response,
    write(message, value) {
      message.response = value;
    },
  },
  FaultResponse: {
    read: (message) => message.properties.get('FAULT_RESPONSE') === true || faultOf(message.envelope()) !== undefined,
    write: (message, value) => message.properties.set('FAULT_RESPONSE', value),
  },
  DoingPOX: {
    read: isPlain,
    // What is no SOAP message stays what it is, JSON for instance.
    write: (message, value) => {
      if (value && !isPlain(message)) setProperty(message, { scope: 'axis2', name: 'messageType' }, 'application/xml');
    },
  },
  DoingGET: {
    read: (message) => message.property('axis2', 'HTTP_METHOD') === 'GET',
    write: (message, value) => {
      if (value) message.axis2.set('HTTP_METHOD', 'GET');
      else message.axis2.delete('HTTP_METHOD');
    },
  },
  DoingMTOM: axis2Flag('enableMTOM'),
  DoingSWA: axis2Flag('enableSwA'),
  SOAP11: { read: (message) => soapVersionOf(message.envelope()) === 'soap11', write: () => undefined },
};

function isPlain(message: Message): boolean {
  return !isSoapMediaType(mediaTypeOf(mediaTypeOfMessage(message)).toLowerCase());
}

/** What scripts have set as the tracing state of a message; nothing else reads it. */
const tracingStates = new WeakMap<MessageExchange, number>();
/** Neither on nor off: the artifact decides. */
const unsetTracing = 2;

export function tracingStateOf({ exchange }: Message): number {
  return tracingStates.get(exchange) ?? unsetTracing;
}

export function setTracingState({ exchange }: Message, state: number): void {
  tracingStates.set(exchange, state);
}

function mediaTypeOfMessage(message: Message): string {
  return textOf(message.axis2.get('messageType') ?? message.payload.receivedContentType);
}
