import { outputFormats, type OutputFormat } from '../output-format.ts';
import { runAll, type Element } from '../element.ts';
import type { Cursor } from '../cursor.ts';
import type { Expression } from '../expression.ts';
import type { Tag, TemplateReader } from '../reader.ts';

/** `<#escape name as expression>`: every `${…}` within is put through the expression. */
export function readEscape(reader: TemplateReader, tag: Tag): Element {
  const cursor: Cursor = reader.cursor;
  const { format, isEscaping } = reader.surroundings.output;
  if (format.escape && isEscaping)
    cursor.fail(`<#escape> would escape twice in the output format ${format.name}`, tag.start);
  const name = cursor.blanks().identifier();
  if (name === undefined) cursor.failExpected('the name of a variable');
  cursor.expect('as');
  const at = cursor.blanks().at;
  reader.expression();
  reader.closeTag();
  const escapes = [{ name, at }, ...reader.surroundings.escapes];
  return readBlock(reader, tag, () => reader.within({ escapes }, () => reader.content()));
}

/** `<#noescape>`: without the innermost `<#escape>`. */
export function readNoEscape(reader: TemplateReader, tag: Tag): Element {
  const { escapes } = reader.surroundings;
  if (escapes.length === 0) reader.cursor.fail('<#noescape> is not within <#escape>', tag.start);
  reader.closeTag();
  return readBlock(reader, tag, () => reader.within({ escapes: escapes.slice(1) }, () => reader.content()));
}

/** `<#autoesc>` and `<#noautoesc>`. */
export function readAutoEscape(reader: TemplateReader, tag: Tag): Element {
  const { output } = reader.surroundings;
  const isEscaping = tag.name === 'autoesc';
  if (isEscaping && !output.format.escape) {
    reader.cursor.fail(`The output format ${output.format.name} has no escaping`, tag.start);
  }
  reader.closeTag();
  const inner = { output: { ...output, isEscaping } };
  return readBlock(reader, tag, () => reader.within(inner, () => reader.content()));
}

/** `<#outputformat "HTML">`. */
export function readOutputFormat(reader: TemplateReader, tag: Tag): Element {
  const start = reader.cursor.blanks().at;
  const format = formatOf(reader, reader.expression(), start);
  reader.closeTag();
  const inner = { output: { format, isEscaping: true } };
  return readBlock(reader, tag, () => reader.within(inner, () => reader.content()));
}

/** The format that a constant names. */
export function formatOf(reader: TemplateReader, expression: Expression, start: number): OutputFormat {
  const cursor: Cursor = reader.cursor;
  const name = constantText(expression) ?? cursor.fail('The name of an output format must be a plain string', start);
  const format = outputFormats.get(name);
  if (!format)
    cursor.fail(`There is no output format "${name}"; known are ${[...outputFormats.keys()].join(', ')}`, start);
  return format;
}

/** The text of a literal, or undefined. */
export function constantText(expression: Expression): string | undefined {
  return expression.form === 'literal' && /^["'r]/.test(expression.source) ? literalText(expression.source) : undefined;
}

function literalText(source: string): string {
  return source.startsWith('r') ? source.slice(2, -1) : source.slice(1, -1);
}

/** `<#compress>`: blanks become one blank, or one line end where there was one; none at both ends. */
export function readCompress(reader: TemplateReader, tag: Tag): Element {
  reader.closeTag();
  const blamed = { ...reader.cursor.place(tag.start), source: '<#compress>' };
  const children = reader.content();
  reader.end(tag);
  return reader.block(tag.start, children, (environment) => {
    const { text, signal } = environment.capture(() => runAll(children, environment));
    environment.write(text.trim().replaceAll(/\s+/g, lineEndOrBlank), blamed);
    return signal;
  });
}

function lineEndOrBlank(blanks: string): string {
  return /\r\n|\n|\r/.exec(blanks)?.[0] ?? ' ';
}

/** `<#noparse>`: everything up to its end as it is. */
export function readNoParse(reader: TemplateReader, tag: Tag): Element {
  const cursor: Cursor = reader.cursor;
  reader.closeTag();
  const start = cursor.at;
  const end = cursor.match(reader.opening === '<' ? /[^]*?(?=<\/#noparse\s*>)/iy : /[^]*?(?=\[\/#noparse\s*\])/iy);
  if (!end) cursor.fail('<#noparse> is not closed', tag.start);
  reader.end(tag);
  return { ...reader.text(tag.start, cursor.text.slice(start, start + end[0].length)), kind: 'text' };
}

/** `<#t>`, `<#lt>`, `<#rt>` and `<#nt>`: they only matter for the white space around them. */
export function readTrim(reader: TemplateReader, { name, start }: Tag): Element {
  reader.closeTag();
  const trim = { left: name === 't' || name === 'lt', right: name === 't' || name === 'rt' };
  return { ...reader.element(start, { kind: 'trim', run: () => undefined }), trim };
}

function readBlock(reader: TemplateReader, tag: Tag, read: () => Element[]): Element {
  const children = read();
  reader.end(tag);
  return reader.block(tag.start, children);
}
