import { compileInlineTemplate, type InlineTemplate } from '#expression';
import { getLogger, type Logger } from '#core';
import type { Message } from '#message';
import { appendChild, childElements, deepText, headerOf, serializeXml } from '#xml';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { reporting, synapseElement, textElement } from '../reading.ts';
import { readNamedValues, serializeNamedValues, type NamedValue } from '../shared/named-value.ts';

const levels = ['simple', 'headers', 'full', 'custom'] as const;
const categories = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;

interface Definition {
  readonly level: (typeof levels)[number] | undefined;
  readonly category: (typeof categories)[number];
  readonly separator: string | undefined;
  readonly message: { readonly text: string; readonly template: InlineTemplate } | undefined;
  readonly logFullPayload: boolean;
  readonly logMessageId: boolean;
  readonly properties: readonly NamedValue[];
}

/** `<log>`: writes a line about the message (mediators 2.1). */
export const log = defineMediator<Definition>({
  element: 'log',
  attributes: ['level', 'category', 'separator', 'logFullPayload', 'logMessageID'],
  children: ['message', 'property'],
  needsBody: ({ level, logFullPayload, message, properties }) =>
    level === 'full' ||
    level === 'headers' ||
    logFullPayload ||
    message?.template.contentAware === true ||
    properties.some(({ expression }) => expression?.expression.contentAware === true),
  parse(node) {
    const category = node.attribute('category')?.trim().toUpperCase();
    const known = categories.find((name) => name === category);
    if (category !== undefined && !known) {
      node.error(`"category" must be one of ${categories.join(', ')}; found "${category}"`, { attribute: 'category' });
    }
    const messageNode = node.child('message');
    const text = messageNode?.text();
    const template =
      messageNode && text !== undefined
        ? reporting(messageNode, undefined, () => compileInlineTemplate(text, { namespaces: messageNode.namespaces() }))
        : undefined;
    return {
      level: node.attribute('level') === undefined ? undefined : node.choice('level', levels, 'simple'),
      category: known ?? 'INFO',
      separator: node.rawAttribute('separator'),
      message: text !== undefined && template ? { text, template } : undefined,
      logFullPayload: node.flag('logFullPayload', false),
      logMessageId: node.flag('logMessageID', false),
      properties: readNamedValues(node),
    };
  },
  serialize({ level, category, separator, message, logFullPayload, logMessageId, properties }) {
    const element = synapseElement('log', {
      level,
      category: category === 'INFO' ? undefined : category,
      separator,
      logFullPayload: logFullPayload || undefined,
      logMessageID: logMessageId || undefined,
    });
    if (message) appendChild(element, textElement('message', message.text));
    return serializeNamedValues(element, properties);
  },
  compile(definition, context): Compiled {
    const logger = getLogger('mediator.log');
    const write = writerOf(logger, definition.category);
    const artifact = context.id.split('/', 1)[0];
    return (message) => {
      if (!write.enabled()) return CONTINUE;
      write.line({ artifact }, lineOf(definition, message));
      return CONTINUE;
    };
  },
});

function writerOf(
  logger: Logger,
  category: Definition['category'],
): { enabled(): boolean; line(fields: Record<string, unknown>, text: string): void } {
  const level = category.toLowerCase() as Lowercase<typeof category>;
  return { enabled: () => logger.isEnabled(level), line: (fields, text) => logger[level](fields, text) };
}

function lineOf(definition: Definition, message: Message): string {
  const separator = (definition.separator ?? ', ').replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  const parts = definition.logMessageId ? [`MessageID: ${message.id}`] : [];
  if (definition.message) parts.push(definition.message.template.evaluate(message));
  // With a message template and no level, only the template is written.
  const level = definition.level ?? (definition.message ? 'custom' : 'simple');
  if (level === 'headers') parts.push(...headerParts(message));
  if (level === 'simple' || level === 'full') parts.push(...simpleParts(message));
  for (const { name, value, expression } of definition.properties) {
    parts.push(`${name} = ${value ?? expression?.expression.evaluateString(message) ?? 'null'}`);
  }
  if (level === 'full' || definition.logFullPayload) parts.push(payloadPart(message));
  return parts.join(separator);
}

function simpleParts(message: Message): string[] {
  const { addressing } = message;
  const parts = [`To: ${addressing.to ?? ''}`];
  if (addressing.from !== undefined) parts.push(`From: ${addressing.from}`);
  parts.push(`WSAction: ${addressing.action ?? ''}`, `SOAPAction: ${message.header('SOAPAction') ?? ''}`);
  if (addressing.replyTo !== undefined) parts.push(`ReplyTo: ${addressing.replyTo}`);
  parts.push(`MessageID: ${message.id}`);
  const correlation = message.axis2.get('correlation_id');
  if (typeof correlation === 'string') parts.push(`correlation_id: ${correlation}`);
  parts.push(`Direction: ${message.response ? 'response' : 'request'}`);
  return parts;
}

function headerParts(message: Message): string[] {
  return childElements(headerOf(message.envelope())).map((block) => `${block.local} : ${deepText(block)}`);
}

function payloadPart(message: Message): string {
  const json = message.jsonText();
  return json === undefined ? ` Envelope: ${serializeXml(message.envelope())}` : ` Payload: ${json}`;
}
