/** A template that was read leniently. */
export type Loose =
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: Loose])[] }
  | { readonly kind: 'array'; readonly items: readonly Loose[] }
  | { readonly kind: 'text'; readonly text: string; readonly isQuoted: boolean };

/**
 * Reads what templates in the field look like: JSON, JSON with `=` for `:`, names and values without quotes, commas that
 * are missing at a line's end or follow the last member, and pairs separated by commas (identity 6.8).
 *
 * @returns undefined when it is none of these
 */
export function readLoose(source: string): Loose | undefined {
  const reader = new LooseReader(source.trim());
  try {
    return reader.whole();
  } catch (error) {
    if (error instanceof NotLoose) return undefined;
    throw error;
  }
}

class NotLoose extends Error {}

class LooseReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): Loose {
    const value = this.#opens('{') || this.#opens('[') ? this.#value() : this.#members('');
    this.#skipSpace();
    if (this.#at < this.#source.length) throw new NotLoose();
    return value;
  }

  /** True when the bracket comes next and does not begin the place of an attribute. */
  #opens(bracket: '{' | '['): boolean {
    return this.#source[this.#at] === bracket && !this.#source.startsWith('{{', this.#at);
  }

  #value(): Loose {
    this.#skipSpace();
    if (this.#opens('{')) {
      this.#at++;
      return this.#members('}');
    }
    if (this.#opens('[')) {
      this.#at++;
      return this.#items();
    }
    const quoted = this.#match(/"((?:[^"\\]|\\.)*)"/y);
    if (quoted) return { kind: 'text', text: unescape(quoted[1] ?? ''), isQuoted: true };
    const bare = this.#match(/(?:\{\{[^{}]*\}\}|[^,{}[\]"\r\n])+/y)?.[0].trim();
    if (!bare) throw new NotLoose();
    return { kind: 'text', text: bare, isQuoted: false };
  }

  #items(): Loose {
    const items: Loose[] = [];
    for (;;) {
      this.#separators();
      if (this.#take(']')) return { kind: 'array', items };
      items.push(this.#value());
    }
  }

  #members(end: '}' | ''): Loose {
    const members: (readonly [string, Loose])[] = [];
    for (;;) {
      this.#separators();
      const isOver = end === '' ? this.#at >= this.#source.length : this.#take(end);
      if (isOver && members.length === 0 && end === '') throw new NotLoose();
      if (isOver) return { kind: 'object', members };
      const name = this.#match(/"((?:[^"\\]|\\.)*)"\s*[:=]|([\w.$-]+)\s*[:=]/y);
      if (!name) throw new NotLoose();
      members.push([name[1] === undefined ? (name[2] ?? '') : unescape(name[1]), this.#value()]);
    }
  }

  #separators(): void {
    this.#match(/[\s,]+/y);
  }

  #skipSpace(): void {
    this.#match(/\s+/y);
  }

  #take(character: string): boolean {
    const isNext = this.#source[this.#at] === character;
    if (isNext) this.#at++;
    return isNext;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (!match) return undefined;
    this.#at += match[0].length;
    return match;
  }
}

function unescape(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    throw new NotLoose();
  }
}

/** The template as JSON; what stands for a value of its own stays without quotes. */
export function writeJsonTemplate(value: Loose): string {
  if (value.kind === 'object') {
    const members = value.members.map(([name, member]) => `${JSON.stringify(name)}: ${writeJsonTemplate(member)}`);
    return `{${members.join(', ')}}`;
  }
  if (value.kind === 'array') return `[${value.items.map(writeJsonTemplate).join(', ')}]`;
  const isAlone = /^(?:\{\{[^{}]*\}\}|-?\d+(?:\.\d+)?|true|false|null|\$body\.[\w.-]+)$/.test(value.text);
  return !value.isQuoted && isAlone ? value.text : JSON.stringify(value.text);
}

/** The template as pairs of a form, separated by commas; undefined for one that has levels. */
export function writeFormTemplate(value: Loose): string | undefined {
  if (value.kind !== 'object') return undefined;
  const pairs = value.members.map(([name, member]) => (member.kind === 'text' ? `${name}=${member.text}` : undefined));
  return pairs.includes(undefined) ? undefined : pairs.join(',');
}
