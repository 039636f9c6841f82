import type { SourceNode } from '#xml';
import { JsonNumber, type JsonValue } from '#json';
import type { Message } from '#message';
import { XmlElement } from '#xml';

/** Where what user code returns is put (mediators 4.8, 8). */
export interface ResultTarget {
  readonly target: 'none' | 'body' | 'variable';
  readonly variable: string | undefined;
}

/** Reads `target` and `target-variable`; undefined when the element has neither. */
export function readResultTarget(node: SourceNode): ResultTarget | undefined {
  if (node.attribute('target') === undefined && node.attribute('target-variable') === undefined) return undefined;
  const target = node.choice('target', ['none', 'body', 'variable'], 'none');
  if (target === 'variable' && node.attribute('target-variable') === undefined) {
    node.error('"target" variable needs the attribute "target-variable"', { attribute: 'target' });
  }
  return { target, variable: node.attribute('target-variable') };
}

/** Puts a result where it belongs: XML, JSON and text become a payload of their kind. */
export function storeResult(message: Message, { target, variable }: ResultTarget, result: unknown): void {
  if (target === 'variable') message.variables.set(variable ?? '', result ?? null);
  if (target !== 'body' || result === undefined || result === null) return;
  message.axis2.delete('NO_ENTITY_BODY');
  if (result instanceof XmlElement) message.payload.setContent([result]);
  else if (typeof result === 'string') message.payload.setText(result);
  else
    message.payload.setJsonValue(typeof result === 'number' ? new JsonNumber(String(result)) : (result as JsonValue));
}
