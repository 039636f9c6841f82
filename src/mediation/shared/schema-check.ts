import { MillraceError, messageOf, synapseCodes } from '#errors';
import { parseJson, type JsonValue } from '#json';
import type { JsonSchema } from '#json/schema';
import type { Message } from '#message';
import { serializeXml, XmlElement } from '#xml';
import type { XmlSchema } from '#xml/schema';
import type { CompileContext, Library } from '../context.ts';
import { Fault } from '../fault.ts';
import type { ExpressionSource, ValueSource } from '../reading.ts';
import { sourceElement } from './replace-source.ts';
import { resourceResolver, type ResourceMapping } from './resource-mapping.ts';

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
    const texts = keys.map((key) => textOf(context.library, message, key));
    const isJson = jsonSource || isJsonExpression || (message.hasJson() && !texts.some(isMarkup));
    return isJson ? checkJson(message, { keys, texts }) : checkXml(message, { keys, texts });
  };
}

function textOf(library: Library, message: Message, key: string): string {
  const entry = message.exchange.environment.localEntry(key);
  if (entry instanceof XmlElement) return markupOf(entry);
  const text = entry ?? library.resource(key);
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

/** Of several JSON Schemas only the last one counts; an empty payload is checked as `{}` (mediators 6.4). */
function compileJsonCheck(
  { source, resources, cacheSchema }: SchemaCheckOptions,
  { library }: CompileContext,
): SchemaCheck {
  const resolve = resourceResolver(library, resources);
  let schemaOf: ((texts: Texts) => JsonSchema) | undefined;
  const run = (message: Message, texts: Texts, find: (texts: Texts) => JsonSchema): Violation | undefined => {
    const schema = find(texts);
    const findings = schema.validate(jsonSourceOf(message, source));
    const [first] = findings;
    if (!first) return undefined;
    const report = findings.map(({ message: text, path }) => `error: ${text}\n    instance: {"pointer":"${path}"}`);
    return { message: first.message, detail: `Error while validating Json message ${report.join('\n')}` };
  };
  return (message, texts) => {
    if (schemaOf) return run(message, texts, schemaOf);
    return import('#json/schema').then(({ compileJsonSchema }) => {
      const make = ({ keys, texts: all }: Texts): JsonSchema =>
        compileJsonSchema({ key: keys.at(-1) ?? '', text: all.at(-1) ?? '' }, resolve);
      schemaOf ??= createKeeper(make, cacheSchema, () => undefined);
      return run(message, texts, schemaOf);
    });
  };
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
  let schemaOf: ((texts: Texts) => XmlSchema) | undefined;
  const run = (message: Message, texts: Texts, find: (texts: Texts) => XmlSchema): Violation | undefined => {
    const element = sourceElement(message, source?.expression);
    if (!element) {
      throw new Fault({ code: synapseCodes.mediation, message: 'There is no element to validate in the message' });
    }
    const findings = find(texts).validate(serializeXml(element));
    if (findings.length === 0) return undefined;
    const lines = findings.map(({ message: text, path }) => (path === undefined ? text : `${text} at ${path}`));
    return { message: findings.map(({ message: text }) => text).join('\n'), detail: lines.join('\n') };
  };
  return (message, texts) => {
    if (schemaOf) return run(message, texts, schemaOf);
    return import('#xml/schema').then(({ compileXmlSchema }) => {
      const make = ({ keys, texts: all }: Texts): XmlSchema =>
        compileXmlSchema(
          keys.map((key, index) => ({ key, text: all[index] ?? '' })),
          resolve,
        );
      schemaOf ??= createKeeper(make, cacheSchema, (schema) => schema[Symbol.dispose]());
      return run(message, texts, schemaOf);
    });
  };
}
