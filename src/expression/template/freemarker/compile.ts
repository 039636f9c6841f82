import { Cursor } from './cursor.ts';
import { defaultLimits, Environment, type Limits } from './environment.ts';
import { TemplateFailure } from './errors.ts';
import { runAll, type Element } from './element.ts';
import { readHeader } from './header.ts';
import { TemplateReader } from './reader.ts';
import { stripWhitespace } from './whitespace.ts';
import type { Hash } from './values.ts';

/** What a template is run with. */
export interface TemplateModel {
  readonly root: Hash;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly timeZone: string;
  readonly limits?: Limits;
}

/** A compiled template: gives its output for a model. */
export type Template = (model: TemplateModel) => string;

/**
 * Compiles a FreeMarker template.
 *
 * @throws TemplateSyntaxError with line and column; when it is run, TemplateFailure
 */
export function compileTemplate(text: string): Template {
  const cursor = new Cursor(text);
  const opening = /^\s*\[#ftl[\s/\]]/.test(text) ? '[' : '<';
  const reader = new TemplateReader(cursor, opening);
  const header = readHeader(reader);
  const start = cursor.at;
  const elements = reader.content();
  if (!cursor.ended) failAtStray(reader);
  const kept = header.stripsText ? elements.filter(({ kind }) => kind !== 'text') : elements;
  const root: Element = reader.block(start, kept);
  stripWhitespace(root, header.stripsWhitespace);
  const { macros } = reader;
  return ({ root: model, now, timeZone, limits = defaultLimits }) => {
    const environment = new Environment({ root: model, now, timeZone, limits, namespaces: header.namespaces });
    for (const macro of macros) environment.variables.set(macro.name, macro);
    try {
      runAll(root.children, environment);
    } catch (error) {
      // Directives and calls within each other can use up the stack before they reach their own limits.
      if (!(error instanceof RangeError)) throw error;
      throw new TemplateFailure('limit', 'The template is nested too deeply', { ...cursor.place(start), source: '' });
    }
    return environment.out;
  };
}

/** A closing or dividing tag stands where nothing is open. */
function failAtStray({ cursor }: TemplateReader): never {
  const [tag = ''] = /^[<[]\/?[#@]?[^\s>\]]*/.exec(cursor.text.slice(cursor.at, cursor.at + 60)) ?? [];
  return cursor.fail(
    `"${tag}${cursor.text.charAt(cursor.at) === '[' ? ']' : '>'}" stands where nothing of its kind is open`,
  );
}
