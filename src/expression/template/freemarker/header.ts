import { booleanOf, textOf } from './convert.ts';
import { Environment, defaultLimits, type OutputContext } from './environment.ts';
import { constantText, formatOf } from './directives/output.ts';
import { isHash } from './values.ts';
import type { Expression } from './expression.ts';
import type { TemplateReader } from './reader.ts';

/** What `<#ftl …>` says of the template. */
export interface Header {
  readonly stripsWhitespace: boolean;
  readonly stripsText: boolean;
  readonly namespaces: ReadonlyMap<string, string>;
}

/** Reads the header if there is one; it must be the first thing in the template. */
export function readHeader(reader: TemplateReader): Header {
  const { cursor } = reader;
  const start = cursor.at;
  cursor.match(/\s+/y);
  const tag = cursor.match(reader.opening === '<' ? /<#ftl(?=[\s/>])/y : /\[#ftl(?=[\s/\]])/y);
  if (!tag) {
    cursor.at = start;
    return { stripsWhitespace: true, stripsText: false, namespaces: new Map() };
  }
  cursor.closer = reader.closing;
  const header = { stripsWhitespace: true, stripsText: false, namespaces: new Map<string, string>() };
  let { output } = reader.surroundings;
  while (!/[>\]/]/.test(cursor.blanks().text.charAt(cursor.at)) && !cursor.ended) {
    const nameStart = cursor.at;
    const name = cursor.identifier();
    if (name === undefined) cursor.failExpected('the name of a header parameter');
    cursor.expect('=');
    const at = cursor.blanks().at;
    const value = reader.expression();
    if (name === 'strip_whitespace') header.stripsWhitespace = constantFlag(value);
    else if (name === 'strip_text') header.stripsText = constantFlag(value);
    else if (name === 'ns_prefixes') header.namespaces = prefixes(value);
    else if (name === 'output_format') output = { ...output, format: formatOf(reader, value, at) };
    else if (name === 'auto_esc') output = escaping(reader, output, { value, at });
    else if (name !== 'encoding' && name !== 'attributes')
      cursor.fail(`There is no header parameter "${name}"`, nameStart);
    if (name === 'encoding' && constantText(value) === undefined)
      cursor.fail('The encoding must be a plain string', at);
  }
  reader.closeTag();
  cursor.match(/[^\S\r\n]*(?:\r\n|\n|\r)/y);
  reader.surroundings = { ...reader.surroundings, output };
  return header;
}

function escaping(
  reader: TemplateReader,
  output: OutputContext,
  { value, at }: { value: Expression; at: number },
): OutputContext {
  const isEscaping = constantFlag(value);
  if (isEscaping && !output.format.escape) {
    reader.cursor.fail(`The output format ${output.format.name} has no escaping`, at);
  }
  return { ...output, isEscaping };
}

function constantFlag(value: Expression): boolean {
  return booleanOf(value.evaluate(constants()), value);
}

function prefixes(value: Expression): Map<string, string> {
  const hash = value.evaluate(constants());
  const found = new Map<string, string>();
  if (!isHash(hash)) return found;
  for (const key of hash.keys()) {
    const uri = hash.get(key);
    found.set(key, textOf(constants(), { ...value, evaluate: () => uri }));
  }
  return found;
}

/** The header is evaluated before there is a message. */
function constants(): Environment {
  return new Environment({ root: new Map(), now: 0, timeZone: 'UTC', limits: defaultLimits, namespaces: new Map() });
}
