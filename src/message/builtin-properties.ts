import { formatJavaDate } from '#core/java';
import { faultOf, soapVersionOf } from '#xml';
import type { Message } from './message.ts';

/**
 * Names that `get-property` understands in the default scope without anybody having set them; where there is nothing to
 * tell, the empty string (runtime-core 4.2).
 */
export const builtinProperties: ReadonlyMap<string, (message: Message) => string> = new Map([
  ['To', (message: Message) => message.addressing.to ?? ''],
  ['From', (message) => message.addressing.from ?? ''],
  ['Action', (message) => message.addressing.action ?? ''],
  ['ReplyTo', (message) => message.addressing.replyTo ?? ''],
  ['FaultTo', (message) => message.addressing.faultTo ?? ''],
  ['RelatesTo', (message) => message.addressing.relatesTo ?? ''],
  ['MessageID', (message) => message.id],
  ['FAULT', (message) => (isFault(message) ? 'TRUE' : '')],
  ['MESSAGE_FORMAT', messageFormat],
  ['OperationName', ({ exchange }) => exchange.namedOperation?.local ?? 'mediate'],
  ['OperationNamespace', ({ exchange }) => exchange.namedOperation?.uri ?? ''],
  ['SYSTEM_TIME', (message) => String(message.now())],
  ['SYSTEM_DATE', (message) => formatJavaDate(message.now(), 'M/d/yy h:mm a', message.timeZone())],
]);

function isFault(message: Message): boolean {
  if (message.axis2.get('FAULT_MESSAGE') === 'TRUE') return true;
  return message.payload.loaded && !message.payload.hasJson() && faultOf(message.envelope()) !== undefined;
}

/** Never `get`: a request that is not SOAP is `pox`, whatever its method (runtime-core 4.2). */
function messageFormat(message: Message): string {
  const type = message.axis2.get('messageType');
  const soap = typeof type === 'string' && /^(?:text\/xml|application\/soap\+xml)/.test(type);
  if (!soap || !message.payload.loaded) return 'pox';
  return soapVersionOf(message.envelope()) ?? 'pox';
}
