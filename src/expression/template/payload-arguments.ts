import type { MappingOptions } from '#json';
import { escapeText } from '#xml';
import { compileExpression } from '../compile.ts';
import { within } from '../error.ts';
import type { Expression } from '../expression.ts';
import type { Scope } from '../scope.ts';
import type { Namespaces } from '../xpath/index.ts';
import {
  classify,
  escapeJson,
  insertions,
  jsonToMarkup,
  looksLikeJson,
  nodesToJson,
  parseFragment,
  type Inserted,
  type PayloadMedia,
} from './payload-insertion.ts';

/** One `<arg>` of a payloadFactory. */
export interface PayloadArgument {
  /** Of `value="…"`; an argument without it has an expression. */
  readonly literalValue?: string;
  readonly expression?: Expression;
  readonly evaluator: 'xml' | 'json';
  /** Never take the value for JSON or XML. */
  readonly literal: boolean;
}

export interface PayloadTemplateOptions {
  readonly media: PayloadMedia;
  readonly args: readonly PayloadArgument[];
  /** In JSON, arguments by JSONPath get entities for `&`, `<` and `>`. */
  readonly escapeXmlChars?: boolean;
  readonly namespaces?: Namespaces;
  readonly mapping?: MappingOptions;
}

type Part = string | { readonly argument: number } | { readonly expression: number; readonly quoted: boolean };

const placeholder = /"\$\{(.+?)\}"|\$\{(.+?)\}|\$([0-9]+)/g;
const quoteProperty = 'QUOTE_STRING_IN_PAYLOAD_FACTORY_JSON';

/**
 * Compiles the template of a payloadFactory with its default engine (mediators 4.1): `$N`, `${…}` and `"${…}"` are
 * replaced in one pass, and what was put in is not looked at again.
 *
 * @throws ExpressionError with the offset within `format`
 */
export function compilePayloadTemplate(format: string, options: PayloadTemplateOptions): (scope: Scope) => string {
  const { parts, expressions, excess } = parseFormat(format, options);
  const render = renderer(options);
  return (scope) => {
    if (excess !== undefined) scope.warn('a payload template names an argument that does not exist', excess);
    const values = new Map<number, Inserted>();
    const args = new Map<number, string>();
    let text = '';
    for (const part of parts) {
      if (typeof part === 'string') text += part;
      else if ('argument' in part) text += once(args, part.argument, (index) => render.argument(scope, index));
      else {
        const value = once(values, part.expression, (index) => render.evaluate(scope, expressions[index]));
        text += insertions[options.media][part.quoted ? 'quoted' : 'bare'](value, options.mapping ?? {});
      }
    }
    return text;
  };
}

function once<T>(known: Map<number, T>, index: number, make: (index: number) => T): T {
  const value = known.get(index) ?? make(index);
  known.set(index, value);
  return value;
}

interface Format {
  readonly parts: readonly Part[];
  /** Each expression once, so that it is evaluated once per message. */
  readonly expressions: readonly Expression[];
  /** The placeholder at which substitution ends because there is no such argument. */
  readonly excess: string | undefined;
}

function parseFormat(format: string, { args, namespaces }: PayloadTemplateOptions): Format {
  const parts: Part[] = [];
  const expressions: Expression[] = [];
  let end = 0;
  for (const match of format.matchAll(placeholder)) {
    const [whole, quoted, bare, number] = match;
    if (number !== undefined && !args[Number(number) - 1]) {
      parts.push(format.slice(end));
      return { parts, expressions, excess: whole };
    }
    if (match.index > end) parts.push(format.slice(end, match.index));
    end = match.index + whole.length;
    if (number !== undefined) {
      parts.push({ argument: Number(number) - 1 });
      continue;
    }
    const text = `\${${quoted ?? bare ?? ''}}`;
    let index = expressions.findIndex(({ source }) => source === text);
    if (index < 0) {
      const shift = match.index + (quoted === undefined ? 0 : 1);
      index = expressions.push(within(shift, () => compileExpression(text, namespaces ? { namespaces } : {}))) - 1;
    }
    parts.push({ expression: index, quoted: quoted !== undefined });
  }
  if (end < format.length) parts.push(format.slice(end));
  return { parts, expressions, excess: undefined };
}

interface Renderer {
  readonly argument: (scope: Scope, index: number) => string;
  readonly evaluate: (scope: Scope, expression: Expression | undefined) => Inserted;
}

function renderer({ media, args, escapeXmlChars, mapping = {} }: PayloadTemplateOptions): Renderer {
  const insert = { json: insertIntoJson, xml: insertIntoXml, text: insertIntoText }[media];
  const fixed = args.map(({ literalValue }) => literalValue !== undefined && preparedLiteral(literalValue));
  return {
    argument: (scope, index) => {
      const argument = args[index];
      if (!argument) return '';
      const value = fixed[index] || (argument.expression?.evaluateString(scope) ?? '');
      const isJsonPath = argument.expression?.language === 'jsonpath' || argument.evaluator === 'json';
      return insert(value, { argument, isJsonPath, escapeXmlChars: escapeXmlChars ?? false, mapping, scope });
    },
    evaluate: (scope, expression) => {
      if (!expression?.source.includes('xpath(')) return classify(expression?.evaluateValue(scope));
      const text = expression.evaluateString(scope) ?? '';
      return { kind: parseFragment(text) ? 'xml' : 'text', text };
    },
  };
}

/** A fixed value is kept when it is XML and escaped for XML otherwise, whatever the media type (as in the original). */
function preparedLiteral(value: string): string {
  return parseFragment(value) ? value : escapeText(value);
}

interface ArgumentPlace {
  readonly argument: PayloadArgument;
  readonly isJsonPath: boolean;
  readonly escapeXmlChars: boolean;
  readonly mapping: MappingOptions;
  readonly scope: Scope;
}

function insertIntoJson(value: string, place: ArgumentPlace): string {
  const { argument, isJsonPath, mapping } = place;
  if (argument.literal) return escapeJson(value);
  if (!isJsonPath) {
    const nodes = parseFragment(value);
    if (nodes) return nodesToJson(nodes, mapping);
  }
  const text = isJsonPath && place.escapeXmlChars ? withEntities(value) : value;
  if (looksLikeJson(text)) return text;
  const property = place.scope.property('default', quoteProperty);
  const isQuoted = String(property) === 'true' && !isJsonLiteral(text);
  return isQuoted ? JSON.stringify(text) : escapeJson(text);
}

function insertIntoXml(value: string, { argument, isJsonPath, mapping }: ArgumentPlace): string {
  if (argument.literalValue !== undefined) return value;
  if (argument.literal) return escapeText(value);
  if (isJsonPath && looksLikeJson(value)) return jsonToMarkup(value, mapping);
  return parseFragment(value) ? value : escapeText(value);
}

function insertIntoText(value: string): string {
  return value;
}

function isJsonLiteral(text: string): boolean {
  return /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/.test(text);
}

function withEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
