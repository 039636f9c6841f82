import { fixedOffset, formatJavaDate, parseJavaDate, zoneOffset } from '#core/java';
import { MillraceError } from '#errors';
import { formatIso, parseIso, type IsoOptions } from './iso-dates.ts';
import { TemplateFailure } from './errors.ts';
import type { FormatPlace } from './number-formats.ts';
import { DateValue } from './values.ts';

type DateType = DateValue['type'];

const dayPatterns: Readonly<Record<string, string>> = {
  short: 'M/d/yy',
  medium: 'MMM d, yyyy',
  long: 'MMMM d, yyyy',
  full: 'EEEE, MMMM d, yyyy',
};
const timePatterns: Readonly<Record<string, string>> = {
  short: 'h:mm a',
  medium: 'h:mm:ss a',
  long: 'h:mm:ss a z',
  full: 'h:mm:ss a zzzz',
};

/**
 * The pattern behind `short`, `medium_long` and the like, in English. Long and full days are joined to long and full
 * times by "at".
 */
function stylePattern(format: string, type: DateType): string | undefined {
  const [first = '', second = first] = (format === '' ? 'medium' : format).split('_');
  const day = dayPatterns[first];
  const time = timePatterns[type === 'time' ? first : second];
  if (type === 'date') return day;
  if (type === 'time') return time;
  if (day === undefined || time === undefined) return undefined;
  return `${day}${isLong(first) && isLong(second) ? " 'at' " : ', '}${time}`;
}

function isLong(style: string): boolean {
  return style === 'long' || style === 'full';
}

/** `iso`, `xs` and their options, such as `iso_m_u`; undefined for other formats. */
function isoOptions(format: string): IsoOptions | undefined {
  const match = /^(iso|xs)((?:[ _](?:nz|fz|u|ms|h|m|s))*)$/.exec(format);
  if (!match) return undefined;
  const options = (match[2] ?? '').split(/[ _]/);
  const accuracy = options.find((option) => option === 'ms' || option === 'h' || option === 'm' || option === 's');
  return {
    isXml: match[1] === 'xs',
    accuracy,
    zone: options.includes('nz') ? 'never' : options.includes('fz') ? 'always' : 'default',
    isUtc: options.includes('u'),
  };
}

/** Writes a date in a format: a style such as `short`, `iso…`, `xs…`, or a pattern of `SimpleDateFormat`. */
export function formatDate(format: string, date: DateValue, place: FormatPlace): string {
  const zone = javaZone(place.environment.settings.time_zone);
  const iso = isoOptions(format);
  if (iso) return formatIso(date, iso, zone);
  const style = stylePattern(format, date.type);
  const pattern = (isUtc(zone) ? style?.replace('zzzz', "'Coordinated Universal Time'") : style) ?? format;
  return reporting(format, place, () => formatJavaDate(date.millis, pattern, zone));
}

/** Reads a date in a format; see `formatDate`. @throws TemplateFailure when the text does not fit */
export function parseDate(
  text: string,
  { format, type }: { format: string; type: DateType },
  place: FormatPlace,
): DateValue {
  const zone = javaZone(place.environment.settings.time_zone);
  const millis = isoOptions(format)
    ? parseIso(text, type, zone)
    : reporting(format, place, () => parseLenient(text, stylePattern(format, type) ?? format, zone));
  if (millis === undefined) {
    throw new TemplateFailure('other', `"${text.slice(0, 100)}" is no ${type} of the format "${format}"`, place.blamed);
  }
  return new DateValue(millis, type);
}

/** Java ignores what follows after a date; so a text is read with what its pattern covers. */
function parseLenient(text: string, pattern: string, zone: string): number | undefined {
  const whole = parseJavaDate(text, pattern, zone);
  if (whole !== undefined) return whole;
  for (let end = text.length - 1; end > 0 && end > text.length - 100; end--) {
    const part = parseJavaDate(text.slice(0, end), pattern, zone);
    if (part !== undefined) return part;
  }
  return undefined;
}

function reporting<T>(format: string, { blamed }: FormatPlace, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    throw new TemplateFailure('other', `Malformed date format "${format}": ${error.message}`, blamed);
  }
}

/** True for a name of a time zone that exists. */
export function isZone(name: string): boolean {
  if (fixedOffset(name) !== undefined) return true;
  try {
    zoneOffset(name, 0);
    return true;
  } catch (error) {
    if (error instanceof MillraceError) return false;
    throw error;
  }
}

function isUtc(zone: string): boolean {
  return zone === 'UTC' || zone === 'Z';
}

function javaZone(name: string): string {
  return name === 'JVM default' ? 'UTC' : name;
}
