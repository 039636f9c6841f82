import { mediaTypeOf, parameterOf, type Message, type PayloadOrigin } from '#message';
import type { SoapVersion } from '#xml';

const typesByVersion = { soap11: 'text/xml', soap12: 'application/soap+xml' } as const;

/** The media type of a SOAP version. */
export function mediaTypeOfVersion(version: SoapVersion): string {
  return typesByVersion[version];
}

/** The SOAP version that a Content-Type stands for; undefined for other types. */
export function soapVersionOfType(contentType: string): SoapVersion | undefined {
  const mediaType = mediaTypeOf(contentType).toLowerCase();
  if (mediaType === 'text/xml') return 'soap11';
  if (mediaType === 'application/soap+xml') return 'soap12';
  if (mediaType !== 'multipart/related') return undefined;
  // MTOM says it in "start-info", SOAP with attachments in "type".
  const inner = parameterOf(contentType, 'start-info') ?? parameterOf(contentType, 'type');
  return inner === undefined || mediaTypeOf(inner) === mediaType ? undefined : soapVersionOfType(inner);
}

/**
 * The SOAP version in which a request speaks; undefined for REST, which `text/xml` without a SOAPAction is as well
 * (runtime-core 6.2, 6.9).
 */
export function soapVersionOfRequest({ contentType, hasSoapAction }: PayloadOrigin): SoapVersion | undefined {
  const version = contentType === undefined ? undefined : soapVersionOfType(contentType);
  return version === 'soap11' && !hasSoapAction ? undefined : version;
}

/** The SOAP version in which the client of a message speaks; undefined for a REST client. */
export function soapVersionOfClient({ exchange }: Message): SoapVersion | undefined {
  return exchange.received && soapVersionOfRequest(exchange.received);
}

/**
 * True when a SOAP reply must be rewritten although nobody changed it, because its client speaks the other version
 * (runtime-core 6.9).
 */
export function isForeignToClient(message: Message): boolean {
  const { payload, axis2 } = message;
  if (!payload.pristine || typeof axis2.get('messageType') === 'string') return false;
  const wanted = soapVersionOfClient(message);
  const received = payload.receivedContentType;
  const present = received === undefined ? undefined : soapVersionOfType(received);
  return wanted !== undefined && present !== undefined && wanted !== present;
}
