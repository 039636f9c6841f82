import { bodyOf, headerOf, type XmlElement } from '#xml';
import type { Scope } from '../scope.ts';

export type MessagePart = 'body' | 'header' | 'envelope';

/** Variables without a prefix: the parts of the message. */
export const messageVariables: ReadonlyMap<string, MessagePart> = new Map([
  ['body', 'body'],
  ['header', 'header'],
  ['env', 'envelope'],
]);

/** A part of the envelope. */
export function messagePart(part: MessagePart, scope: Scope): XmlElement {
  const envelope = scope.envelope();
  if (part === 'envelope') return envelope;
  return part === 'body' ? bodyOf(envelope) : headerOf(envelope);
}
