import type { Decimal } from 'decimal.js';
import { TemplateFailure, type Blamed } from './errors.ts';
import { formatWithPattern, parsePattern, type NumberPattern, type Symbols } from './decimal-format.ts';
import { binaryValueOf, decimalOf } from './numbers.ts';
import type { Environment } from './environment.ts';
import type { Numeric } from './values.ts';

export interface FormatPlace {
  readonly environment: Environment;
  readonly blamed: Blamed;
}

const computerSymbols: Symbols = { decimal: '.', grouping: ',', minus: '-', infinity: 'INF', nan: 'NaN' };
const computerPattern = parsePattern('0.################');
const named: ReadonlyMap<string, string> = new Map([
  ['', '#,##0.###'],
  ['number', '#,##0.###'],
  ['currency', '\u00a4#,##0.00'],
  ['percent', '#,##0%'],
]);

/** A number as computers read it, `?c`: no grouping, a point, at most 16 digits behind it. */
export function computerNumber(value: Numeric, blamed: Blamed): string {
  const decimal = sized(value, blamed);
  if (decimal.isNaN()) return 'NaN';
  if (decimal.isInteger()) return decimal.isZero() ? '0' : decimal.toFixed();
  return formatWithPattern(binaryValueOf(value), computerPattern, computerSymbols);
}

/**
 * A number in a format: a name, or a pattern of `java.text.DecimalFormat`.
 *
 * @throws TemplateFailure for a malformed pattern
 */
export function formatNumber(format: string, value: Numeric, { environment, blamed }: FormatPlace): string {
  if (format === 'computer' || format === 'c') return computerNumber(value, blamed);
  sized(value, blamed);
  let pattern: NumberPattern;
  try {
    pattern = parsePattern(named.get(format) ?? format);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TemplateFailure('other', `Malformed number format "${format}": ${error.message}`, blamed);
  }
  return formatWithPattern(binaryValueOf(value), pattern, symbolsOf(environment.settings.locale));
}

/** Numbers with thousands of digits come from calculations that run away. */
function sized(value: Numeric, blamed: Blamed): Decimal {
  const decimal = decimalOf(value);
  if (decimal.isFinite() && decimal.e > 1000) {
    throw new TemplateFailure('limit', 'A number has more than 1000 digits', blamed);
  }
  return decimal;
}

const knownSymbols = new Map<string, Symbols>();

/** The signs that a locale writes numbers with. */
function symbolsOf(locale: string): Symbols {
  const present = knownSymbols.get(locale);
  if (present) return present;
  const parts = new Intl.NumberFormat(localeTag(locale), { useGrouping: true }).formatToParts(-1234567.5);
  const sign = (type: string, fallback: string): string => parts.find((part) => part.type === type)?.value ?? fallback;
  const symbols = {
    decimal: sign('decimal', '.'),
    grouping: sign('group', ','),
    minus: '-',
    infinity: '\u221e',
    nan: 'NaN',
  };
  if (knownSymbols.size < 100) knownSymbols.set(locale, symbols);
  return symbols;
}

/** A locale of Java, `de_DE`, as a language tag; a wrong country leaves the language, a wrong language English. */
export function localeTag(locale: string): string {
  for (const tag of [locale.replaceAll('_', '-'), locale.split('_')[0] ?? '']) {
    if (/^[A-Za-z]{2,3}(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-[A-Za-z0-9]{5,8})*$/.test(tag)) return tag;
  }
  return 'en-US';
}
