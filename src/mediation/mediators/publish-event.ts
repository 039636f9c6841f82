import type { Clock } from '#core';
import { parseJavaDouble, parseJavaLong } from '#core/java';
import { messageOf, synapseCodes } from '#errors';
import { setHeader, type Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { Fault } from '../fault.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  synapseElement,
  textElement,
  type ExpressionSource,
  warnOfOthers,
} from '../reading.ts';

const types = ['STRING', 'INTEGER', 'LONG', 'FLOAT', 'DOUBLE', 'BOOLEAN'] as const;
type AttributeType = (typeof types)[number];
const groups = ['meta', 'correlation', 'payload', 'arbitrary'] as const;
type Group = (typeof groups)[number];

interface Attribute {
  readonly name: string;
  readonly type: AttributeType;
  /** False where the type was left out. */
  readonly isTyped: boolean;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly defaultValue: string | undefined;
}

interface Definition {
  readonly async: boolean | undefined;
  readonly timeout: number | undefined;
  readonly texts: ReadonlyMap<'streamName' | 'streamVersion' | 'eventSink', string>;
  readonly attributes: ReadonlyMap<Group, readonly Attribute[]>;
}

/** `<publishEvent>`: an event with typed attributes goes to a stream (mediators 7.4). */
export const publishEvent = defineMediator<Definition>({
  element: 'publishEvent',
  attributes: ['async', 'timeout'],
  children: ['streamName', 'streamVersion', 'eventSink', 'attributes'],
  needsBody: ({ attributes }) =>
    [...attributes.values()].flat().some(({ expression }) => expression?.expression.contentAware === true),
  parse(node) {
    const texts: Definition['texts'] = new Map(
      node.children().flatMap((child) => {
        const name = (['streamName', 'streamVersion', 'eventSink'] as const).find((each) => each === child.local);
        return name ? [[name, child.text()] as const] : [];
      }),
    );
    for (const name of ['streamName', 'streamVersion', 'eventSink'] as const) {
      if (!texts.get(name)) node.error(`<publishEvent> needs the element <${name}>`, { code: 'MR_ARTIFACT_CHILD' });
    }
    const attributes = node.child('attributes');
    if (!attributes) node.error('<publishEvent> needs the element <attributes>', { code: 'MR_ARTIFACT_CHILD' });
    return {
      async: node.attribute('async') === undefined ? undefined : node.flag('async', true),
      timeout: node.integer('timeout', 0),
      texts,
      attributes: attributes ? readGroups(attributes) : new Map(),
    };
  },
  serialize({ async, timeout, texts, attributes }) {
    const element = synapseElement('publishEvent', { async, timeout });
    for (const [name, text] of texts) appendChild(element, textElement(name, text));
    const list = [...attributes].map(([group, members]) => synapseElement(group, {}, members.map(serializeAttribute)));
    appendChild(element, synapseElement('attributes', {}, list));
    return element;
  },
  compile({ texts, attributes, async: isAsync = true, timeout }, { services }) {
    const topic = `${texts.get('streamName') ?? ''}:${texts.get('streamVersion') ?? ''}`;
    const sink = texts.get('eventSink') ?? '';
    const members = [...attributes].flatMap(([group, list]) => list.map((attribute) => ({ group, attribute })));
    return (message) => {
      const values = new Map(
        members.map(({ group, attribute }) => {
          const name = group === 'payload' ? attribute.name : `${group}_${attribute.name}`;
          return [name, valueOf(message, attribute)] as const;
        }),
      );
      markActivity(message);
      const event = { topic, at: message.now(), attributes: values };
      if (isAsync) return proceed(services.events?.publish(event) ?? 0);
      return withinTime(services.events?.handOver(event) ?? Promise.resolve(0), timeout, services.clock).then(
        proceed,
        (error: unknown) => {
          const problem = `The event for the sink "${sink}" was not taken: ${messageOf(error)}`;
          throw new Fault({ code: synapseCodes.mediation, message: problem });
        },
      );
    };

    function proceed(count: number): typeof CONTINUE {
      if (count > 0) return CONTINUE;
      throw new Fault({
        code: synapseCodes.mediation,
        message: `Event sink "${sink}" not found`,
        detail: `nothing in this process takes the stream ${topic}`,
      });
    }
  },
});

/** Waits for those who take an event, at most so many milliseconds; without end for 0 or nothing. */
function withinTime(taken: Promise<number>, timeout: number | undefined, clock: Clock): Promise<number> {
  if (!timeout) return taken;
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeout, () => reject(new Error(`no answer within ${timeout} ms`)));
    void taken.then(resolve, reject).finally(cancel);
  });
}

function readGroups(node: SourceNode): Definition['attributes'] {
  node.knowOnlyChildren(groups);
  const found = new Map<Group, readonly Attribute[]>();
  for (const child of node.children()) {
    const group = groups.find((each) => each === child.local);
    if (!group) continue;
    child.knowOnlyChildren(['attribute']);
    found.set(
      group,
      child.childrenNamed('attribute').map((each) => readAttribute(each)),
    );
  }
  return found;
}

function readAttribute(node: SourceNode): Attribute {
  node.knowOnly(['name', 'type', 'value', 'expression', 'defaultValue']);
  const value = node.rawAttribute('value');
  if (value === undefined && node.attribute('expression') === undefined) {
    node.error('<attribute> needs either "value" or "expression"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
  }
  warnOfOthers(node, ['value', 'expression']);
  const attribute = {
    name: node.required('name'),
    type: node.choice('type', types, 'STRING'),
    isTyped: node.attribute('type') !== undefined,
    value,
    expression: readExpression(node, 'expression'),
    defaultValue: node.rawAttribute('defaultValue'),
  };
  if (value !== undefined && typedValue(value, attribute.type) === undefined) {
    node.error(`"value" must be of the type ${attribute.type}, found "${value}"`, { attribute: 'value' });
  }
  return attribute;
}

function serializeAttribute({ name, type, isTyped, value, expression, defaultValue }: Attribute): XmlElement {
  const attributes = { name, type: isTyped ? type : undefined, value, expression: expression?.text, defaultValue };
  return declareNamespaces(synapseElement('attribute', attributes), [expression]);
}

/** The value of an attribute; the default stands in for one that is not there. @throws Fault for one of another type */
function valueOf(message: Message, attribute: Attribute): string | number | boolean | null {
  const { name, type, value, expression, defaultValue } = attribute;
  const found = value ?? expression?.expression.evaluateString(message);
  const text = found === undefined || found === '' ? defaultValue : found;
  if (text === undefined || (text === '' && type !== 'STRING')) return type === 'STRING' ? '' : null;
  const typed = typedValue(text, type);
  if (typed !== undefined) return typed;
  const problem = `The attribute "${name}" of an event must be of the type ${type}, found "${text.slice(0, 80)}"`;
  throw new Fault({ code: synapseCodes.mediation, message: problem });
}

function typedValue(text: string, type: AttributeType): string | number | boolean | undefined {
  switch (type) {
    case 'STRING':
      return text;
    case 'BOOLEAN':
      return text.trim().toLowerCase() === 'true';
    case 'INTEGER':
    case 'LONG': {
      const whole = parseJavaLong(text.trim());
      return whole === undefined ? undefined : Number(whole);
    }
    case 'FLOAT':
    case 'DOUBLE':
      return parseJavaDouble(text);
  }
}

/** What belongs to one message carries one identity through all systems. */
function markActivity(message: Message): void {
  if (message.header('activityID') === undefined) setHeader(message.headers, 'activityID', message.id);
}
