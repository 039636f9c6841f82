import { JsonError } from './error.ts';
import { JsonNumber, type JsonArray, type JsonObject, type JsonValue } from './value.ts';

export interface JsonParseOptions {
  /** Arrays and objects may be nested this deep; 512 when absent. */
  readonly maxDepth?: number;
  /** Skips what stands before the first character that can begin a value, as the original does (runtime-core 6.5). */
  readonly skipLeading?: boolean;
}

/** Depth to which values may be nested unless something else is asked for. */
export const defaultMaxDepth = 512;

/**
 * Parses JSON text (RFC 8259). Numbers keep their text, members their order, and of equal names the last one wins.
 *
 * @throws JsonError with line and column
 */
export function parseJson(text: string, options: JsonParseOptions = {}): JsonValue {
  const start = options.skipLeading ? Math.max(0, startOfValue(text)) : 0;
  return new Parser(text, start, options.maxDepth ?? defaultMaxDepth).document();
}

/** Index of the first character that can begin a JSON value, or -1. */
export function startOfValue(text: string): number {
  return text.search(/[{["tnf\-0-9]/);
}

const quote = 0x22;
const backslash = 0x5c;
const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

class Parser {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #names: (string | undefined)[] = [];
  #at: number;
  #depth = 0;

  constructor(text: string, start: number, maxDepth: number) {
    this.#text = text;
    this.#at = start;
    this.#maxDepth = maxDepth;
  }

  document(): JsonValue {
    if (this.#text.charCodeAt(this.#at) === 0xfeff) this.#at++;
    this.#skipBlanks();
    const value = this.#value();
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail('nothing more');
    return value;
  }

  #value(): JsonValue {
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      case quote:
        return this.#string();
      case 0x74:
        return this.#literal('true', true);
      case 0x66:
        return this.#literal('false', false);
      case 0x6e:
        return this.#literal('null', null);
      default:
        return this.#number();
    }
  }

  #object(): JsonObject {
    const members: JsonObject = new Map();
    this.#enter();
    if (this.#take(0x7d)) return this.#leave(members);
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== quote) this.#fail('a member name in double quotes');
      const name = this.#memberName();
      if (!this.#takeBehindBlanks(0x3a)) this.#fail('":"');
      members.set(name, this.#value());
      if (this.#takeBehindBlanks(0x2c)) continue;
      if (this.#take(0x7d)) return this.#leave(members);
      this.#fail('"," or "}"');
    }
  }

  #array(): JsonArray {
    const items: JsonArray = [];
    this.#enter();
    if (this.#take(0x5d)) return this.#leave(items);
    for (;;) {
      items.push(this.#value());
      if (this.#takeBehindBlanks(0x2c)) continue;
      if (this.#take(0x5d)) return this.#leave(items);
      this.#fail('"," or "]"');
    }
  }

  /** A name, the same string for the same spelling, so that maps need not hash each occurrence anew. */
  #memberName(): string {
    const text = this.#text;
    const start = this.#at + 1;
    const place = ((text.charCodeAt(start) << 3) ^ text.charCodeAt(start + 1) ^ (text.charCodeAt(start + 3) << 2)) & 63;
    const known = this.#names[place];
    if (known !== undefined && text.charCodeAt(start + known.length) === quote && text.startsWith(known, start)) {
      this.#at = start + known.length + 1;
      return known;
    }
    const name = this.#string();
    // A spelling with escapes differs from the name.
    if (name.length === this.#at - start - 1) this.#names[place] = name;
    return name;
  }

  #string(): string {
    const text = this.#text;
    const start = ++this.#at;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.#at = at + 1;
        return text.slice(start, at);
      }
      if (code === backslash) return this.#escapedString(start, at);
      if (!(code >= 0x20)) {
        this.#at = at;
        this.#fail('a closing quotation mark');
      }
    }
  }

  #escapedString(start: number, firstEscape: number): string {
    const text = this.#text;
    let result = text.slice(start, firstEscape);
    this.#at = firstEscape;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code === quote) {
        this.#at++;
        return result;
      }
      if (code === backslash) result += this.#escape();
      else if (code >= 0x20) {
        const chunk = this.#at;
        while (this.#isPlain(text.charCodeAt(this.#at))) this.#at++;
        result += text.slice(chunk, this.#at);
      } else this.#fail('a closing quotation mark');
    }
  }

  #isPlain(code: number): boolean {
    return code >= 0x20 && code !== quote && code !== backslash;
  }

  #escape(): string {
    const letter = this.#text.charAt(this.#at + 1);
    const simple = escapes.get(letter);
    if (simple !== undefined) {
      this.#at += 2;
      return simple;
    }
    const digits = this.#text.slice(this.#at + 2, this.#at + 6);
    if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail('an escape sequence of JSON');
    this.#at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #number(): JsonNumber {
    const text = this.#text;
    const start = this.#at;
    let at = text.charCodeAt(start) === 0x2d ? start + 1 : start;
    const whole = at;
    at = endOfDigits(text, at);
    if (at === whole) this.#fail('a value');
    // Nothing follows a leading zero but a fraction or an exponent.
    if (text.charCodeAt(whole) === 0x30) at = whole + 1;
    if (text.charCodeAt(at) === 0x2e) {
      const end = endOfDigits(text, at + 1);
      if (end > at + 1) at = end;
    }
    const letter = text.charCodeAt(at);
    if (letter === 0x65 || letter === 0x45) {
      const sign = text.charCodeAt(at + 1);
      const digits = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
      const end = endOfDigits(text, digits);
      if (end > digits) at = end;
    }
    this.#at = at;
    return new JsonNumber(text.slice(start, at));
  }

  #literal<T extends boolean | null>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail('a value');
    this.#at += word.length;
    return value;
  }

  #enter(): void {
    if (++this.#depth > this.#maxDepth) {
      throw new JsonError(`values are nested deeper than ${this.#maxDepth}`, this.#text, this.#at);
    }
    this.#at++;
    this.#skipBlanks();
  }

  #leave<T>(value: T): T {
    this.#depth--;
    return value;
  }

  /** Takes one character and the blanks after it. */
  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    this.#skipBlanks();
    return true;
  }

  #takeBehindBlanks(code: number): boolean {
    this.#skipBlanks();
    return this.#take(code);
  }

  #skipBlanks(): void {
    if (this.#text.charCodeAt(this.#at) > 0x20) return;
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  #fail(expected: string): never {
    const point = this.#text.codePointAt(this.#at);
    const found = point === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(point));
    throw new JsonError(`expected ${expected} but found ${found}`, this.#text, this.#at);
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) at++;
  return at;
}
