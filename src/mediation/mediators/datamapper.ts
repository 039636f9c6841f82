import { messageOf, synapseCodes } from '#errors';
import { textOf, type PropertyScope } from '#expression';
import { isTextWrapper, setProperty, type Message } from '#message';
import { deepText } from '#xml';
import { libraryOf, type CompileContext, type ParseContext } from '../context.ts';
import { csvToValue, valueToCsv } from '../datamapper/csv.ts';
import { mappingProgram, type MappingProgram } from '../datamapper/program.ts';
import { readSchema, type MappingSchema } from '../datamapper/schema.ts';
import { elementToValue, valueToElement } from '../datamapper/xml.ts';
import { Fault } from '../fault.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';
import { placeIn } from '../script/engine.ts';
import { unpack, type ScriptHost } from '../script/host.ts';
import { createScriptPool, type ScriptPool } from '../script/pool.ts';
import type { Carried } from '../script/protocol.ts';
import { defaultScriptSettings } from '../script/settings.ts';
import { checkScript, describeProblem } from '../script/source.ts';
import { resourceText } from '../shared/resource-cache.ts';
import { compileStylesheetOf } from './xslt.ts';
import type { SourceNode } from '#xml';

const forms = ['XML', 'JSON', 'CSV'] as const;
type Form = (typeof forms)[number];

interface Definition {
  readonly config: ValueSource | undefined;
  readonly inputSchema: ValueSource | undefined;
  readonly outputSchema: ValueSource | undefined;
  readonly inputType: Form | undefined;
  readonly outputType: Form | undefined;
  readonly stylesheet: ValueSource | undefined;
  readonly target: string | undefined;
  readonly variable: string | undefined;
}

const keys = ['config', 'inputSchema', 'outputSchema', 'xsltStyleSheet'] as const;

/** What the message says about a result of each form (mediators 4.7). */
const contentTypes: Readonly<Record<Form, string>> = {
  XML: 'application/xml',
  JSON: 'application/json',
  CSV: 'text/plain',
};

/** `<datamapper>`: a generated script maps the payload from one schema to another (mediators 4.7). */
export const datamapper = defineMediator<Definition>({
  element: 'datamapper',
  attributes: [...keys, 'inputType', 'outputType', 'target', 'variable'],
  children: [],
  needsBody: () => true,
  parse(node, context) {
    const isSchemaFree = node.attribute('target') !== undefined || node.attribute('variable') !== undefined;
    for (const name of isSchemaFree ? (['config'] as const) : (['config', 'inputSchema', 'outputSchema'] as const)) {
      node.required(name);
    }
    const form = (name: string): Form | undefined => {
      const value = node.attribute(name);
      return value === undefined ? undefined : node.choice(name, forms, 'JSON');
    };
    return {
      config: readKey(node, 'config', context),
      inputSchema: readKey(node, 'inputSchema', context),
      outputSchema: readKey(node, 'outputSchema', context),
      inputType: form('inputType'),
      outputType: form('outputType'),
      stylesheet: readKey(node, 'xsltStyleSheet', context),
      target: node.attribute('target'),
      variable: node.attribute('variable'),
    };
  },
  serialize: ({ config, inputSchema, outputSchema, inputType, outputType, stylesheet, target, variable }) =>
    declareNamespaces(
      synapseElement('datamapper', {
        config: config?.text,
        inputSchema: inputSchema?.text,
        outputSchema: outputSchema?.text,
        inputType,
        outputType,
        xsltStyleSheet: stylesheet?.text,
        target,
        variable,
      }),
      [config, inputSchema, outputSchema, stylesheet],
    ),
  compile: compileMapping,
});

function readKey(node: SourceNode, name: (typeof keys)[number], context: ParseContext): ValueSource | undefined {
  const key = readValue(node, name);
  // A stylesheet is only looked for where it is used; projects name one that they do not have.
  if (key?.value.literal !== undefined && name !== 'xsltStyleSheet') {
    context.refer({ kind: 'resource', key: key.value.literal, node, attribute: name });
  }
  return key;
}

/** One mapping made ready: its schemas, its script and the isolates that run it. */
interface Mapping {
  readonly input: MappingSchema;
  readonly output: MappingSchema;
  readonly script: MappingProgram;
  readonly pool: ScriptPool;
}

function compileMapping(definition: Definition, context: CompileContext): Compiled {
  const { services, library } = context;
  const settings = services.settings.scripts ?? defaultScriptSettings;
  const known = new Map<string, { readonly texts: readonly string[]; readonly mapping: Mapping }>();
  library.lifecycle.add({
    id: context.id,
    stop() {
      for (const { mapping } of known.values()) mapping.pool.dispose();
      known.clear();
    },
  });

  const mappingFor = (message: Message): Mapping => {
    const sources = [definition.config, definition.inputSchema, definition.outputSchema].map((source) => {
      const key = source?.value.evaluate(message) ?? '';
      return { key, text: key === '' ? '{}' : resourceText(message, key) };
    });
    const name = sources.map(({ key }) => key).join('\n');
    const before = known.get(name);
    if (before && sources.every(({ text }, index) => text === before.texts[index])) return before.mapping;
    before?.mapping.pool.dispose();
    const [config, input, output] = sources as [Source, Source, Source];
    const mapping = openMapping(config, readSchema(input.key, input.text), readSchema(output.key, output.text));
    known.set(name, { texts: sources.map(({ text }) => text), mapping });
    return mapping;
  };
  const openMapping = (config: Source, input: MappingSchema, output: MappingSchema): Mapping => {
    const problem = checkScript({ text: config.text, position: { file: config.key, line: 1, column: 1 } });
    if (problem) throw failure(describeProblem(problem));
    const script = mappingProgram(config, { input: input.title ?? 'root', output: output.title ?? 'root' });
    return { input, output, script, pool: createScriptPool(script.program, settings, services.clock) };
  };

  const withStylesheet = definition.stylesheet && compileStylesheetOf(definition.stylesheet, context);
  const { log } = services;
  return async (message) => {
    if (withStylesheet && definition.inputType === 'XML' && definition.outputType === 'XML') {
      return withStylesheet(message);
    }
    const mapping = mappingFor(message);
    const { input, output, script, pool } = mapping;
    const isSchemaFree = definition.target !== undefined || definition.variable !== undefined;
    const inputType = definition.inputType ?? formOf(input.inputType, isSchemaFree, 'inputType');
    const outputType = definition.outputType ?? formOf(output.outputType, isSchemaFree, 'outputType');
    const host: ScriptHost = { message, library: libraryOf(message), log, at: context.id };
    const args: Carried[] = [inputOf(message, inputType, input), propertiesFor(message, script)];
    const result = await pool.run(host, args).catch((error: unknown) => {
      throw failure(messageOf(error));
    });
    if (result.failure) {
      const { text, stack } = result.failure;
      throw failure(`${text}${placeIn(stack, script.program)}`);
    }
    const value = result.value ?? null;
    if (definition.target === 'variable' || (definition.target === undefined && definition.variable !== undefined)) {
      message.variables.set(definition.variable ?? '', unpack(value));
    } else writeResult(message, { form: outputType, schema: output, value });
    return CONTINUE;
  };
}

interface Source {
  readonly key: string;
  readonly text: string;
}

function failure(text: string): Fault {
  return new Fault({ code: synapseCodes.mediation, message: `DataMapper mediator mapping failed: ${text}` });
}

function formOf(text: string | undefined, isSchemaFree: boolean, attribute: string): Form {
  const found = forms.find((form) => form === text?.toUpperCase());
  if (found) return found;
  if (isSchemaFree) return 'JSON';
  throw failure(`neither the mediator nor its schema says "${attribute}"; expected one of ${forms.join(', ')}`);
}

/** The payload as the script gets it. */
function inputOf(message: Message, form: Form, schema: MappingSchema): Carried {
  if (form === 'JSON') return { form: 'json', text: message.payload.toJsonText() ?? 'null' };
  const content = message.payload.content();
  const value =
    form === 'CSV'
      ? csvToValue(isTextWrapper(content) ? deepText(content) : '', schema)
      : content && elementToValue(content, schema);
  return { form: 'json', text: JSON.stringify(value ?? null) };
}

const scopeNames: Readonly<Record<string, PropertyScope>> = {
  DEFAULT: 'default',
  SYNAPSE: 'default',
  AXIS2: 'axis2',
  AXIS2_CLIENT: 'axis2-client',
  TRANSPORT: 'transport',
  OPERATION: 'operation',
  FUNCTION: 'func',
  FUNC: 'func',
};

function propertiesFor(message: Message, { properties }: MappingProgram): Carried {
  const values: Record<string, Record<string, string>> = {};
  for (const { scope, name } of properties) {
    const known = scopeNames[scope.toUpperCase()];
    const value = known && message.property(known, name);
    const ofScope = (values[scope] ??= {});
    if (value !== undefined && value !== null) ofScope[name] = textOf(value);
  }
  return { form: 'json', text: JSON.stringify(values) };
}

function writeResult(
  message: Message,
  { form, schema, value }: { readonly form: Form; readonly schema: MappingSchema; readonly value: Carried },
): void {
  message.axis2.delete('NO_ENTITY_BODY');
  setProperty(message, { scope: 'axis2', name: 'messageType' }, contentTypes[form]);
  const isJson = typeof value === 'object' && value !== null && value.form === 'json';
  const text = isJson ? value.text : JSON.stringify(value);
  if (form === 'JSON') message.payload.setJson(text);
  else if (form === 'CSV') message.payload.setText(valueToCsv(JSON.parse(text), schema));
  else message.payload.setContent([valueToElement(JSON.parse(text), schema)]);
}
