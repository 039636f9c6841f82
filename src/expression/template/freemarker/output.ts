import { required, textOrMarkup, wrongType } from './convert.ts';
import { Markup, type OutputFormat } from './output-format.ts';
import { readInterpolation } from './interpolation.ts';
import { readExpression } from './read-expression.ts';
import type { Element } from './element.ts';
import type { OutputContext } from './environment.ts';
import type { Blamed } from './errors.ts';
import type { TemplateReader } from './reader.ts';

/** Reads an interpolation of the template's text, with the escapes that hold there. */
export function readOutput(reader: TemplateReader): Element {
  const { cursor, context } = reader;
  const start = cursor.at;
  const isNumeric = cursor.peek('#{');
  const { output, escapes } = reader.surroundings;
  let shown = readInterpolation(cursor, context);
  if (!isNumeric && escapes.length > 0) {
    const end = cursor.at;
    for (const { name, at } of escapes) {
      cursor.at = at;
      cursor.nesting = 1;
      shown = readExpression(cursor, { ...context, substitutions: new Map([[name, shown]]) });
    }
    cursor.at = end;
    cursor.nesting = 0;
  }
  return reader.element(start, {
    kind: 'interpolation',
    run(environment) {
      const value = textOrMarkup(environment, required(environment, shown), shown);
      environment.write(shownText(value, output, shown), shown);
      return undefined;
    },
  });
}

/** The text that goes out: escaped unless it is markup of the format already. */
export function shownText(value: string | Markup, { format, isEscaping }: OutputContext, blamed: Blamed): string {
  if (typeof value === 'string') return isEscaping && format.escape ? format.escape(value) : value;
  if (value.format.name === format.name || !isRestricted(format)) return value.text;
  throw wrongType(`text or ${format.name} markup`, value, blamed);
}

function isRestricted(format: OutputFormat): boolean {
  return format.name !== 'undefined';
}
