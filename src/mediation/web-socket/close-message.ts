import type { Message } from '#message';
import { isSendableCode, type CloseFacts } from '#transport';
import { isTrue } from '../outgoing-body.ts';
import { textOfValue } from '../shared/typed-value.ts';

const terminate = 'connection.terminate';
const statusCode = 'websocket.close.frame.status.code';
const reasonText = 'websocket.close.frame.reason.text';

/** Set on the message that tells of a connection that a back end has taken (mediators 12.5). */
export const targetHandshake = 'websocket.target.handshake.present';

/** True when a message ends a connection instead of going over it. */
export function saysTerminate(message: Message): boolean {
  return isTrue(message.property('default', terminate)) || isTrue(message.axis2.get(terminate));
}

/** True when a message says with which code a connection ends. */
export function namesCloseCode(message: Message): boolean {
  return codeOf(message) !== undefined;
}

/** How a connection ends that a message ends: 1000 unless it names a code that may be sent. */
export function closeOf(message: Message): CloseFacts {
  const reason = textOfValue(message.property('default', reasonText) ?? message.axis2.get(reasonText));
  return { code: codeOf(message) ?? 1000, reason };
}

/** Makes a message tell how the connection of its client has ended. */
export function describeClose({ properties }: Message, { code, reason }: CloseFacts): void {
  properties.set(terminate, true);
  properties.set(statusCode, code);
  properties.set(reasonText, reason);
}

function codeOf(message: Message): number | undefined {
  const value = message.property('default', statusCode) ?? message.axis2.get(statusCode);
  const code = Number(textOfValue(value) || Number.NaN);
  return isSendableCode(code) ? code : undefined;
}
