import type { Position } from '#errors';
import { textOf } from '#expression';
import type { Message } from '#message';
import { appendChild, cloneNode, firstElement, serializeXml, XmlElement, XmlText, type SourceNode } from '#xml';
import type { CompileContext } from '../context.ts';
import { messageValue, plainValue } from '../extension/extension-message.ts';
import { getBeanProperty, setBeanProperty } from '../extension/properties.ts';
import { resolveExtension } from '../extension/resolve.ts';
import type { Command } from '../extension/types.ts';
import { CONTINUE, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource } from '../reading.ts';

const actions = [
  'ReadMessage',
  'UpdateMessage',
  'ReadContext',
  'UpdateContext',
  'ReadAndUpdateMessage',
  'ReadAndUpdateContext',
] as const;
type Action = (typeof actions)[number];

interface CommandProperty {
  readonly name: string;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly contextName: string | undefined;
  readonly action: Action | undefined;
  readonly content: XmlElement | undefined;
}

interface Definition {
  readonly name: string;
  readonly position: Position;
  readonly properties: readonly CommandProperty[];
}

/** `<pojoCommand>`: a fresh command gets properties of the message, runs, and gives properties back (mediators 8). */
export const pojoCommand = defineMediator<Definition>({
  element: 'pojoCommand',
  attributes: ['name'],
  children: ['property'],
  needsBody: ({ properties }) => properties.some(({ expression }) => expression?.expression.contentAware === true),
  parse: (node) => ({
    name: node.required('name'),
    position: node.position('name'),
    properties: node.childrenNamed('property').map((child) => readProperty(child)),
  }),
  serialize({ name, properties }) {
    const element = synapseElement('pojoCommand', { name });
    for (const { name: property, value, expression, contextName, action, content } of properties) {
      const attributes = { name: property, value, expression: expression?.text, 'context-name': contextName, action };
      const child = declareNamespaces(synapseElement('property', attributes), [expression]);
      if (content) appendChild(child, cloneNode(content));
      appendChild(element, child);
    }
    return element;
  },
  compile: compileCommand,
});

function readProperty(node: SourceNode): CommandProperty {
  node.knowOnly(['name', 'value', 'expression', 'context-name', 'action']);
  const value = node.rawAttribute('value');
  const expression = readExpression(node, 'expression');
  const contextName = node.attribute('context-name');
  const content = firstElement(node.element);
  const action = node.attribute('action') === undefined ? undefined : node.choice('action', actions, 'ReadMessage');
  if (value === undefined && node.attribute('expression') === undefined && contextName === undefined && !content) {
    node.error('<property> needs one of "value", "expression", "context-name" or an XML child', {
      code: 'MR_ARTIFACT_ATTRIBUTE',
    });
  }
  const needed = action?.endsWith('Message') ? node.attribute('expression') : contextName;
  if (action !== undefined && needed === undefined) {
    const attribute = action.endsWith('Message') ? 'expression' : 'context-name';
    node.error(`the action ${action} needs the attribute "${attribute}"`, { attribute: 'action' });
  }
  return { name: node.required('name'), value, expression, contextName, action, content };
}

function compileCommand({ name: className, position, properties }: Definition, context: CompileContext): Compiled {
  const named = { className, position, kind: 'command', methods: ['execute'] };
  const create = resolveExtension(named, context.services.extensions);
  const read = (message: Message, command: Command): void => {
    for (const property of properties) {
      if (isRead(property)) setBeanProperty(command, property.name, valueFor(property, message));
    }
  };
  const update = (message: Message, command: Command): Flow => {
    for (const property of properties) {
      if (property.action?.includes('Update') === true) {
        writeBack(property, message, getBeanProperty(command, property.name));
      }
    }
    return CONTINUE;
  };
  return (message) => {
    const command = create() as Command;
    read(message, command);
    const running = command.execute();
    return running instanceof Promise ? running.then(() => update(message, command)) : update(message, command);
  };
}

/** Without an action, an expression or name of the context is read, and a value is set. */
function isRead({ action, value, content }: CommandProperty): boolean {
  return action === undefined || action.startsWith('Read') || value !== undefined || content !== undefined;
}

function valueFor({ action, value, expression, contextName, content }: CommandProperty, message: Message): unknown {
  const readsContext = action?.startsWith('Read') === true && action.endsWith('Context');
  if (contextName !== undefined && (readsContext || (action === undefined && !expression && value === undefined))) {
    return plainValue(message.property('default', contextName));
  }
  if (expression && (action === undefined || action.startsWith('Read'))) {
    return expression.expression.evaluateString(message);
  }
  return value ?? (content && serializeXml(content));
}

/** Puts a property of the command into the context, or into the element that its expression selects. */
function writeBack({ action, expression, contextName }: CommandProperty, message: Message, value: unknown): void {
  if (action?.endsWith('Context') === true) {
    message.properties.set(contextName ?? '', messageValue(value));
    return;
  }
  message.payload.editEnvelope();
  const selected = expression?.expression.evaluateValue(message);
  const [node] = Array.isArray(selected) ? (selected as readonly unknown[]) : [];
  if (node instanceof XmlElement) {
    node.children = [];
    appendChild(node, new XmlText(textOf(value)));
  } else if (node instanceof XmlText) node.value = textOf(value);
}
