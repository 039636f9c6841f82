import {
  defaultFormats,
  isSoapMediaType,
  mediaTypeOf,
  parameterOf,
  type AttachmentSettings,
  type Formatter,
  type Message,
  type MessageFormats,
} from '#message';
import type { SoapVersion } from '#xml';
import { mediaTypeOfVersion, soapVersionOfClient, soapVersionOfRequest } from './soap-client.ts';

/** Where a message goes: to a back end, to one by a blocking call, or to the client. */
export type Destination = 'back end' | 'blocking' | 'client';

/** Name of the axis2 property with formatters that an artifact chose for this message, by media type. */
export const formattersProperty = 'messageFormatters';

/** How a message will be written. */
export interface OutgoingFormat {
  /** `messageType`, or what stands for it; may have parameters. */
  readonly messageType: string;
  readonly formatter: Formatter;
  readonly attachments: AttachmentSettings;
  /** The version of an envelope where the type leaves it open: that of the client (runtime-core 6.9). */
  readonly soapVersion: SoapVersion | undefined;
}

/** Chooses how a message is written (runtime-core 6.3); its payload must be loaded. */
export function chooseFormat(message: Message, destination: Destination): OutgoingFormat {
  const configured = message.exchange.environment.formats ?? defaultFormats;
  const formats = destination === 'blocking' ? configured.blocking : configured;
  const messageType = messageTypeOf(message, formats, destination);
  return {
    messageType,
    formatter:
      ownFormatter(message, messageType) ?? formats.formatterFor(messageType) ?? fallbackFormatter(message, formats),
    attachments: attachmentsOf(message, formats, destination),
    soapVersion: destination === 'client' ? soapVersionOfClient(message) : undefined,
  };
}

function ownFormatter(message: Message, messageType: string): Formatter | undefined {
  const own = message.axis2.get(formattersProperty);
  return own instanceof Map
    ? (own as ReadonlyMap<string, Formatter>).get(mediaTypeOf(messageType).toLowerCase())
    : undefined;
}

/** True for the texts and Booleans that switch something on. */
export function isTrueText(value: unknown): boolean {
  return String(value).toLowerCase() === 'true';
}

/** `messageType` when somebody set it, else the type as received; a REST message is not written as an envelope. */
function messageTypeOf(message: Message, formats: MessageFormats, destination: Destination): string {
  const wanted = message.axis2.get('messageType');
  if (typeof wanted === 'string') return wanted;
  const { payload } = message;
  const received = payload.receivedContentType;
  if (received === undefined || !formats.formatterFor(received)) {
    return payload.hasJson() ? 'application/json' : 'application/xml';
  }
  const mediaType = mediaTypeOf(received);
  if (!isSoapMediaType(mediaType.toLowerCase())) return mediaType;
  // A back end's answer has no SOAPAction; whether it is SOAP to us depends on the client.
  const isReply = message.replied || message.response;
  const version = isReply ? soapVersionOfClient(message) : soapVersionOfRequest(payload.origin);
  if (version === undefined) return 'application/xml';
  return destination === 'client' ? mediaTypeOfVersion(version) : mediaType;
}

/** What writes a type that nobody registered (runtime-core 6.3 rule 2). */
function fallbackFormatter(message: Message, formats: MessageFormats): Formatter {
  const method = message.axis2.get('HTTP_METHOD');
  const isForm = !message.response && !message.replied && (method === 'GET' || method === 'DELETE');
  const soapType = soapVersionOfClient(message);
  const type = soapType
    ? mediaTypeOfVersion(soapType)
    : isForm
      ? 'application/x-www-form-urlencoded'
      : 'application/xml';
  const formatter = formats.formatterFor(type) ?? defaultFormats.formatterFor(type);
  if (!formatter) throw new Error(`no formatter is registered for ${type}`);
  return formatter;
}

/** `enableMTOM` and `enableSwA` of the message, else of the configuration (runtime-core 4.3). */
function attachmentsOf(message: Message, formats: MessageFormats, destination: Destination): AttachmentSettings {
  const own = message.axis2.get('enableMTOM');
  const mtom = own === undefined ? formats.attachments.mtom : own === 'optional' ? 'optional' : isTrueText(own);
  const swa = message.axis2.get('enableSwA');
  const { payload, exchange } = message;
  const origin = destination === 'client' ? exchange.received : payload.origin;
  return {
    mtom: mtom === 'optional' ? isMtom(origin?.contentType) : mtom,
    swa: swa === undefined ? formats.attachments.swa : isTrueText(swa),
  };
}

function isMtom(contentType: string | undefined): boolean {
  if (contentType === undefined || mediaTypeOf(contentType).toLowerCase() !== 'multipart/related') return false;
  return parameterOf(contentType, 'type')?.toLowerCase() === 'application/xop+xml';
}
