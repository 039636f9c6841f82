import { synapseCodes } from '#errors';
import type { XQuery, XQueryItem, XQueryValue } from '#expression/xquery';
import type { Message } from '#message';
import { appendChild, cloneNode, firstElement, XmlElement, XmlText, type SourceNode } from '#xml';
import { libraryOf, type CompileContext, type ParseContext } from '../context.ts';
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
import { sourceElement } from '../shared/replace-source.ts';
import { createResourceCache, type ResourceCache } from '../shared/resource-cache.ts';

const types = [
  'INT',
  'INTEGER',
  'BOOLEAN',
  'BYTE',
  'DOUBLE',
  'SHORT',
  'LONG',
  'FLOAT',
  'STRING',
  'DOCUMENT',
  'DOCUMENT_ELEMENT',
  'ELEMENT',
] as const;
type VariableType = (typeof types)[number];

interface Variable {
  readonly name: string;
  readonly type: VariableType;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly key: ValueSource | undefined;
}

interface Definition {
  readonly key: ValueSource | undefined;
  readonly target: ExpressionSource | undefined;
  /** Properties of `<dataSource>`; undefined without one. They are kept; our engine needs none of them. */
  readonly dataSource: readonly NamedValue[] | undefined;
  readonly variables: readonly Variable[];
}

/** `<xquery>`: the first item of a query's result takes the place of a part of the message (mediators 4.4). */
export const xquery = defineMediator<Definition>({
  element: 'xquery',
  attributes: ['key', 'target'],
  needsBody: () => true,
  parse(node, context) {
    const dataSource = node.child('dataSource');
    return {
      key: readKey(node, context),
      target: readExpression(node, 'target'),
      dataSource: dataSource && readNamedValues(dataSource),
      variables: node.childrenNamed('variable').map((child) => readVariable(child, context)),
    };
  },
  serialize({ key, target, dataSource, variables }) {
    const element = declareNamespaces(synapseElement('xquery', { key: key?.text, target: target?.text }), [
      key,
      target,
    ]);
    if (dataSource) appendChild(element, serializeNamedValues(synapseElement('dataSource'), dataSource));
    for (const { name, type, value, expression, key: from } of variables) {
      const variable = synapseElement('variable', { name, type, value, expression: expression?.text, key: from?.text });
      appendChild(element, declareNamespaces(variable, [expression, from]));
    }
    return element;
  },
  compile: compileQuery,
});

function readKey(node: SourceNode, context: ParseContext): ValueSource | undefined {
  node.required('key');
  return readReference(node, context);
}

function readReference(node: SourceNode, context: ParseContext): ValueSource | undefined {
  const key = readValue(node, 'key');
  if (key?.value.literal !== undefined) {
    context.refer({ kind: 'resource', key: key.value.literal, node, attribute: 'key' });
  }
  return key;
}

function readVariable(node: SourceNode, context: ParseContext): Variable {
  node.knowOnly(['name', 'type', 'value', 'expression', 'key']);
  node.required('type');
  return {
    name: node.required('name'),
    type: node.choice('type', types, 'STRING'),
    value: node.attribute('value'),
    expression: readExpression(node, 'expression'),
    key: readReference(node, context),
  };
}

function compileQuery({ key, target, variables }: Definition, context: CompileContext): Compiled {
  let queries: ResourceCache<XQuery> | undefined;
  const run = (message: Message, find: ResourceCache<XQuery>): ReturnType<Compiled> => {
    const destination = sourceElement(message, target?.expression);
    if (!destination) {
      throw new Fault({ code: synapseCodes.mediation, message: 'There is no element for the result of the query' });
    }
    const name = key?.value.evaluate(message) ?? '';
    const values = new Map(variables.map((variable) => [variable.name, valueOf(variable, message)]));
    const [first] = find(message, name).evaluate(message, values);
    if (first) write(message, destination, first);
    else context.services.log.warn({ at: context.id, query: name }, 'the query has no result');
    return CONTINUE;
  };
  return (message) => {
    if (queries) return run(message, queries);
    return import('#expression/xquery').then(({ createXQuery }) => {
      queries ??= createResourceCache((_name, text) => createXQuery(text), true);
      return run(message, queries);
    });
  };
}

/** A node takes the place of the destination, a value becomes its text. */
function write(message: Message, destination: XmlElement, item: XQueryItem): void {
  message.payload.editEnvelope();
  const result = 'node' in item && item.node instanceof XmlElement ? cloneNode(item.node) : undefined;
  const { parent } = destination;
  if (result && parent) {
    parent.children[parent.children.indexOf(destination)] = result;
    result.parent = parent;
    destination.parent = null;
    return;
  }
  for (const child of destination.children) child.parent = null;
  destination.children = [];
  const text = 'text' in item ? item.text : item.node.kind === 'text' ? item.node.value : '';
  appendChild(destination, new XmlText(text));
}

const nodeTypes: ReadonlySet<VariableType> = new Set(['DOCUMENT', 'DOCUMENT_ELEMENT', 'ELEMENT']);

function valueOf(variable: Variable, message: Message): XQueryValue {
  const { name, type, value, expression, key } = variable;
  if (nodeTypes.has(type)) {
    const element = elementOf(variable, message);
    if (!element) throw invalid(name, 'has no element');
    return type === 'DOCUMENT' ? { document: alone(element) } : element;
  }
  const from = key && libraryOf(message).resource(key.value.evaluate(message) ?? '');
  const text = value ?? from ?? expression?.expression.evaluateString(message) ?? '';
  if (type === 'STRING') return text;
  if (type === 'BOOLEAN') return text.trim().toLowerCase() === 'true';
  const number = Number(text);
  const isWhole = type !== 'DOUBLE' && type !== 'FLOAT';
  if (text.trim() === '' || Number.isNaN(number) || (isWhole && !Number.isInteger(number))) {
    throw invalid(name, `is no ${type}: "${text}"`);
  }
  return number;
}

/** From a key, an expression, or the first element of the body. */
function elementOf({ key, expression }: Variable, message: Message): XmlElement | undefined {
  if (key) return libraryOf(message).xmlResource(key.value.evaluate(message) ?? '');
  const element = sourceElement(message, expression?.expression);
  return element?.local === 'Body' && element.parent?.local === 'Envelope' ? firstElement(element) : element;
}

/** An element as the root of a document of its own. */
function alone(element: XmlElement): XmlElement {
  return element.parent ? cloneNode(element) : element;
}

function invalid(name: string, what: string): Fault {
  return new Fault({ code: synapseCodes.mediation, message: `The variable ${name} of the query ${what}` });
}
