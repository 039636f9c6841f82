import { textOrMarkup, wrongType } from './convert.ts';
import type { Markup, OutputFormat } from './output-format.ts';
import { readInterpolated, shown } from './interpolation.ts';
import { readExpression } from './read-expression.ts';
import type { Element } from './element.ts';
import type { OutputContext } from './environment.ts';
import type { Blamed } from './errors.ts';
import type { TemplateReader } from './reader.ts';

/** Reads an interpolation of the template's text, with the escapes that hold there. */
export function readOutput(reader: TemplateReader): Element {
  const { cursor, context } = reader;
  const start = cursor.at;
  const { output, escapes } = reader.surroundings;
  const { value: written, pattern } = readInterpolated(cursor, context);
  let value = written;
  if (pattern === undefined && escapes.length > 0) {
    const end = cursor.at;
    for (const { name, at } of escapes) {
      cursor.at = at;
      cursor.closer = reader.closing;
      value = readExpression(cursor, { ...context, substitutions: new Map([[name, value]]) });
    }
    cursor.at = end;
    cursor.closer = undefined;
  }
  const interpolated = shown({ value, pattern });
  return reader.element(start, {
    kind: 'interpolation',
    run(environment) {
      const text = textOrMarkup(environment, interpolated.evaluate(environment), interpolated);
      environment.write(shownText(text, output, interpolated), interpolated);
      return undefined;
    },
  });
}

/** The text that goes out: escaped unless it is markup of the format already. */
function shownText(value: string | Markup, { format, isEscaping }: OutputContext, blamed: Blamed): string {
  if (typeof value === 'string') return isEscaping && format.escape ? format.escape(value) : value;
  if (value.format.name === format.name || !isRestricted(format)) return value.text;
  throw wrongType(`text or ${format.name} markup`, value, blamed);
}

function isRestricted(format: OutputFormat): boolean {
  return format.name !== 'undefined';
}
