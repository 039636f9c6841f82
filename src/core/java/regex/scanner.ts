import { propertySet, shorthands } from './char-names.ts';
import { charSet, type CharSet, complement, ignoreCase } from './char-set.ts';
import { type RegexFlags, RegexSyntaxError, RegexUnsupportedError } from './syntax.ts';

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, a: 7, e: 27 };

/** Reads a pattern: characters, escapes and quotations, for the parsers of expressions and of classes. */
export class RegexScanner {
  readonly pattern: string;
  position = 0;
  flags: RegexFlags;
  #quoted = false;

  constructor(pattern: string, flags: RegexFlags) {
    this.pattern = pattern;
    this.flags = flags;
  }

  /** Whether the next character stands for itself because of `\Q`. Steps over `\Q`, `\E` and comments. */
  settle(): boolean {
    for (;;) {
      if (this.#quoted) {
        if (!this.pattern.startsWith('\\E', this.position)) return this.position < this.pattern.length;
        this.position += 2;
        this.#quoted = false;
      } else if (this.pattern.startsWith('\\Q', this.position)) {
        this.position += 2;
        this.#quoted = true;
      } else if (!this.flags.comments || !this.#skipComment()) return false;
    }
  }

  get done(): boolean {
    return this.position >= this.pattern.length;
  }

  /** The next character (one code point) without taking it; empty at the end. */
  peek(): string {
    const code = this.pattern.codePointAt(this.position);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  startsWith(text: string): boolean {
    return this.pattern.startsWith(text, this.position);
  }

  /** Takes the text if it comes next. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.position += text.length;
    return true;
  }

  /** Takes what a sticky expression matches here. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position;
    const match = expression.exec(this.pattern) ?? undefined;
    if (match) this.position += match[0].length;
    return match;
  }

  next(): string {
    const character = this.peek();
    if (character === '') this.fail('Unexpected end');
    this.position += character.length;
    return character;
  }

  fail(what: string, index: number = this.position): never {
    throw new RegexSyntaxError(this.pattern, index, what);
  }

  refuse(what: string, index: number = this.position): never {
    throw new RegexUnsupportedError(this.pattern, index, what);
  }

  /** The set of one character under the flags. */
  setOf(code: number): CharSet {
    return this.withCase(charSet([code, code]));
  }

  withCase(set: CharSet): CharSet {
    return this.flags.caseInsensitive ? ignoreCase(set, this.flags.unicodeCase === true) : set;
  }

  /** After a backslash: a class such as `\d` or `\p{L}`, or undefined when it is none. */
  takeClassEscape(): CharSet | undefined {
    const letter = this.peek();
    const shorthand = shorthands[letter];
    if (shorthand) {
      this.position++;
      return shorthand;
    }
    if (letter !== 'p' && letter !== 'P') return undefined;
    const start = this.position - 1;
    this.position++;
    const name = this.takeMatch(/\{([^}]*)\}|([A-Z])/y);
    const set = name && propertySet((name[1] ?? name[2] ?? '').trim());
    if (!set) return this.refuse(`The character property ${this.pattern.slice(start, this.position)}`, start);
    return letter === 'P' ? complement(this.withCase(set)) : this.withCase(set);
  }

  /** After a backslash: the code point of a character escape. */
  takeCharEscape(): number {
    const start = this.position - 1;
    const coded =
      this.takeMatch(/0([0-3]?[0-7]{1,2})/y) ??
      this.takeMatch(/x([\dA-Fa-f]{2})|x\{([\dA-Fa-f]+)\}|u([\dA-Fa-f]{4})|c([\s\S])/y);
    if (coded) return codeOf(coded, (code) => (code > 0x10ffff ? this.fail('Not a code point', start) : code));
    const character = this.next();
    const control = controls[character];
    if (control !== undefined) return control;
    if (/[A-Za-z0-9]/.test(character)) this.fail(`Unknown escape \\${character}`, start);
    return character.codePointAt(0) ?? 0;
  }

  #skipComment(): boolean {
    return this.takeMatch(/(?:\s|#[^\n\r\u0085\u2028\u2029]*)+/y) !== undefined;
  }
}

function codeOf(match: RegExpExecArray, check: (code: number) => number): number {
  if (match[0].startsWith('0')) return Number.parseInt(match[1] ?? '', 8);
  if (match[4] !== undefined) return match[4].charCodeAt(0) ^ 64;
  return check(Number.parseInt(match[1] ?? match[2] ?? match[3] ?? '', 16));
}
