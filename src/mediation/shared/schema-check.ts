import { MillraceError, messageOf, synapseCodes } from '#errors';
import { parseJson, type JsonValue } from '#json';
import type { JsonSchema } from '#json/schema';
import type { Message } from '#message';
import { serializeXml, XmlElement } from '#xml';
import type { XmlSchema } from '#xml/schema';
import type { CompileContext } from '../context.ts';
import { Fault } from '../fault.ts';
import type { ExpressionSource, ValueSource } from '../reading.ts';
import { sourceElement } from './replace-source.ts';
import { resourceResolver, type FoundResource, type ResourceMapping } from './resource-mapping.ts';
import {
  defineSchema,
  inlineSize,
  referenceKey,
  validateInWorker,
  type SchemaDefinition,
  type SchemaViolation,
} from './schema-worker-pool.ts';

/** What is wrong with a message: texts for `ERROR_MESSAGE` and `ERROR_DETAIL`. */
export interface Violation {
  readonly message: string;
  readonly detail: string;
}

/** Puts a violation on the message, as `on-fail` and fault sequences read it (mediators 6.4). */
export function describeViolation(message: Message, violation: Violation): void {
  const { properties } = message;
  properties.set('ERROR_CODE', synapseCodes.mediation);
  properties.set('ERROR_MESSAGE', violation.message);
  properties.set('ERROR_DETAIL', violation.detail);
  properties.set('ERROR_EXCEPTION', new MillraceError({ code: 'MR_INVALID_MESSAGE', ...violation }));
}

/** Runs a compile step and turns what is wrong with a schema into a fault of the message. */
export function compiling<T>(compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    throw new Fault({ code: synapseCodes.mediation, message: messageOf(error), cause: error });
  }
}

/** The JSON in a text that an expression gave; a text that is no JSON is a JSON string. */
export function jsonOfText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    // An expression that selects a string gives it without its quotes.
    return text;
  }
}

interface Texts {
  readonly keys: readonly string[];
  readonly texts: readonly string[];
}

/** Says what is wrong with a message, undefined when it is valid. */
export type Check = (message: Message) => Violation | undefined | Promise<Violation | undefined>;

/** What a validation needs to know. */
export interface SchemaCheckOptions {
  readonly schemas: readonly ValueSource[];
  readonly source: ExpressionSource | undefined;
  readonly cacheSchema: boolean;
  readonly jsonSource: boolean;
  readonly resources: readonly ResourceMapping[];
}

/** Decides between JSON and XML for each message, as the original does: by the payload and by what the schema is. */
export function compileSchemaCheck(definition: SchemaCheckOptions, context: CompileContext): Check {
  const { schemas, jsonSource, source } = definition;
  const checkJson = compileJsonCheck(definition, context);
  const checkXml = compileXmlCheck(definition, context);
  const isJsonExpression = source !== undefined && source.expression.language !== 'xpath';
  return (message) => {
    const keys = schemas.map(({ value }) => value.evaluate(message) ?? '');
    const texts = keys.map((key) => textOf(message, key));
    const isJson = jsonSource || isJsonExpression || (message.hasJson() && !texts.some(isMarkup));
    return isJson ? checkJson(message, { keys, texts }) : checkXml(message, { keys, texts });
  };
}

function textOf(message: Message, key: string): string {
  const entry = message.exchange.environment.localEntry(key);
  if (entry instanceof XmlElement) return markupOf(entry);
  const text = entry ?? message.exchange.environment.resource(key);
  if (text !== undefined) return text;
  throw new Fault({ code: synapseCodes.mediation, message: `Can not load schema from registry with key : ${key}` });
}

const markups = new WeakMap<XmlElement, string>();

/** Local entries do not change, so their text is made once. */
function markupOf(element: XmlElement): string {
  let text = markups.get(element);
  if (text === undefined) {
    text = serializeXml(element);
    markups.set(element, text);
  }
  return text;
}

function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/** Keeps what `make` compiled as long as the texts stay the same; with `keeps` false only for one message. */
function createKeeper<T>(make: (texts: Texts) => T, keeps: boolean, drop: (made: T) => void): (texts: Texts) => T {
  let before: { readonly texts: Texts; readonly made: T } | undefined;
  return (texts) => {
    const same = (left: readonly string[], right: readonly string[]): boolean =>
      left.length === right.length && left.every((text, index) => text === right[index]);
    if (keeps && before && same(before.texts.keys, texts.keys) && same(before.texts.texts, texts.texts)) {
      return before.made;
    }
    const made = compiling(() => make(texts));
    if (before) drop(before.made);
    before = { texts, made };
    return made;
  };
}

type SchemaCheck = (message: Message, texts: Texts) => Violation | undefined | Promise<Violation | undefined>;

/** A compiled schema, and the same as a worker takes it. */
interface Compiled<T> {
  readonly schema: T;
  readonly definition: SchemaDefinition;
}

/** Compiles by `make`, noting what the schema refers to. */
function compileNoting<T>(
  language: SchemaDefinition['language'],
  sources: readonly FoundResource[],
  { resolve, make }: { resolve: Resolve; make: (resolve: Resolve) => T },
): Compiled<T> {
  const references = new Map<string, FoundResource>();
  const schema = make((location, importer) => {
    const found = resolve(location, importer);
    if (found) references.set(referenceKey(location, importer), found);
    return found;
  });
  return { schema, definition: defineSchema({ language, sources, references: [...references] }) };
}

type Resolve = ReturnType<typeof resourceResolver>;

/** Of several JSON Schemas only the last one counts; an empty payload is checked as `{}` (mediators 6.4). */
function compileJsonCheck(
  { source, resources, cacheSchema }: SchemaCheckOptions,
  { library }: CompileContext,
): SchemaCheck {
  const resolve = resourceResolver(library, resources);
  let schemaOf: ((texts: Texts) => Compiled<JsonSchema>) | undefined;
  const run: Run<JsonSchema> = (message, texts, find) => {
    const { schema, definition } = find(texts);
    const text = largeJson(message, source);
    if (text === undefined) return jsonViolation(schema.validate(jsonSourceOf(message, source)));
    return validateInWorker({ schema: definition, text }).then(jsonViolation);
  };
  return (message, texts) => {
    if (schemaOf) return run(message, texts, schemaOf);
    return import('#json/schema').then(({ compileJsonSchema }) => {
      const make = ({ keys, texts: all }: Texts): Compiled<JsonSchema> => {
        const last = { key: keys.at(-1) ?? '', text: all.at(-1) ?? '' };
        return compileNoting('json', [last], { resolve, make: (noting) => compileJsonSchema(last, noting) });
      };
      schemaOf ??= createKeeper(make, cacheSchema, () => undefined);
      return run(message, texts, schemaOf);
    });
  };
}

type Run<T> = (message: Message, texts: Texts, find: (texts: Texts) => Compiled<T>) => ReturnType<SchemaCheck>;

function jsonViolation(findings: readonly SchemaViolation[]): Violation | undefined {
  const [first] = findings;
  if (!first) return undefined;
  const report = findings.map(({ message, path }) => `error: ${message}\n    instance: {"pointer":"${path ?? ''}"}`);
  return { message: first.message, detail: `Error while validating Json message ${report.join('\n')}` };
}

/** The JSON text of a payload that is too large to be validated here. */
function largeJson(message: Message, source: ExpressionSource | undefined): string | undefined {
  if (source && source.expression.language !== 'xpath') return undefined;
  const text = message.jsonText();
  return text !== undefined && text.length > inlineSize ? text : undefined;
}

function jsonSourceOf(message: Message, source: ExpressionSource | undefined): JsonValue {
  if (!source || source.expression.language === 'xpath') return message.json() ?? new Map();
  const text = source.expression.evaluateString(message);
  return text === undefined || text === '' ? new Map() : jsonOfText(text);
}

/** All schemas together are one grammar. */
function compileXmlCheck(
  { source, resources, cacheSchema }: SchemaCheckOptions,
  { library }: CompileContext,
): SchemaCheck {
  const resolve = resourceResolver(library, resources);
  let schemaOf: ((texts: Texts) => Compiled<XmlSchema>) | undefined;
  const run: Run<XmlSchema> = (message, texts, find) => {
    const element = sourceElement(message, source?.expression);
    if (!element) {
      throw new Fault({ code: synapseCodes.mediation, message: 'There is no element to validate in the message' });
    }
    const { schema, definition } = find(texts);
    const text = serializeXml(element);
    if (text.length <= inlineSize) return xmlViolation(schema.validate(text));
    return validateInWorker({ schema: definition, text }).then(xmlViolation);
  };
  return (message, texts) => {
    if (schemaOf) return run(message, texts, schemaOf);
    return import('#xml/schema').then(({ compileXmlSchema }) => {
      const make = ({ keys, texts: all }: Texts): Compiled<XmlSchema> => {
        const sources = keys.map((key, index) => ({ key, text: all[index] ?? '' }));
        return compileNoting('xsd', sources, { resolve, make: (noting) => compileXmlSchema(sources, noting) });
      };
      schemaOf ??= createKeeper(make, cacheSchema, ({ schema }) => schema[Symbol.dispose]());
      return run(message, texts, schemaOf);
    });
  };
}

function xmlViolation(findings: readonly SchemaViolation[]): Violation | undefined {
  if (findings.length === 0) return undefined;
  const lines = findings.map(({ message, path }) => (path === undefined ? message : `${message} at ${path}`));
  return { message: findings.map(({ message }) => message).join('\n'), detail: lines.join('\n') };
}
