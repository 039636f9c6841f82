import { ProblemsError, synapseCodes, type Position } from '#errors';
import { compileValue, type ValueExpression } from '#expression';
import { appendChild, childElements, cloneNode, ownText, XmlElement, XmlText, type SourceNode } from '#xml';
import type { Message } from '#message';
import { libraryOf } from '../context.ts';
import { Fault } from '../fault.ts';
import { STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, synapseElement, valueSource, type ValueSource } from '../reading.ts';
import { runTemplate, withDefaults } from '../shared/template-call.ts';
import type { SequenceTemplate } from '../template.ts';

/** A parameter: a text that may be an expression, or XML that is handed over as it is. */
interface Parameter {
  readonly name: string;
  readonly value: ValueSource | undefined;
  readonly xml: readonly XmlElement[];
}

interface Definition {
  readonly connector: string;
  readonly operation: string;
  readonly configKey: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly position: Position;
}

/** `<NAME.OPERATION>`: an operation of a connector, which is a template of its library (mediators 15). */
export const connectorOperation = defineMediator<Definition>({
  element: 'connector.operation',
  attributes: ['configKey'],
  needsBody: ({ parameters }) => parameters.some(({ value }) => value?.value.contentAware === true),
  parse(node) {
    const dot = node.local.indexOf('.');
    return {
      connector: node.local.slice(0, dot),
      operation: node.local.slice(dot + 1),
      configKey: node.attribute('configKey'),
      parameters: node
        .children()
        .filter(({ local }) => local !== 'description')
        .map(readParameter),
      position: node.position(),
    };
  },
  serialize({ connector, operation, configKey, parameters }) {
    const element = synapseElement(`${connector}.${operation}`, { configKey });
    for (const { name, value, xml } of parameters) {
      const child = synapseElement(name);
      if (xml.length > 0) for (const each of xml) appendChild(child, cloneNode(each));
      else if (value) appendChild(child, new XmlText(value.text));
      appendChild(element, declareNamespaces(child, [value]));
    }
    return element;
  },
  compile(definition, context): Compiled {
    const { connector, operation, configKey, parameters } = definition;
    const { maxBodyBytes } = context.services.settings;
    const operations = context.library.connector(connector);
    if (!operations?.has(operation)) throw unknownOperation(definition, operations !== undefined);
    const find: FindOperation = (name, message) => libraryOf(message).sequenceTemplate(operations.get(name) ?? '');
    const initialize = configKey === undefined ? undefined : initializer({ connector, configKey, find, maxBodyBytes });
    const run = (message: Message): Flow | Promise<Flow> => {
      const template = find(operation, message);
      if (!template) throw missing(`${connector}.${operation}`);
      const values = new Map<string, unknown>();
      for (const each of parameters) setValue(values, each, message);
      if (configKey !== undefined) values.set('INIT_CONFIG_KEY', configKey);
      return runTemplate({ template, values: withDefaults(template, values), maxBodyBytes }, message);
    };
    if (!initialize) return run;
    return (message) => {
      const flow = initialize(message);
      if (flow === STOP) return STOP;
      return typeof flow === 'boolean' ? run(message) : flow.then((ended) => (ended === STOP ? STOP : run(message)));
    };
  },
});

function readParameter(node: SourceNode): Parameter {
  const xml = childElements(node.element);
  const text = node.attribute('value') ?? node.text();
  return {
    name: node.attribute('name') ?? node.local,
    value: xml.length === 0 ? valueSource(node, text) : undefined,
    xml,
  };
}

function setValue(values: Map<string, unknown>, { name, value, xml }: Parameter, message: Message): void {
  const [first] = xml;
  const result = first ? cloneNode(first) : value?.value.evaluate(message);
  if (result !== undefined) values.set(name, result);
}

type FindOperation = (operation: string, message: Message) => SequenceTemplate | undefined;

interface Initialization {
  readonly connector: string;
  readonly configKey: string;
  readonly find: FindOperation;
  readonly maxBodyBytes: number;
}

/** What runs before each operation with a `configKey`: the `init` operation with the parameters of the local entry. */
function initializer({ connector, configKey, find, maxBodyBytes }: Initialization): Compiled {
  const known = new WeakMap<XmlElement, readonly InitParameter[]>();
  return (message) => {
    const entry = message.exchange.environment.localEntry(configKey);
    if (!(entry instanceof XmlElement) || entry.local !== `${connector}.init`) {
      const text = `The local entry ${configKey} has no <${connector}.init>`;
      throw new Fault({ code: synapseCodes.mediation, message: text });
    }
    const template = find('init', message);
    if (!template) throw missing(`${connector}.init`);
    const parameters = known.get(entry) ?? initParameters(entry);
    known.set(entry, parameters);
    const values = new Map<string, unknown>([['name', configKey]]);
    for (const { name, value } of parameters) values.set(name, value.evaluate(message));
    return runTemplate({ template, values: withDefaults(template, values), maxBodyBytes }, message);
  };
}

interface InitParameter {
  readonly name: string;
  readonly value: ValueExpression;
}

function initParameters(entry: XmlElement): readonly InitParameter[] {
  return childElements(entry).map((child) => ({
    name: child.local,
    value: compileValue(ownText(child).trim(), { namespaces: new Map() }),
  }));
}

function unknownOperation({ connector, operation, position }: Definition, isKnown: boolean): ProblemsError {
  const reason = isKnown
    ? `the connector "${connector}" has no such operation`
    : `there is no enabled <import> of a connector "${connector}"`;
  return new ProblemsError([
    {
      code: 'MR_MEDIATOR_UNKNOWN',
      severity: 'error',
      message: `Unknown mediator referenced by configuration element : <${connector}.${operation}>; ${reason}`,
      position,
    },
  ]);
}

function missing(name: string): Fault {
  return new Fault({ code: synapseCodes.mediation, message: `The operation ${name} of the connector is not deployed` });
}
