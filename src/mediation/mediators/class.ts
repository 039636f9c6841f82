import type { Position } from '#errors';
import type { Message } from '#message';
import { appendChild, cloneNode, firstElement, serializeXml, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext } from '../context.ts';
import { extensionMessage, messageValue, plainValue } from '../extension/extension-message.ts';
import { liveWith } from '../extension/instance.ts';
import { setBeanProperty } from '../extension/properties.ts';
import { resolveExtension, setProperties } from '../extension/resolve.ts';
import type { ClassMediator } from '../extension/types.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource, warnOfOthers } from '../reading.ts';
import { evaluateArguments, readArguments, serializeArguments, type Argument } from '../shared/arguments.ts';
import { readResultTarget, storeResult, type ResultTarget } from '../shared/result-target.ts';

interface ClassProperty {
  readonly name: string;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly content: XmlElement | undefined;
}

interface Definition {
  readonly name: string;
  readonly position: Position;
  readonly method: string | undefined;
  readonly properties: readonly ClassProperty[];
  readonly target: ResultTarget | undefined;
  readonly inputs: readonly Argument[] | undefined;
}

/** `<class>`: a class of the extensions acts on the message (mediators 8). */
export const classMediator = defineMediator<Definition>({
  element: 'class',
  attributes: ['name', 'method', 'target', 'target-variable'],
  children: ['property', 'inputs'],
  needsBody: () => true,
  parse: (node) => ({
    name: node.required('name'),
    position: node.position('name'),
    method: node.attribute('method'),
    properties: node.childrenNamed('property').map((child) => readProperty(child)),
    target: readResultTarget(node),
    inputs: readArguments(node),
  }),
  serialize({ name, method, properties, target, inputs }) {
    const element = synapseElement('class', {
      name,
      method,
      target: target?.target,
      'target-variable': target?.variable,
    });
    for (const { name: property, value, expression, content } of properties) {
      const child = synapseElement('property', { name: property, value, expression: expression?.text });
      if (content) appendChild(child, cloneNode(content));
      appendChild(element, declareNamespaces(child, [expression]));
    }
    serializeArguments(element, inputs);
    return element;
  },
  compile: compileClass,
});

function readProperty(node: SourceNode): ClassProperty {
  node.knowOnly(['name', 'value', 'expression']);
  const content = firstElement(node.element);
  const value = node.rawAttribute('value');
  const expression = readExpression(node, 'expression');
  if (value === undefined && content === undefined && node.attribute('expression') === undefined) {
    node.error('<property> needs one of "value", "expression" or an XML child', { code: 'MR_ARTIFACT_ATTRIBUTE' });
  }
  warnOfOthers(node, ['expression', 'value']);
  return { name: node.required('name'), value, expression, content };
}

function compileClass(definition: Definition, context: CompileContext): Compiled {
  const { name: className, position, properties, inputs, target } = definition;
  const method = definition.method ?? 'mediate';
  const { services, library } = context;
  const named = { className, position, kind: 'class mediator', methods: [method] };
  const instance = resolveExtension(named, services.extensions)() as ClassMediator;
  const fixed = properties.filter(({ expression }) => expression === undefined);
  setProperties(
    named,
    instance,
    fixed.map(({ name, value, content }) => ({ name, value: content ? serializeXml(content) : value })),
  );
  const dynamic = properties.filter(({ expression }) => expression !== undefined);
  const ready = liveWith(library.lifecycle, instance, { id: context.id, position, log: services.log });

  const conclude = (message: Message, result: unknown): Flow => {
    if (target && target.target !== 'none') {
      storeResult(message, target, messageValue(result));
      return CONTINUE;
    }
    return result === false ? STOP : CONTINUE;
  };
  const call = (message: Message): Flow | Promise<Flow> => {
    for (const { name, expression } of dynamic) {
      setBeanProperty(instance, name, expression?.expression.evaluateString(message));
    }
    const args = evaluateArguments(inputs, message).map(plainValue);
    const run = Reflect.get(instance, method) as (...all: unknown[]) => unknown;
    const result = run.call(instance, extensionMessage(message), ...args);
    return result instanceof Promise ? result.then((value) => conclude(message, value)) : conclude(message, result);
  };
  const begin = (message: Message): Flow | Promise<Flow> => {
    const starting = ready();
    return starting ? starting.then(() => call(message)) : call(message);
  };
  return dynamic.length > 0 ? oneAfterTheOther(begin) : begin;
}

/** Properties that each message sets anew must not change while another message runs (mediators 8). */
function oneAfterTheOther(run: Compiled): Compiled {
  let last: Promise<unknown> = Promise.resolve();
  return (message) => {
    const result = last.then(() => run(message));
    last = result.catch(() => undefined);
    return result;
  };
}
