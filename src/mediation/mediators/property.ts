import { compileJavaRegex, type JavaRegex } from '#core/java';
import { removeProperty, setProperty, type Message, type WritableScope } from '#message';
import { appendChild, childElements, cloneNode, type SourceNode, type XmlElement } from '#xml';
import type { ParseContext } from '../context.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
  warnOfOthers,
} from '../reading.ts';
import { readRegex } from '../shared/regex.ts';
import { convertProperty, propertyTypes, type PropertyType } from '../shared/typed-value.ts';

const scopes = [
  'default',
  'synapse',
  'axis2',
  'axis2-client',
  'transport',
  'operation',
  'registry',
  'system',
  'analytics',
  'trace',
] as const;

interface Definition {
  readonly name: ValueSource | undefined;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly inline: XmlElement | undefined;
  readonly type: PropertyType;
  readonly scope: (typeof scopes)[number];
  readonly action: 'set' | 'remove';
  readonly pattern: string | undefined;
  readonly group: number | undefined;
}

/** `<property>`: sets or removes a property in one of the scopes (mediators 2.2). */
export const property = defineMediator<Definition>({
  element: 'property',
  attributes: ['name', 'value', 'expression', 'type', 'scope', 'action', 'pattern', 'group'],
  needsBody: ({ expression, name }) =>
    expression?.expression.contentAware === true || name?.value.contentAware === true,
  parse: parseProperty,
  serialize: serializeProperty,
  compile(definition): Compiled {
    const change = compileProperty(definition);
    return (message) => {
      change(message);
      return CONTINUE;
    };
  },
});

/** `<propertyGroup>`: properties applied in order as one step (mediators 2.2). */
export const propertyGroup = defineMediator<readonly Definition[]>({
  element: 'propertyGroup',
  attributes: [],
  needsBody: (definitions) => definitions.some(({ expression }) => expression?.expression.contentAware === true),
  parse(node) {
    for (const child of node.children()) {
      if (child.local !== 'property' && child.local !== 'description') {
        child.error(`<propertyGroup> holds only <property>, found <${child.local}>`);
      }
    }
    return node.childrenNamed('property').map((child) => parseProperty(child));
  },
  serialize(definitions) {
    const element = synapseElement('propertyGroup');
    for (const definition of definitions) appendChild(element, serializeProperty(definition));
    return element;
  },
  compile(definitions): Compiled {
    const changes = definitions.map(compileProperty);
    return (message) => {
      for (const change of changes) change(message);
      return CONTINUE;
    };
  },
});

function parseProperty(node: SourceNode, _context?: ParseContext): Definition {
  node.required('name');
  const action = node.choice('action', ['set', 'remove'], 'set');
  const expression = readExpression(node, 'expression');
  const value = node.rawAttribute('value');
  const inline = childElements(node.element).find(({ local }) => local !== 'description');
  const pattern = node.attribute('pattern');
  if (action === 'set' && node.attribute('expression') === undefined && value === undefined && !inline) {
    node.error('<property> needs one of "value", "expression" or an XML child', { code: 'MR_ARTIFACT_ATTRIBUTE' });
  }
  if (action === 'set') warnOfOthers(node, ['expression', 'value'], inline && node.wrap(inline));
  if (node.attribute('group') !== undefined && pattern === undefined) {
    node.error('"group" needs a "pattern"', { attribute: 'group' });
  }
  readRegex(node, 'pattern');
  return {
    name: readValue(node, 'name'),
    value,
    expression,
    inline,
    type: node.choice('type', propertyTypes, 'STRING'),
    scope: node.choice('scope', scopes, 'default'),
    action,
    pattern,
    group: node.integer('group', 0),
  };
}

function serializeProperty(definition: Definition): XmlElement {
  const { name, value, expression, inline, type, scope, action, pattern, group } = definition;
  const element = synapseElement('property', {
    name: name?.text,
    value,
    expression: expression?.text,
    type: type === 'STRING' ? undefined : type,
    scope: scope === 'default' ? undefined : scope,
    action: action === 'set' ? undefined : action,
    pattern,
    group,
  });
  if (inline) appendChild(element, cloneNode(inline));
  return declareNamespaces(element, [name, expression]);
}

function compileProperty(definition: Definition): (message: Message) => void {
  const scope: WritableScope = definition.scope === 'synapse' ? 'default' : definition.scope;
  const nameOf = compileName(definition.name);
  if (definition.action === 'remove') {
    return (message) => removeProperty(message, { scope, name: nameOf(message) });
  }
  const valueOf = compileValueOf(definition);
  return (message) => setProperty(message, { scope, name: nameOf(message) }, valueOf(message));
}

function compileName(name: ValueSource | undefined): (message: Message) => string {
  const literal = name?.value.literal;
  return literal === undefined ? (message) => name?.value.evaluate(message) ?? '' : () => literal;
}

function compileValueOf(definition: Definition): (message: Message) => unknown {
  const { type, value, expression, inline } = definition;
  if (inline && !expression && value === undefined) return () => cloneNode(inline);
  const pattern = definition.pattern === undefined ? undefined : compileJavaRegex(definition.pattern);
  const finish = (text: string, truncate: boolean): unknown => {
    return convertProperty(pattern ? extract(pattern, text, definition.group ?? 0) : text, type, truncate);
  };
  if (expression) {
    const { expression: compiled } = expression;
    return (message) => {
      const text = compiled.evaluateString(message);
      return text === undefined ? null : finish(text, true);
    };
  }
  const constant = value ?? '';
  // An element is mutable, so each message gets its own; every other type gives an immutable value.
  if (type === 'OM') return () => finish(constant, false);
  let converted: { value: unknown } | undefined;
  return () => (converted ??= { value: finish(constant, false) }).value;
}

/** The group of a whole match; an empty text without one. */
function extract(pattern: JavaRegex, text: string, group: number): string {
  if (!pattern.matches(text)) return '';
  return group === 0 ? text : (pattern.execWhole(text)?.[group] ?? '');
}
