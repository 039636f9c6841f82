import { charSet, charsOf, complement, type CharSet, fullSet, unite } from './char-set.ts';

const digits = charsOf('0123456789');
const lower = charSet([0x61, 0x7a]);
const upper = charSet([0x41, 0x5a]);
const alpha = unite(lower, upper);
const alnum = unite(alpha, digits);
const punctuation = charSet([0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e]);
const horizontal = unite(charsOf(' \t\u00a0\u1680\u180e\u202f\u205f\u3000'), charSet([0x2000, 0x200a]));

/** `\n`, `\r`, next line, line and paragraph separator. */
export const lineEnds = charsOf('\n\r\u0085\u2028\u2029');
export const wordChars = unite(alnum, charsOf('_'));
export const verticalSpace = charsOf('\n\u000b\f\r\u0085\u2028\u2029');

/** `\d`, `\w` … of java.util.regex: ASCII, other than in JavaScript. */
export const shorthands: Readonly<Record<string, CharSet>> = {
  d: digits,
  w: wordChars,
  s: charsOf(' \t\n\u000b\f\r'),
  h: horizontal,
  v: verticalSpace,
  D: complement(digits),
  W: complement(wordChars),
  S: complement(charsOf(' \t\n\u000b\f\r')),
  H: complement(horizontal),
  V: complement(verticalSpace),
};

/** `\p{…}` names of java.util.regex that are no Unicode properties: POSIX classes (ASCII) and `java.lang.Character`. */
const named: Readonly<Record<string, CharSet | string>> = {
  Lower: lower,
  Upper: upper,
  ASCII: charSet([0, 0x7f]),
  Alpha: alpha,
  Digit: digits,
  Alnum: alnum,
  Punct: punctuation,
  Graph: charSet([0x21, 0x7e]),
  Print: charSet([0x20, 0x7e]),
  Blank: charsOf(' \t'),
  Cntrl: charSet([0, 0x1f], [0x7f, 0x7f]),
  XDigit: unite(digits, charSet([0x41, 0x46], [0x61, 0x66])),
  Space: charsOf(' \t\n\u000b\f\r'),
  L1: charSet([0, 0xff]),
  all: fullSet,
  javaLowerCase: 'Lowercase',
  javaUpperCase: 'Uppercase',
  javaAlphabetic: 'Alphabetic',
  javaDigit: 'Nd',
  javaLetter: 'L',
  javaWhitespace: unite(
    charsOf('\t\n\u000b\f\r\u001c\u001d\u001e\u001f \u1680\u205f\u3000\u2028\u2029'),
    charSet([0x2000, 0x2006], [0x2008, 0x200a]),
  ),
  javaLetterOrDigit: 'L|Nd',
};

const scanned = new Map<string, CharSet>();

/** The set of `\p{name}`, or undefined when nobody knows the name. Blocks (`InGreek`) are not known. */
export function propertySet(name: string): CharSet | undefined {
  const known = named[name];
  if (known !== undefined) return typeof known === 'string' ? scan(known) : known;
  const [, key, value] = /^(\w+)=(\w+)$/.exec(name) ?? [];
  if (key !== undefined && value !== undefined) {
    if (/^(?:sc|script)$/i.test(key)) return scan(`Script=${value}`);
    return /^(?:gc|general_category)$/i.test(key) ? scan(value) : undefined;
  }
  if (!name.startsWith('Is')) return /^[A-Z][a-z]?$|^LC$/.test(name) ? scan(name) : undefined;
  const plain = name.slice(2);
  const binary: Readonly<Record<string, string>> = { WHITE_SPACE: 'White_Space', IDEOGRAPHIC: 'Ideographic' };
  const proper = plain.charAt(0).toUpperCase() + plain.slice(1).toLowerCase();
  if (/^[A-Z][a-z]?$/.test(plain)) return scan(plain);
  return scan(binary[plain.toUpperCase()] ?? proper) ?? scan(`Script=${proper}`);
}

/** Asks the engine's own Unicode tables, once per property (some ten milliseconds). */
function scan(property: string): CharSet | undefined {
  const present = scanned.get(property);
  if (present) return present;
  let pattern: RegExp;
  try {
    const alternatives = property.split('|').map((name) => `\\p{${name}}`);
    pattern = new RegExp(`[${alternatives.join('')}]`, 'u');
  } catch {
    // The engine does not know the property either; the caller reports it.
    return undefined;
  }
  const ranges: [number, number][] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (!pattern.test(String.fromCodePoint(code))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  scanned.set(property, ranges);
  return ranges;
}

/** What `.` matches without `DOTALL`, and with `UNIX_LINES`. */
export const dot = complement(lineEnds);
export const unixDot = complement(charsOf('\n'));
