import { messageOf, nearestName, synapseCodes } from '#errors';
import { parseJson, stringifyJson, xmlToJsonText, type JsonValue, type MappingOptions } from '#json';
import type * as Engine from '#json/schema';
import type { JsonSchema } from '#json/schema';
import type { Message } from '#message';
import { XmlElement, type SourceNode } from '#xml';
import { Fault } from '../fault.ts';
import { CONTINUE, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';
import { readNamedValues, serializeNamedValues, type NamedValue } from '../shared/named-value.ts';

interface Definition {
  readonly schema: ValueSource | undefined;
  readonly properties: readonly NamedValue[];
}

const prefix = 'synapse.commons.json.';

/** What the properties set, by their names without the prefix (runtime-core 6.7). */
const options: Readonly<Record<string, (value: string) => MappingOptions>> = {
  'output.autoPrimitive': (value) => ({ autoPrimitive: isTrue(value) }),
  'output.jsonoutAutoArray': (value) => ({ autoArray: isTrue(value) }),
  'output.jsonoutMultiplePI': (value) => ({ readMultiple: isTrue(value) }),
  'output.enableNSDeclarations': (value) => ({ namespaceDeclarations: isTrue(value) }),
  'output.namespaceSepChar': (value) => ({ namespaceSeparator: value }),
  'output.emptyXmlElemToEmptyStr': (value) => ({ nullForEmptyElement: !isTrue(value) }),
  'preserve.namespace': (value) => ({ preserveNamespace: isTrue(value) }),
  buildValidNCNames: (value) => ({ validNames: isTrue(value) }),
};

/** `<jsontransform>`: XML to JSON by settings of its own, and JSON into the types of a schema (mediators 4.6). */
export const jsontransform = defineMediator<Definition>({
  element: 'jsontransform',
  attributes: ['schema'],
  children: ['property'],
  needsBody: () => true,
  parse(node, context) {
    const schema = readValue(node, 'schema');
    if (schema?.value.literal !== undefined) {
      context.refer({ kind: 'resource', key: schema.value.literal, node, attribute: 'schema' });
    }
    const properties = readNamedValues(node);
    if (node.attribute('schema') === undefined && properties.length === 0) {
      node.error('<jsontransform> needs the attribute "schema" or a <property>', { code: 'MR_ARTIFACT_ATTRIBUTE' });
    }
    for (const child of node.childrenNamed('property')) checkName(child);
    return { schema, properties };
  },
  serialize({ schema, properties }) {
    const element = declareNamespaces(synapseElement('jsontransform', { schema: schema?.text }), [schema]);
    return serializeNamedValues(element, properties);
  },
  compile({ schema, properties }): Compiled {
    const applySchema = schema && compileSchema(schema);
    return (message) => {
      if (properties.length > 0) convert(message, properties);
      return applySchema ? applySchema(message) : CONTINUE;
    };
  },
});

function checkName(node: SourceNode): void {
  const name = node.attribute('name');
  const known = Object.keys(options).map((each) => `${prefix}${each}`);
  if (name === undefined || known.includes(name)) return;
  const near = nearestName(name, known);
  node.warn(`<jsontransform> does not know the property "${name}"`, {
    attribute: 'name',
    ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }),
  });
}

/** Turns the first element of the body into JSON. */
function convert(message: Message, properties: readonly NamedValue[]): void {
  const content = message.payload.content();
  if (!content) return;
  let mapping: MappingOptions = { ...message.payload.mapping };
  for (const { name, value, expression } of properties) {
    const text = value ?? expression?.expression.evaluateString(message) ?? '';
    mapping = { ...mapping, ...options[name.slice(prefix.length)]?.(text) };
  }
  message.payload.setJson(xmlToJsonText(content, mapping));
}

/** A schema ready to be used, and the text that it was made from. */
interface Prepared {
  readonly text: string;
  readonly plain: unknown;
  readonly schema: JsonSchema;
}

function compileSchema(source: ValueSource): Compiled {
  const prepared = new Map<string, Prepared>();
  let engine: typeof Engine | undefined;

  const run = (message: Message, { compilePlainSchema, coerceJson, toPlain }: typeof Engine): Flow => {
    const key = source.value.evaluate(message) ?? '';
    const text = schemaText(message, key);
    let known = prepared.get(key);
    if (known?.text !== text) {
      known = failing(() => {
        const plain = toPlain(parseJson(text));
        return { text, plain, schema: compilePlainSchema(plain, key) };
      });
      prepared.set(key, known);
    }
    const result = coerceJson(valueOf(message), known.plain);
    const [finding] = known.schema.validate(result);
    if (finding) throw new Fault({ code: synapseCodes.mediation, message: finding.message, detail: finding.path });
    message.payload.setJson(stringifyJson(result));
    return CONTINUE;
  };

  // The engine is large, and few artifacts need it: it is loaded with the first message.
  return (message) => {
    if (engine) return run(message, engine);
    return import('#json/schema').then((loaded) => {
      engine = loaded;
      return run(message, loaded);
    });
  };
}

function schemaText(message: Message, key: string): string {
  const { environment } = message.exchange;
  const entry = environment.localEntry(key) ?? environment.resource(key);
  if (typeof entry === 'string') return entry;
  const text =
    entry instanceof XmlElement
      ? 'Can not find valid JSON Schema content'
      : `Schema does not exist in the specified location : ${key}`;
  throw new Fault({ code: synapseCodes.mediation, message: text });
}

function valueOf({ payload }: Message): JsonValue {
  return payload.jsonValue() ?? new Map<string, JsonValue>();
}

function failing<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Fault({ code: synapseCodes.mediation, message: messageOf(error), cause: error });
  }
}

function isTrue(text: string): boolean {
  return text.trim().toLowerCase() === 'true';
}
