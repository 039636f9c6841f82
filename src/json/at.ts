import { defaultMaxDepth, parseJson } from './parse.ts';
import type { JsonValue } from './value.ts';

/** Member names and item numbers, from the top of a document downwards. */
export type JsonKeys = readonly (string | number)[];

/** What `keys` lead to in a value; undefined when something on the way is missing or of another kind. */
export function valueAt(value: JsonValue, keys: JsonKeys): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of keys) {
    if (typeof key === 'string') found = found instanceof Map ? found.get(key) : undefined;
    else found = Array.isArray(found) ? found[key] : undefined;
  }
  return found;
}

/**
 * What `keys` lead to in a JSON text. Only that is made into a value; the rest is checked but not built. The outcome is
 * that of `parseJson` followed by `valueAt`, of equal names the last one counting.
 *
 * @throws JsonError the one that `parseJson` raises, wherever in the text it is malformed
 */
export function readJsonAt(text: string, keys: JsonKeys): JsonValue | undefined {
  const codes = codesOf(text);
  const place: Place = { text, codes, keys, start: -1, end: -1 };
  const first = skipBlanks(codes, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const end = follow(place, first, 0);
  const isWhole = end > 0 && skipBlanks(codes, end) === text.length;
  // The parser knows best what is wrong with the text.
  if (!isWhole) return valueAt(parseJson(text), keys);
  return place.start < 0 ? undefined : parseJson(text.slice(place.start, place.end));
}

/** The UTF-16 codes of a text, zeros behind them: an array is read faster than a string. */
type Codes = Uint16Array;

/** Texts up to this length share one array. */
const sharedLength = 1 << 18;
let shared: Codes | undefined;

function codesOf(text: string): Codes {
  const codes =
    text.length < sharedLength ? (shared ??= new Uint16Array(sharedLength)) : new Uint16Array(text.length + 1);
  Buffer.from(codes.buffer).write(text, 'utf16le');
  codes[text.length] = 0;
  return codes;
}

/** Where in a text the wanted value stands; `start` is -1 as long as there is none. */
interface Place {
  readonly text: string;
  readonly codes: Codes;
  readonly keys: JsonKeys;
  start: number;
  end: number;
}

/** What the functions below return instead of an offset when the text is malformed or nested too deep. */
const malformed = -1;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const codesIn = (text: string): Codes => Uint16Array.from(text, (character) => character.charCodeAt(0));
const literals = { true: codesIn('true'), false: codesIn('false'), null: codesIn('null') };
const simpleEscapes: ReadonlySet<number> = new Set(codesIn('"\\/bfnrt'));
const hexDigits: ReadonlySet<number> = new Set(codesIn('0123456789abcdefABCDEF'));

/** Passes the value at `at`, which lies `depth` keys below the top, noting where the wanted value stands in it. */
function follow(place: Place, at: number, depth: number): number {
  const { codes, keys } = place;
  const key = keys[depth];
  if (key === undefined) {
    place.start = at;
    place.end = skipValue(codes, at, depth);
    return place.end;
  }
  const code = codes[at] ?? 0;
  if (depth >= defaultMaxDepth) return malformed;
  if (code === openBrace && typeof key === 'string') return followMember(place, at, depth);
  if (code === openBracket && typeof key === 'number') return followItem(place, at, depth);
  return skipValue(codes, at, depth);
}

function followMember(place: Place, start: number, depth: number): number {
  const { codes, keys } = place;
  const wanted = String(keys[depth]);
  let at = skipBlanks(codes, start + 1);
  if (codes[at] === closeBrace) return at + 1;
  for (;;) {
    const name = at;
    const value = startOfMember(codes, name);
    if (value === malformed) return malformed;
    if (isNamed(place, name, wanted)) {
      place.start = -1;
      at = follow(place, value, depth + 1);
    } else at = skipValue(codes, value, depth + 1);
    at = skipBlanks(codes, at);
    const code = codes[at] ?? 0;
    if (code === closeBrace) return at + 1;
    if (code !== comma) return malformed;
    at = skipBlanks(codes, at + 1);
  }
}

function followItem(place: Place, start: number, depth: number): number {
  const { codes, keys } = place;
  const wanted = keys[depth];
  let at = skipBlanks(codes, start + 1);
  if (codes[at] === closeBracket) return at + 1;
  for (let index = 0; ; index++) {
    at = skipBlanks(codes, index === wanted ? follow(place, at, depth + 1) : skipValue(codes, at, depth + 1));
    const code = codes[at] ?? 0;
    if (code === closeBracket) return at + 1;
    if (code !== comma) return malformed;
    at = skipBlanks(codes, at + 1);
  }
}

/** Passes the name at `at`, the colon and blanks. */
function startOfMember(codes: Codes, at: number): number {
  if (codes[at] !== quote) return malformed;
  const behind = skipBlanks(codes, skipString(codes, at));
  return codes[behind] === colon ? skipBlanks(codes, behind + 1) : malformed;
}

/** True when the well-formed string at `at` is `wanted`, however it is spelled. */
function isNamed({ text, codes }: Place, at: number, wanted: string): boolean {
  if (text.startsWith(wanted, at + 1) && codes[at + 1 + wanted.length] === quote) {
    return !wanted.includes('"') && !wanted.includes('\\');
  }
  const end = skipString(codes, at);
  const spelling = text.slice(at, end);
  return spelling.includes('\\') && parseJson(spelling) === wanted;
}

/** Passes the value at `at`, around which `depth` others stand. */
function skipValue(codes: Codes, at: number, depth: number): number {
  switch (codes[at]) {
    case openBrace:
      return depth < defaultMaxDepth ? skipObject(codes, at, depth + 1) : malformed;
    case openBracket:
      return depth < defaultMaxDepth ? skipArray(codes, at, depth + 1) : malformed;
    case quote:
      return skipString(codes, at);
    case 0x74:
      return spells(codes, at, literals.true);
    case 0x66:
      return spells(codes, at, literals.false);
    case 0x6e:
      return spells(codes, at, literals.null);
    default:
      return skipNumber(codes, at);
  }
}

function spells(codes: Codes, at: number, word: Codes): number {
  for (let index = 0; index < word.length; index++) if (codes[at + index] !== word[index]) return malformed;
  return at + word.length;
}

function skipObject(codes: Codes, start: number, depth: number): number {
  let at = skipBlanks(codes, start + 1);
  if (codes[at] === closeBrace) return at + 1;
  for (;;) {
    const value = startOfMember(codes, at);
    if (value === malformed) return malformed;
    at = skipBlanks(codes, skipValue(codes, value, depth));
    const code = codes[at] ?? 0;
    if (code === closeBrace) return at + 1;
    if (code !== comma) return malformed;
    at = skipBlanks(codes, at + 1);
  }
}

function skipArray(codes: Codes, start: number, depth: number): number {
  let at = skipBlanks(codes, start + 1);
  if (codes[at] === closeBracket) return at + 1;
  for (;;) {
    at = skipBlanks(codes, skipValue(codes, at, depth));
    const code = codes[at] ?? 0;
    if (code === closeBracket) return at + 1;
    if (code !== comma) return malformed;
    at = skipBlanks(codes, at + 1);
  }
}

function skipString(codes: Codes, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = codes[at] ?? 0;
    if (code === quote) return at + 1;
    if (code === backslash) {
      at = skipEscape(codes, at);
      if (at === malformed) return malformed;
    } else if (!(code >= 0x20)) return malformed;
  }
}

/** Returns where the last character of the escape sequence at `at` stands. */
function skipEscape(codes: Codes, at: number): number {
  const letter = codes[at + 1] ?? 0;
  if (letter !== 0x75) return simpleEscapes.has(letter) ? at + 1 : malformed;
  for (let digit = at + 2; digit < at + 6; digit++) if (!hexDigits.has(codes[digit] ?? 0)) return malformed;
  return at + 5;
}

function skipNumber(codes: Codes, start: number): number {
  const whole = codes[start] === 0x2d ? start + 1 : start;
  let at = skipDigits(codes, whole);
  if (at === whole || (codes[whole] === 0x30 && at > whole + 1)) return malformed;
  if (codes[at] === 0x2e) {
    const fraction = at + 1;
    at = skipDigits(codes, fraction);
    if (at === fraction) return malformed;
  }
  const letter = codes[at];
  if (letter !== 0x65 && letter !== 0x45) return at;
  const sign = codes[at + 1];
  const exponent = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
  at = skipDigits(codes, exponent);
  return at === exponent ? malformed : at;
}

function skipDigits(codes: Codes, start: number): number {
  for (let at = start; ; at++) {
    const code = codes[at] ?? 0;
    if (code < 0x30 || code > 0x39) return at;
  }
}

/** Passes blanks, and a malformed part on to who asks. */
function skipBlanks(codes: Codes, start: number): number {
  for (let at = start; ; at++) {
    const code = codes[at] ?? 0;
    if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) return at;
  }
}
