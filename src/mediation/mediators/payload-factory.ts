import {
  compileFreemarker,
  compilePayloadTemplate,
  TemplateSyntaxError,
  type PayloadArgument,
  type PayloadTemplateOptions,
  type ScopeNames,
} from '#expression';
import { excerptOf, MillraceError, messageOf, synapseCodes, type Position } from '#errors';
import type { MappingOptions } from '#json';
import { setProperty, type Message } from '#message';
import {
  appendChild,
  childElements,
  cloneNode,
  firstElement,
  ownText,
  parseXml,
  positionAt,
  serializeXml,
  soapVersionOf,
  XmlText,
  type XmlElement,
  type SourceNode,
} from '#xml';
import { CONTINUE } from '../flow.ts';
import { Fault } from '../fault.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { soapVersionOfRequest } from '../soap-client.ts';
import {
  declareNamespaces,
  expressionSource,
  readExpression,
  readValue,
  reporting,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
  warnOfOthers,
} from '../reading.ts';

const mediaTypes = ['xml', 'json', 'text'] as const;
type Media = (typeof mediaTypes)[number];
type Engine = 'default' | 'freemarker';

interface Argument {
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly evaluator: 'xml' | 'json' | undefined;
  readonly literal: boolean;
  /** An attribute of older tools, without effect in the original either. */
  readonly deepCheck: string | undefined;
}

interface Definition {
  readonly media: Media;
  readonly engine: Engine;
  /** As it is written. */
  readonly templateType: string | undefined;
  readonly escapeXmlChars: boolean;
  readonly key: ValueSource | undefined;
  /** The inline template: the markup of an XML child, or text. */
  readonly format: string;
  readonly inlineElement: XmlElement | undefined;
  readonly args: readonly Argument[];
  readonly namespaces: ReadonlyMap<string, string>;
}

/** `<payloadFactory>`: a new payload from a template with arguments (mediators 4.1). */
export const payloadFactory = defineMediator<Definition>({
  element: 'payloadFactory',
  attributes: ['media-type', 'template-type', 'escapeXmlChars'],
  children: ['format', 'args'],
  needsBody: ({ args, format, key, engine }) =>
    key?.value.contentAware === true ||
    args.some(({ expression }) => expression?.expression.contentAware === true) ||
    // A template with inline expressions may read the payload; one from a key may hold any.
    format.includes('${') ||
    (engine === 'freemarker' && /payload|\.(?:data_?model|vars|globals)/i.test(format)) ||
    key !== undefined,
  parse(node, context) {
    const media = node.choice('media-type', mediaTypes, 'xml');
    const templateType = node.attribute('template-type');
    const engine = readEngine(node, templateType);
    const formatNode = node.child('format');
    if (!formatNode) node.error('<payloadFactory> needs a <format>', { code: 'MR_ARTIFACT_CHILD' });
    const args = node.child('args')?.childrenNamed('arg').map(readArgument) ?? [];
    const inlineElement = formatNode && firstElement(formatNode.element);
    const key = formatNode && readValue(formatNode, 'key');
    if (formatNode && key?.value.literal !== undefined) {
      context.refer({ kind: 'resource', key: key.value.literal, node: formatNode, attribute: 'key' });
    }
    const definition: Definition = {
      media,
      engine,
      templateType,
      escapeXmlChars: node.flag('escapeXmlChars', false),
      key,
      format: inlineElement ? serializeXml(withoutBlanks(inlineElement)) : formatNode ? templateText(formatNode) : '',
      inlineElement,
      args,
      namespaces: node.namespaces(),
    };
    if (formatNode && engine === 'freemarker') checkFreemarker(formatNode, definition);
    else reporting(formatNode ?? node, undefined, () => compileTemplate(definition, definition.format));
    return definition;
  },
  serialize(definition) {
    const { media, templateType, escapeXmlChars, key, format, inlineElement, args } = definition;
    const formatElement = declareNamespaces(synapseElement('format', { key: key?.text }), [key]);
    if (inlineElement) appendChild(formatElement, cloneNode(inlineElement));
    else if (format !== '') appendChild(formatElement, new XmlText(format, /[<&]/.test(format)));
    const argElements = args.map(({ value, expression, evaluator, literal, deepCheck }) => {
      const attributes = {
        value,
        expression: evaluator === 'json' && expression ? withoutJsonEval(expression.text) : expression?.text,
        evaluator,
        literal: literal || undefined,
        deepCheck,
      };
      return declareNamespaces(synapseElement('arg', attributes), [expression]);
    });
    const attributes = {
      'media-type': media,
      'template-type': templateType,
      escapeXmlChars: escapeXmlChars || undefined,
    };
    return synapseElement('payloadFactory', attributes, [formatElement, synapseElement('args', {}, argElements)]);
  },
  compile(definition, { services }): Compiled {
    const { key, media } = definition;
    const { jsonMapping } = services.settings;
    const inline = key ? undefined : compileTemplate(definition, definition.format, jsonMapping);
    // Templates from resources are compiled once per text, since a resource may change between two messages.
    let cached: { text: string; render: ReturnType<typeof compileTemplate> } | undefined;
    const renderFor = (message: Message): ReturnType<typeof compileTemplate> => {
      if (inline) return inline;
      const name = key?.value.evaluate(message) ?? '';
      const text = message.exchange.environment.resource(name);
      if (text === undefined) throw new Fault({ code: synapseCodes.mediation, message: `Key ${name} not found ` });
      if (cached?.text !== text) cached = { text, render: compileTemplate(definition, text, jsonMapping) };
      return cached.render;
    };
    return (message) => {
      const text = renderFor(message)(message);
      writePayload[media](message, text);
      const messageType = messageTypeOf(media, message);
      if (messageType !== undefined) setProperty(message, { scope: 'axis2', name: 'messageType' }, messageType);
      message.axis2.delete('NO_ENTITY_BODY');
      return CONTINUE;
    };
  },
});

/** Whatever is not known is the default engine, as in the original. */
function readEngine(node: SourceNode, written: string | undefined): Engine {
  const known = written?.trim().toLowerCase() ?? 'default';
  if (known === 'freemarker' || known === 'default') return known;
  node.warn(`"template-type" must be default or freemarker; "${written}" means default`, {
    attribute: 'template-type',
  });
  return 'default';
}

function readArgument(node: SourceNode): Argument {
  const evaluator = node.attribute('evaluator');
  if (evaluator !== undefined && evaluator !== 'xml' && evaluator !== 'json') {
    node.error(`"evaluator" must be xml or json, found "${evaluator}"`, { attribute: 'evaluator' });
  }
  const text = node.attribute('expression');
  const value = node.rawAttribute('value');
  if (text === undefined && value === undefined) {
    node.error('<arg> needs either "value" or "expression"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
  }
  warnOfOthers(node, ['value', 'expression']);
  const expression =
    evaluator === 'json' && text !== undefined && !text.startsWith('json-eval(') && !text.startsWith('${')
      ? expressionSource(node, `json-eval(${text})`, 'expression')
      : readExpression(node, 'expression');
  return {
    value,
    expression,
    evaluator: evaluator === 'json' || evaluator === 'xml' ? evaluator : undefined,
    literal: node.flag('literal', false),
    deepCheck: node.attribute('deepCheck'),
  };
}

function withoutJsonEval(text: string): string {
  return text.startsWith('json-eval(') ? text.slice('json-eval('.length, -1) : text;
}

/** The text of a format as written: text and CDATA joined, nothing trimmed but the outer blanks. */
function templateText(node: SourceNode): string {
  return ownText(node.element).trim();
}

/** Whitespace-only text between the elements of an inline XML template is removed before use (mediators 4.1). */
function withoutBlanks(element: XmlElement): XmlElement {
  const copy = cloneNode(element);
  const strip = (node: XmlElement): void => {
    if (childElements(node).length > 0) {
      node.children = node.children.filter((child) => child.kind !== 'text' || child.value.trim() !== '');
    }
    for (const child of childElements(node)) strip(child);
  };
  strip(copy);
  return copy;
}

function compileTemplate(
  definition: Definition,
  format: string,
  mapping: MappingOptions = {},
): (message: Message) => string {
  const { media, engine, escapeXmlChars, namespaces } = definition;
  const args = definition.args.map(({ value, expression, evaluator, literal }): PayloadArgument => ({
    ...(value === undefined ? {} : { literalValue: value }),
    ...(expression === undefined ? {} : { expression: expression.expression }),
    evaluator: evaluator ?? 'xml',
    literal,
  }));
  const options: PayloadTemplateOptions = { media, args, escapeXmlChars, namespaces, mapping };
  if (engine === 'default') return compilePayloadTemplate(format, options);
  const render = compileFreemarker(format, options);
  return (message) => render(message, namesOf(message));
}

/** What a template can list of a message. */
function namesOf(message: Message): ScopeNames {
  return {
    ctx: () => message.properties.keys(),
    axis2: () => message.axis2.keys(),
    trp: () => new Set(message.headers.filter((_, index) => index % 2 === 0)),
    vars: () => message.variables.keys(),
  };
}

/** Reports what is wrong with an inline FreeMarker template at its place in the file. */
function checkFreemarker(node: SourceNode, definition: Definition): void {
  try {
    compileTemplate(definition, definition.format);
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    const position = definition.inlineElement ? node.position() : positionInTemplate(node, error);
    node.report({
      code: String(error.code),
      severity: 'error',
      message: definition.inlineElement ? error.message : error.reason,
      position,
      excerpt: excerptOf(node.document.source, position.line),
    });
  }
}

/** The place in the file of a place in a template, which begins behind the start tag and its blanks. */
function positionInTemplate({ document, element }: SourceNode, { line, column }: TemplateSyntaxError): Position {
  const opening = /<(?:[^>"']|"[^"]*"|'[^']*')*>\s*(?:<!\[CDATA\[\s*)?/y;
  opening.lastIndex = element.offset;
  const start = positionAt(document, element.offset + (opening.exec(document.source)?.[0].length ?? 0));
  return { file: start.file, line: start.line + line - 1, column: line === 1 ? start.column + column - 1 : column };
}

/** How the rendered text becomes the payload (mediators 4.1, Result). */
const writePayload: Readonly<Record<Media, (message: Message, text: string) => void>> = {
  text: (message, text) => message.payload.setText(text),
  json(message, text) {
    const trimmed = text.trim();
    if (trimmed !== '' && !/[{["tnf\d-]/.test(trimmed)) {
      throw new MillraceError({
        code: synapseCodes.mediation,
        message: `Error creating JSON Payload from source ${text.slice(0, 200)}`,
      });
    }
    if (trimmed === '') message.payload.clear();
    else message.payload.setJson(trimmed);
  },
  xml(message, text) {
    const content = parseContent(text);
    const [first] = content;
    if (first && soapVersionOf(first)) {
      first.parent = null;
      message.payload.setEnvelope(first);
    } else message.payload.setContent(content);
  },
};

function parseContent(text: string): XmlElement[] {
  try {
    return childElements(parseXml(`<template>${text}</template>`).root);
  } catch (error) {
    throw new MillraceError({
      code: synapseCodes.mediation,
      message: `Error creating SOAP Envelope from source ${text.slice(0, 200)}`,
      detail: messageOf(error),
      cause: error,
    });
  }
}

/** The type to write; undefined where the message came as SOAP and stays it (mediators 4.1). */
function messageTypeOf(media: Media, message: Message): string | undefined {
  if (media === 'json') return 'application/json';
  if (media === 'text') return 'text/plain';
  const present = message.axis2.get('messageType');
  if (present === undefined && soapVersionOfRequest(message.payload.origin)) return undefined;
  const kept = typeof present === 'string' && /^(?:application\/xml|text\/xml|application\/soap\+xml)/.test(present);
  return kept ? present : 'application/xml';
}
