import { nearestName } from '#errors';
import type { Cursor } from './cursor.ts';
import { directives } from './directives/index.ts';
import { readCallTag } from './directives/calls.ts';
import { plainOutput, type OutputContext, type Signal, type Environment } from './environment.ts';
import { runAll, type Element, type ElementKind } from './element.ts';
import { readOutput } from './output.ts';
import { readExpression, type ReadContext } from './read-expression.ts';
import type { Expression } from './expression.ts';
import type { Macro } from './macro.ts';
import type { Place } from './errors.ts';

/** An `<#escape name as …>` that holds for a part of the template. */
export interface Escape {
  readonly name: string;
  /** Where its expression stands. */
  readonly at: number;
}

/** What holds for the part of the template that is being read. */
export interface Surroundings {
  readonly output: OutputContext;
  readonly escapes: readonly Escape[];
  readonly inside: 'macro' | 'function' | undefined;
  readonly isBreakable: boolean;
  readonly isLoop: boolean;
  /** Names of the variables of the lists around. */
  readonly loopNames: ReadonlySet<string>;
  /** Of a list without a loop variable: whether its `<#items>` was there. */
  readonly items: { isThere: boolean } | undefined;
}

/** A tag whose name was read; the cursor stands behind the name. */
export interface Tag {
  readonly name: string;
  readonly start: number;
}

/** Tags that divide a block; they end what stands before them. */
const dividers: ReadonlySet<string> = new Set(['else', 'elseif', 'case', 'default', 'recover']);

/** Directives that exist but that the templates of messages cannot have. */
const refused: ReadonlyMap<string, string> = new Map([
  ['include', 'other templates cannot be included'],
  ['import', 'other templates cannot be imported'],
  ['visit', 'XML is not processed by visiting; use <#list>'],
  ['recurse', 'XML is not processed by visiting; use <#list>'],
  ['fallback', 'XML is not processed by visiting; use <#list>'],
  ['foreach', 'use <#list … as …>'],
  ['transform', 'use <@…>'],
  ['call', 'use <@…>'],
  ['comment', 'use <#-- … -->'],
]);

/** Reads the text of a template into elements. */
export class TemplateReader {
  readonly cursor: Cursor;
  readonly opening: '<' | '[';
  readonly closing: '>' | ']';
  readonly macros: Macro[] = [];
  surroundings: Surroundings = {
    output: plainOutput,
    escapes: [],
    inside: undefined,
    isBreakable: false,
    isLoop: false,
    loopNames: new Set(),
    items: undefined,
  };
  #depth = 0;

  constructor(cursor: Cursor, opening: '<' | '[') {
    this.cursor = cursor;
    this.opening = opening;
    this.closing = opening === '<' ? '>' : ']';
  }

  get context(): ReadContext {
    const { output, loopNames } = this.surroundings;
    return { output, loopNames };
  }

  /** Reads expressions within a tag. */
  expression(): Expression {
    return readExpression(this.cursor, this.context);
  }

  /** Reads a part for which other things hold. */
  within<T>(change: Partial<Surroundings>, read: () => T): T {
    const outer = this.surroundings;
    this.surroundings = { ...outer, ...change };
    try {
      return read();
    } finally {
      this.surroundings = outer;
    }
  }

  /** Reads the end of a tag; true when it was `/>`. */
  closeTag(): boolean {
    const { closing } = this;
    const cursor: Cursor = this.cursor;
    const isEmpty = cursor.blanks().match(/\/(?=[>\]])/y) !== undefined;
    if (!cursor.take(closing)) cursor.failExpected(`"${closing}"`);
    cursor.closer = undefined;
    return isEmpty;
  }

  /** Makes an element of what was read since `start`. */
  element(start: number, facts: { kind?: ElementKind; children?: Element[]; run: Element['run'] }): Element {
    return {
      kind: facts.kind ?? 'block',
      begin: this.cursor.place(start),
      endLine: this.cursor.place(Math.max(start, this.cursor.at - 1)).line,
      children: facts.children ?? [],
      parent: undefined,
      previous: undefined,
      next: undefined,
      text: '',
      run: facts.run,
    };
  }

  /** An element that runs its children. */
  block(start: number, children: Element[], run?: (environment: Environment) => Signal): Element {
    return this.element(start, { children, run: run ?? ((environment) => runAll(children, environment)) });
  }

  /** Reads elements up to a closing tag, a dividing tag or the end. */
  content(): Element[] {
    if (this.#depth >= 100) this.cursor.fail('Directives are nested deeper than 100');
    this.#depth++;
    try {
      const elements: Element[] = [];
      for (;;) {
        const text = this.#text();
        if (text) elements.push(text);
        const next = this.#next();
        if (!next) return elements;
        elements.push(next);
      }
    } finally {
      this.#depth--;
    }
  }

  /** The dividing tag that stands here, such as `else`, or undefined. */
  divider(): string | undefined {
    const [, name] = this.#peekTag() ?? [];
    return name !== undefined && dividers.has(name) ? name : undefined;
  }

  /** Takes a dividing tag; the cursor stands behind its name. */
  takeDivider(): Tag {
    const start = this.cursor.at;
    const [whole = '', name = ''] = this.#peekTag() ?? [];
    this.cursor.at += whole.length;
    this.cursor.closer = this.closing;
    return { name, start };
  }

  /** Reads the closing tag of a block; `others` are names that may stand in it instead. */
  end(tag: Tag, ...others: readonly string[]): void {
    const cursor: Cursor = this.cursor;
    const start = cursor.at;
    const [whole, name = ''] = this.#peekClosing() ?? [];
    if (whole === undefined) {
      if (!cursor.ended) cursor.fail(`<#${this.divider() ?? ''}> does not belong into <#${tag.name}>`);
      cursor.fail(`<#${tag.name}> is not closed`, tag.start);
    }
    if (name !== tag.name && !others.includes(name)) {
      const { line } = cursor.place(tag.start);
      cursor.fail(`Expected </#${tag.name}>, for line ${line}, but found </#${name}>`, start);
    }
    cursor.at += whole.length;
    this.closeTag();
  }

  /** True when the closing tag of this name stands here. */
  isAtEnd(name: string): boolean {
    return this.#peekClosing()?.[1] === name;
  }

  /** True when the closing tag of a call stands here. */
  get isAtCallEnd(): boolean {
    return this.cursor.peek(`${this.opening}/@`);
  }

  #text(): Element | undefined {
    const { opening } = this;
    const cursor: Cursor = this.cursor;
    const start = cursor.at;
    const stop = opening === '<' ? /<\/?(?:#[a-zA-Z_]|@)|<#--|\$\{|#\{/g : /\[\/?(?:#[a-zA-Z_]|@)|\[#--|\$\{|#\{/g;
    stop.lastIndex = start;
    const end = stop.exec(cursor.text)?.index ?? cursor.text.length;
    if (end === start) return undefined;
    cursor.at = end;
    return this.text(start, cursor.text.slice(start, end));
  }

  /** An element that puts out a text. */
  text(start: number, text: string): Element {
    const place: Place = this.cursor.place(start);
    const blamed = { ...place, source: '' };
    const element: Element = {
      ...this.element(start, { kind: 'text', run: () => undefined }),
      text,
      // In FreeMarker a tab reaches to column 8, so that a text that begins with one does not begin its line.
      begin: text.startsWith('\t') ? { ...place, column: place.column + 7 } : place,
      run(environment) {
        environment.write(this.text, blamed);
        return undefined;
      },
    };
    return element;
  }

  #next(): Element | undefined {
    const { opening } = this;
    const cursor: Cursor = this.cursor;
    if (cursor.ended) return undefined;
    if (cursor.peek('${') || cursor.peek('#{')) return readOutput(this);
    if (cursor.peek(`${opening}#--`)) return this.#comment();
    if (cursor.peek(`${opening}@`)) return readCallTag(this);
    if (cursor.peek(`${opening}/`)) return undefined;
    if (this.divider() !== undefined) return undefined;
    return this.#directive();
  }

  #comment(): Element {
    const cursor: Cursor = this.cursor;
    const start = cursor.at;
    const closer = `--${this.closing}`;
    const end = cursor.text.indexOf(closer, start + 4);
    if (end < 0) cursor.fail('This comment is not closed', start);
    cursor.at = end + closer.length;
    return this.element(start, { kind: 'silent', run: () => undefined });
  }

  #directive(): Element {
    const cursor: Cursor = this.cursor;
    const start = cursor.at;
    const [whole = '', name = ''] = this.#peekTag() ?? [];
    const reason = refused.get(name);
    if (reason !== undefined) cursor.fail(`The directive <#${name}> is not available: ${reason}`, start);
    const read = directives.get(name);
    if (!read) {
      const near = nearestName(name, [...directives.keys(), ...dividers]);
      cursor.fail(`There is no directive <#${name}>${near === undefined ? '' : `; did you mean <#${near}>?`}`, start);
    }
    cursor.at += whole.length;
    if (!/[\s/>\]]/.test(cursor.text.charAt(cursor.at))) cursor.fail(`The tag <#${name}> is malformed`, start);
    cursor.closer = this.closing;
    cursor.nesting = 0;
    return read(this, { name, start });
  }

  #peekTag(): [whole: string, name: string] | undefined {
    const pattern = this.opening === '<' ? /<#([a-zA-Z_]+)/y : /\[#([a-zA-Z_]+)/y;
    pattern.lastIndex = this.cursor.at;
    const match = pattern.exec(this.cursor.text);
    return match ? [match[0], (match[1] ?? '').toLowerCase()] : undefined;
  }

  #peekClosing(): [whole: string, name: string] | undefined {
    const pattern = this.opening === '<' ? /<\/#([a-zA-Z_]+)/y : /\[\/#([a-zA-Z_]+)/y;
    pattern.lastIndex = this.cursor.at;
    const match = pattern.exec(this.cursor.text);
    return match ? [match[0], (match[1] ?? '').toLowerCase()] : undefined;
  }
}
