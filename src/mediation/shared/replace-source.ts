import type { Expression } from '#expression';
import type { Message } from '#message';
import { appendChild, bodyOf, detach, firstElement, headerOf, insertBeside, XmlElement } from '#xml';

/** The element that a source expression selects, the first element of the body without one; undefined for none. */
export function sourceElement(message: Message, source: Expression | undefined): XmlElement | undefined {
  if (!source) return firstElement(bodyOf(message.envelope()));
  const value = source.evaluateValue(message);
  const [first] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return first instanceof XmlElement ? first : undefined;
}

/**
 * Puts the result of a transformation where its source stood (mediators 4.4): a result for the envelope becomes the
 * envelope, one for header or body gives its children to that part, any other takes the place of its source.
 */
export function replaceSource(message: Message, source: XmlElement, result: XmlElement): void {
  const envelope = message.payload.editEnvelope();
  if (source === envelope) {
    message.payload.setEnvelope(result);
    return;
  }
  const part = [bodyOf(envelope), headerOf(envelope)].find((candidate) => candidate === source);
  if (part) {
    for (const child of part.children.slice()) detach(child);
    for (const child of result.children.slice()) appendChild(part, child);
    return;
  }
  insertBeside(source, [result], 'after');
  detach(source);
}
