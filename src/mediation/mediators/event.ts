import type { EventBus } from '#events';
import type { Message } from '#message';
import { serializeXml, XmlElement } from '#xml';
import { CONTINUE } from '../flow.ts';
import { defineMediator } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
} from '../reading.ts';
import { textOfValue } from '../shared/typed-value.ts';

interface Definition {
  readonly topic: ValueSource | undefined;
  readonly expression: ExpressionSource | undefined;
}

/** `<event>`: the body, or what an expression selects, goes to a topic (mediators 7.4). */
export const event = defineMediator<Definition>({
  element: 'event',
  attributes: ['topic', 'expression'],
  children: [],
  needsBody: () => true,
  parse(node) {
    node.required('topic');
    return { topic: readValue(node, 'topic'), expression: readExpression(node, 'expression') };
  },
  serialize({ topic, expression }) {
    const element = synapseElement('event', { topic: topic?.text, expression: expression?.text });
    return declareNamespaces(element, [topic, expression]);
  },
  compile: ({ topic, expression }, { services, id }) => {
    return (message) => {
      const name = topic?.value.evaluate(message) ?? '';
      const content = expression ? selected(message, expression) : payloadOf(message);
      const count = publish(services.events, message, { topic: name, content });
      services.log.debug({ at: id, topic: name, receivers: count }, 'a message went to a topic');
      return CONTINUE;
    };
  },
});

/** Puts an event about a message on the bus; the result says how many take it. */
export function publish(
  bus: EventBus | undefined,
  message: Message,
  { topic, content }: { topic: string; content: { contentType: string; text: string } | undefined },
): number {
  const attributes = new Map([['messageId', message.id]]);
  return bus?.publish({ topic, at: message.now(), attributes, content }) ?? 0;
}

/** The payload as a document; undefined for an empty body. */
export function payloadOf({ payload }: Message): { contentType: string; text: string } | undefined {
  const json = payload.jsonText();
  if (json !== undefined) return { contentType: 'application/json', text: json };
  const content = payload.content();
  return content && { contentType: 'application/xml', text: serializeXml(content) };
}

function selected(message: Message, { expression }: ExpressionSource): { contentType: string; text: string } {
  const value = expression.evaluateValue(message);
  const [first] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (first instanceof XmlElement) return { contentType: 'application/xml', text: serializeXml(first) };
  const isJson = expression.language !== 'xpath' && typeof first === 'object';
  const text = expression.evaluateString(message) ?? textOfValue(first);
  return { contentType: isJson ? 'application/json' : 'text/plain', text };
}
