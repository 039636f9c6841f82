import { Decimal } from 'decimal.js';

/** The signs of a locale. */
export interface Symbols {
  readonly decimal: string;
  readonly grouping: string;
  readonly minus: string;
  readonly infinity: string;
  readonly nan: string;
}

/** A pattern of `java.text.DecimalFormat`. */
export interface NumberPattern {
  readonly prefix: string;
  readonly suffix: string;
  /** Around negative numbers; undefined when the minus sign goes before the prefix. */
  readonly negative: { readonly prefix: string; readonly suffix: string } | undefined;
  readonly grouping: number;
  readonly wholeDigits: number;
  /** How many digits of the exponential form may stand before the point. */
  readonly maxWholeDigits: number;
  readonly minFraction: number;
  readonly maxFraction: number;
  readonly multiplier: 1 | 100 | 1000;
  /** Least digits of the exponent; undefined without one. */
  readonly exponent: number | undefined;
  readonly rounding: Decimal.Rounding;
  readonly symbols: Partial<Symbols>;
}

const roundings: ReadonlyMap<string, Decimal.Rounding> = new Map([
  ['up', Decimal.ROUND_UP],
  ['down', Decimal.ROUND_DOWN],
  ['ceiling', Decimal.ROUND_CEIL],
  ['floor', Decimal.ROUND_FLOOR],
  ['halfUp', Decimal.ROUND_HALF_UP],
  ['halfDown', Decimal.ROUND_HALF_DOWN],
  ['halfEven', Decimal.ROUND_HALF_EVEN],
]);

const cache = new Map<string, NumberPattern>();

/**
 * Reads a pattern of `java.text.DecimalFormat`, with FreeMarker's options after `;;`. Read ones are kept.
 *
 * @throws RangeError saying what is wrong
 */
export function parsePattern(text: string): NumberPattern {
  let pattern = cache.get(text);
  if (!pattern) {
    pattern = readPattern(text);
    if (cache.size >= 500) cache.clear();
    cache.set(text, pattern);
  }
  return pattern;
}

function readPattern(text: string): NumberPattern {
  const options = text.indexOf(';;');
  const [positive, negative] = splitSubpatterns(options < 0 ? text : text.slice(0, options));
  const { prefix, number, suffix } = parts(positive);
  const minus = negative === undefined ? undefined : parts(negative);
  const [, mantissa = '', exponent] = /^(.*?)(?:E(0+))?$/.exec(number) ?? [];
  const [whole = '', fraction = ''] = mantissa.split('.');
  if (!/^[#,]*[0,]*$/.test(whole) || !/^0*#*$/.test(fraction) || mantissa.split('.').length > 2) {
    throw new RangeError(`"${number}" is no pattern of digits`);
  }
  const comma = whole.lastIndexOf(',');
  if (comma >= 0 && comma === whole.length - 1) throw new RangeError('a comma stands before the point');
  const affixes = prefix.text + suffix.text;
  const digits = whole.replaceAll(',', '');
  const zeros = digits.replaceAll('#', '').length;
  const hasNoZero = zeros === 0 && !fraction.includes('0');
  return {
    prefix: prefix.text,
    suffix: suffix.text,
    negative: minus && { prefix: minus.prefix.text, suffix: minus.suffix.text },
    grouping: comma < 0 ? 0 : whole.length - comma - 1,
    // Without any 0 in the pattern the digit beside the point is always written.
    wholeDigits: hasNoZero && digits !== '' && mantissa.includes('.') ? 1 : zeros,
    maxWholeDigits: digits.length,
    minFraction: hasNoZero && digits === '' && fraction !== '' ? 1 : fraction.replaceAll('#', '').length,
    maxFraction: fraction.length,
    multiplier: affixes.includes('%') ? 100 : affixes.includes('\u2030') ? 1000 : 1,
    exponent: exponent?.length,
    ...readOptions(options < 0 ? '' : text.slice(options + 2)),
  };
}

function readOptions(text: string): Pick<NumberPattern, 'rounding' | 'symbols'> {
  const symbols: { -readonly [Name in keyof Symbols]?: string } = {};
  let rounding: Decimal.Rounding = Decimal.ROUND_HALF_EVEN;
  const option = /\s*(\w+)\s*=\s*(?:["'](.*?)["']|([^\s,]+))[\s,]*/y;
  while (option.lastIndex < text.trimEnd().length) {
    const at = option.lastIndex;
    const [whole, name = '', quoted, bare] = option.exec(text) ?? [];
    if (whole === undefined) throw new RangeError(`expected name=value at "${text.slice(at)}"`);
    const value = quoted ?? bare ?? '';
    if (name === 'roundingMode') {
      const mode = roundings.get(value);
      if (mode === undefined) throw new RangeError(`unknown roundingMode "${value}"`);
      rounding = mode;
    } else if (name === 'decimalSeparator') symbols.decimal = value;
    else if (name === 'groupingSeparator') symbols.grouping = value;
    else if (name === 'minusSign') symbols.minus = value;
    else if (name === 'infinity') symbols.infinity = value;
    else if (name === 'nan') symbols.nan = value;
    else throw new RangeError(`unknown option "${name}"`);
  }
  return { rounding, symbols };
}

function splitSubpatterns(text: string): [string, string | undefined] {
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    if (text.charAt(index) === "'") isQuoted = !isQuoted;
    else if (text.charAt(index) === ';' && !isQuoted) return [text.slice(0, index), text.slice(index + 1)];
  }
  return [text, undefined];
}

interface Parts {
  readonly prefix: { readonly text: string };
  readonly number: string;
  readonly suffix: { readonly text: string };
}

/** Quotes protect signs; after them the number begins at the first digit sign. */
function parts(text: string): Parts {
  const prefix = affix(text, 0);
  const [number = ''] = /^[#0,.]*(?:E0+)?/.exec(text.slice(prefix.end)) ?? [];
  const suffix = affix(text, prefix.end + number.length);
  if (suffix.end < text.length) throw new RangeError(`unexpected "${text.charAt(suffix.end)}" in "${text}"`);
  return { prefix, number, suffix };
}

function affix(text: string, start: number): { text: string; end: number } {
  let result = '';
  let index = start;
  while (index < text.length && !/[#0,.]/.test(text.charAt(index))) {
    const [quoted, content] = /^'([^']*)'/.exec(text.slice(index)) ?? [];
    if (quoted === undefined && text.charAt(index) === "'") throw new RangeError('a quotation is not closed');
    if (quoted === undefined) {
      result += text.charAt(index) === '\u00a4' ? '$' : text.charAt(index);
      index++;
    } else {
      result += content === '' ? "'" : content;
      index += quoted.length;
    }
  }
  return { text: result, end: index };
}

/** Writes a number by a pattern; exact halves are rounded as the pattern says, to even by default. */
export function formatWithPattern(value: Decimal, pattern: NumberPattern, localSymbols: Symbols): string {
  const symbols: Symbols = { ...localSymbols, ...pattern.symbols };
  if (value.isNaN()) return symbols.nan;
  const magnitude = value.abs().times(pattern.multiplier);
  const text = magnitude.isFinite() ? digitsOf(magnitude, pattern, symbols) : symbols.infinity;
  const isNegative =
    value.isNegative() && (!value.isZero() || pattern.negative === undefined) && !isZeroText(text, value);
  if (!isNegative) return pattern.prefix + text + pattern.suffix;
  const { negative } = pattern;
  if (negative) return negative.prefix.replaceAll('-', symbols.minus) + text + negative.suffix;
  return symbols.minus + pattern.prefix + text + pattern.suffix;
}

/** A whole zero has no sign; a fraction that was rounded to zero keeps its own. */
function isZeroText(text: string, value: Decimal): boolean {
  return value.isZero() && /^[0.,]*$/.test(text);
}

function digitsOf(magnitude: Decimal, pattern: NumberPattern, symbols: Symbols): string {
  if (pattern.exponent !== undefined) return exponential(magnitude, pattern, symbols);
  const rounded = magnitude.toDecimalPlaces(pattern.maxFraction, pattern.rounding);
  const [whole = '', fraction = ''] = rounded.toFixed(pattern.maxFraction).split('.');
  return joined(whole, fraction, { pattern, symbols });
}

function joined(whole: string, fraction: string, how: { pattern: NumberPattern; symbols: Symbols }): string {
  const { pattern, symbols } = how;
  const significant = fraction.replace(/0+$/, '').padEnd(pattern.minFraction, '0');
  const digits = whole.replace(/^0+/, '').padStart(pattern.wholeDigits, '0');
  const grouped = pattern.grouping > 0 ? group(digits, pattern.grouping, symbols.grouping) : digits;
  const shown = grouped === '' && significant === '' ? '0' : grouped;
  return significant === '' ? shown : shown + symbols.decimal + significant;
}

function group(digits: string, size: number, separator: string): string {
  let text = digits.slice(-size);
  for (let end = digits.length - size; end > 0; end -= size) {
    text = digits.slice(Math.max(0, end - size), end) + separator + text;
  }
  return text;
}

/** The exponent is a multiple of the digits before the point when the pattern has `#` among them. */
function exponential(magnitude: Decimal, pattern: NumberPattern, symbols: Symbols): string {
  const { wholeDigits, maxWholeDigits, maxFraction } = pattern;
  const isGrouped = maxWholeDigits > wholeDigits && maxWholeDigits > 1;
  const digits = (isGrouped ? maxWholeDigits : wholeDigits) + maxFraction;
  const rounded = magnitude.isZero() ? magnitude : magnitude.toSignificantDigits(Math.max(1, digits), pattern.rounding);
  let exponent = rounded.isZero() ? 0 : rounded.e - (isGrouped ? 0 : Math.max(0, wholeDigits - 1));
  if (isGrouped) exponent = Math.floor(exponent / maxWholeDigits) * maxWholeDigits;
  const [whole = '', fraction = ''] = rounded.times(new Decimal(10).pow(-exponent)).toFixed().split('.');
  const power = String(Math.abs(exponent)).padStart(pattern.exponent ?? 1, '0');
  const mantissa = joined(whole, fraction, { pattern: { ...pattern, grouping: 0 }, symbols });
  return `${mantissa}E${exponent < 0 ? '-' : ''}${power}`;
}
