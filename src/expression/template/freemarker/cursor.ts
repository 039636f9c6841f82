import { TemplateSyntaxError, type Blamed, type Place } from './errors.ts';

const identifierStart = String.raw`[\p{L}_$@]|\\[-.:#]`;
const identifier = new RegExp(String.raw`(?:${identifierStart})(?:${identifierStart}|\p{Nd})*`, 'uy');

/** A position that moves through the text of a template. */
export class Cursor {
  readonly text: string;
  at = 0;
  /** Parentheses and brackets that are open; within them `>` does not end a tag. */
  nesting = 0;
  /** What ends the tag that is being read; undefined in interpolations. */
  closer: '>' | ']' | undefined;
  /** Expressions within each other. */
  #depth = 0;
  readonly #base: Place;
  readonly #lineStarts: readonly number[];

  /** `base` is where the first character stands when the text is a part of a larger one. */
  constructor(text: string, base: Place = { line: 1, column: 1 }) {
    this.text = text;
    this.#base = base;
    const starts = [0];
    for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
    this.#lineStarts = starts;
  }

  place(offset = this.at): Place {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const column = offset - (this.#lineStarts[low] ?? 0) + 1;
    return low === 0
      ? { line: this.#base.line, column: column + this.#base.column - 1 }
      : { line: this.#base.line + low, column };
  }

  /** What failures say about the text from `start` up to here. */
  blamed(start: number): Blamed {
    return { ...this.place(start), source: this.text.slice(start, this.at).trim() };
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  peek(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  /** Takes what a sticky pattern matches here. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) return undefined;
    this.at += match[0].length;
    return match;
  }

  /** Takes an identifier; backslashes before `-`, `.`, `:` and `#` are dropped. */
  identifier(): string | undefined {
    return this.match(identifier)?.[0].replaceAll('\\', '');
  }

  /** The identifier that stands here, without taking it. */
  peekIdentifier(): string | undefined {
    const start = this.at;
    const found = this.identifier();
    this.at = start;
    return found;
  }

  /** Skips blanks and comments within a tag. */
  blanks(): this {
    for (;;) {
      this.match(/\s+/y);
      const comment = /[<[](?:#|!)--/y;
      const start = this.at;
      const opening = this.match(comment);
      if (!opening) return this;
      const end = this.text.indexOf(opening[0].startsWith('[') ? '--]' : '-->', this.at);
      if (end < 0) this.fail('This comment is not closed', start);
      this.at = end + 3;
    }
  }

  expect(text: string): void {
    if (!this.blanks().take(text)) this.failExpected(`"${text}"`);
  }

  /** Runs a part of the parser one level deeper. */
  nested<T>(read: () => T): T {
    if (this.#depth >= 100) this.fail('Expressions are nested deeper than 100');
    this.#depth++;
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }

  failExpected(what: string): never {
    if (this.ended) this.fail(`Unexpected end of the template; expected ${what}`);
    const [found = ''] = /^(?:[\p{L}\p{N}_]+|\S)/u.exec(this.text.slice(this.at, this.at + 40)) ?? [];
    return this.fail(`Expected ${what} but found "${found}"`);
  }

  fail(reason: string, offset = this.at): never {
    throw new TemplateSyntaxError(reason, this.place(offset));
  }
}
