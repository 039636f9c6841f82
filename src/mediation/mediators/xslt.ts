import { messageOf, synapseCodes } from '#errors';
import { setProperty, wrapText, type Message } from '#message';
import { appendChild, parseXml, serializeXml, type SourceNode, type XmlElement } from '#xml';
import type * as Engine from '#xml/transform';
import type { Stylesheet } from '#xml/transform';
import type { CompileContext, ParseContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
} from '../reading.ts';
import { readNamedValues, serializeNamedValues, type NamedValue } from '../shared/named-value.ts';
import { replaceSource, sourceElement } from '../shared/replace-source.ts';
import { createResourceCache, type ResourceCache } from '../shared/resource-cache.ts';
import {
  readResources,
  resourceResolver,
  serializeResources,
  type ResourceMapping,
} from '../shared/resource-mapping.ts';

/** A `<feature>` or `<attribute>` for the engine of the original. They are kept; ours needs none of them. */
interface Setting {
  readonly name: string;
  readonly value: string;
}

interface Definition {
  readonly key: ValueSource | undefined;
  readonly source: ExpressionSource | undefined;
  readonly target: string | undefined;
  readonly useCache: boolean;
  readonly properties: readonly NamedValue[];
  readonly features: readonly Setting[];
  readonly attributes: readonly Setting[];
  readonly resources: readonly ResourceMapping[];
}

/** `<xslt>`: a part of the message goes through a stylesheet (mediators 4.4). */
export const xslt = defineMediator<Definition>({
  element: 'xslt',
  attributes: ['key', 'source', 'target', 'useCache'],
  needsBody: () => true,
  parse: (node, context) => ({
    key: readStylesheetKey(node, context),
    source: readExpression(node, 'source'),
    target: node.attribute('target'),
    useCache: node.flag('useCache', true),
    properties: readNamedValues(node),
    features: readSettings(node, 'feature'),
    attributes: readSettings(node, 'attribute'),
    resources: readResources(node, context),
  }),
  serialize({ key, source, target, useCache, properties, features, attributes, resources }) {
    const element = synapseElement('xslt', {
      key: key?.text,
      source: source?.text,
      target,
      useCache: useCache ? undefined : false,
    });
    declareNamespaces(element, [key, source]);
    serializeNamedValues(element, properties);
    for (const setting of features) appendChild(element, synapseElement('feature', { ...setting }));
    for (const setting of attributes) appendChild(element, synapseElement('attribute', { ...setting }));
    serializeResources(element, resources);
    return element;
  },
  compile: compileTransformation,
});

/** `<fastXSLT>`: the same for the whole first element of the body; the original streams it. */
export const fastXslt = defineMediator<Definition>({
  element: 'fastXSLT',
  attributes: ['key'],
  needsBody: () => true,
  parse: (node, context) => ({ ...plain, key: readStylesheetKey(node, context) }),
  serialize: ({ key }) => declareNamespaces(synapseElement('fastXSLT', { key: key?.text }), [key]),
  compile: compileTransformation,
});

const plain: Definition = {
  key: undefined,
  source: undefined,
  target: undefined,
  useCache: true,
  properties: [],
  features: [],
  attributes: [],
  resources: [],
};

function readStylesheetKey(node: SourceNode, context: ParseContext): ValueSource | undefined {
  node.required('key');
  const key = readValue(node, 'key');
  if (key?.value.literal !== undefined) {
    context.refer({ kind: 'resource', key: key.value.literal, node, attribute: 'key' });
  }
  return key;
}

function readSettings(node: SourceNode, local: string): readonly Setting[] {
  return node.childrenNamed(local).map((child) => ({ name: child.required('name'), value: child.required('value') }));
}

/** Compiles the transformation of the body by one stylesheet, for mediators that can use one instead. */
export function compileStylesheetOf(key: ValueSource, context: CompileContext): Compiled {
  return compileTransformation({ ...plain, key }, context);
}

function compileTransformation(definition: Definition, context: CompileContext): Compiled {
  const { key, source, target, useCache, properties } = definition;
  const { library, services } = context;
  const resolve = resourceResolver(library, definition.resources);
  let stylesheets: ResourceCache<Stylesheet> | undefined;

  const run = (message: Message): ReturnType<Compiled> => {
    const element = sourceElement(message, source?.expression);
    if (!element) {
      services.log.warn({ at: context.id }, 'there is nothing to transform: the body is empty');
      return CONTINUE;
    }
    const name = key?.value.evaluate(message) ?? '';
    const stylesheet = stylesheets?.(message, name);
    if (!stylesheet) return CONTINUE;
    const parameters: Record<string, string> = {};
    for (const property of properties) {
      parameters[property.name] = property.value ?? property.expression?.expression.evaluateString(message) ?? '';
    }
    const write = (text: string): typeof CONTINUE => {
      const result = stylesheet.producesText ? wrapText(text) : parseResult(text, name);
      if (target === undefined) replaceSource(message, element, result);
      else setProperty(message, { scope: 'default', name: target }, storesText(message) ? text : result);
      return CONTINUE;
    };
    const text = stylesheet.transform(serializeXml(element), parameters);
    return typeof text === 'string' ? write(text) : text.then(write);
  };

  const start = (engine: typeof Engine, message: Message): ReturnType<Compiled> => {
    stylesheets ??= createResourceCache((name, text) => engine.openStylesheet({ key: name, text }, resolve), useCache);
    return run(message);
  };

  // The engine is large, and few artifacts need it: it is loaded with the first message.
  return (message) => {
    if (stylesheets) return run(message);
    return import('#xml/transform').then((engine) => start(engine, message));
  };
}

/** `transform.xslt.result.disableBuild`: a property gets the result as text (mediators 4.4). */
function storesText(message: Message): boolean {
  return String(message.property('default', 'transform.xslt.result.disableBuild')) === 'true';
}

const docType = /^\s*<!DOCTYPE[^>[]*>/;

function parseResult(text: string, key: string): XmlElement {
  try {
    return parseXml(text.replace(docType, '')).root;
  } catch (error) {
    throw new Fault({
      code: synapseCodes.mediation,
      message: `The result of the stylesheet ${key} is not an XML element: ${messageOf(error)}`,
      cause: error,
    });
  }
}
