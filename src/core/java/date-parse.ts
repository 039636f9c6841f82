import { dayNames, halves, monthNames } from './date-names.ts';
import { type DateDialect, type DateToken, parseDatePattern } from './date-pattern.ts';
import { fixedOffset, instantOf, zoneOffset } from './zones.ts';

/** What was read so far, by letter; texts are resolved to numbers. */
type Fields = Map<string, number | string>;
type Field = Extract<DateToken, { kind: 'field' }>;

/** Where reading goes on, or undefined when the text does not fit. */
type Reader = (text: string, position: number, fields: Fields) => number | undefined;

/**
 * Reads a time with a pattern of `java.text.SimpleDateFormat`, in English. Fields that the pattern lacks are those of
 * 1970-01-01 00:00. The whole text must fit, other than in Java, which ignores what follows.
 *
 * @param zone the zone that is meant when the text names none; see `zoneOffset`
 * @returns milliseconds since the epoch, or undefined when the text does not fit
 * @throws MillraceError `MR_JAVA_DATE_PATTERN`, `MR_TIME_ZONE`
 */
export function parseJavaDate(text: string, pattern: string, zone: string): number | undefined {
  return parse(text, zone, { pattern, dialect: 'SimpleDateFormat' });
}

/** Reads a time with a pattern of `java.time.format.DateTimeFormatter`; see `parseJavaDate`. */
export function parseJavaDateTime(text: string, pattern: string, zone: string): number | undefined {
  return parse(text, zone, { pattern, dialect: 'DateTimeFormatter' });
}

function parse(text: string, zone: string, how: { pattern: string; dialect: DateDialect }): number | undefined {
  const fields: Fields = new Map();
  const end = readTokens(parseDatePattern(how.pattern, how.dialect), how.dialect)(text, 0, fields);
  return end === text.length ? instantFrom(fields, zone, how.dialect) : undefined;
}

function readTokens(tokens: readonly DateToken[], dialect: DateDialect): Reader {
  return (text, position, fields) => {
    let at: number | undefined = position;
    for (const [index, token] of tokens.entries()) {
      if (token.kind === 'text') at = text.startsWith(token.text, at) ? at + token.text.length : undefined;
      else if (token.kind === 'optional') at = readOptional(token.tokens, dialect)(text, at, fields);
      else at = readField(token, isDigitField(tokens[index + 1]), dialect)(text, at, fields);
      if (at === undefined) return undefined;
    }
    return at;
  };
}

function readOptional(tokens: readonly DateToken[], dialect: DateDialect): Reader {
  return (text, position, fields) => {
    const attempt: Fields = new Map(fields);
    const end = readTokens(tokens, dialect)(text, position, attempt);
    if (end === undefined) return position;
    for (const [letter, value] of attempt) fields.set(letter, value);
    return end;
  };
}

/** Fields that stand next to each other, as in `yyyyMMdd`, take exactly their width. */
function isDigitField(token: DateToken | undefined): boolean {
  return (
    token?.kind === 'field' && !/[GEaVzOXxZ]/.test(token.letter) && !(/[MLQq]/.test(token.letter) && token.width > 2)
  );
}

function readField(field: Field, isAdjacent: boolean, dialect: DateDialect): Reader {
  const { letter, width } = field;
  if (letter === 'a') return readName(letter, halves, 2);
  if (letter === 'G') return readName(letter, ['BC', 'AD'], 2);
  if (/[ML]/.test(letter) && width > 2) return readName('M', monthNames, width === 3 ? 3 : 0);
  if (letter === 'E' || (/[ec]/.test(letter) && width > 2)) return readName(letter, dayNames, width < 4 ? 3 : 0);
  if (/[VzOXxZ]/.test(letter)) return readZone;
  return (text, position, fields) => {
    const isFixed = isAdjacent || (dialect === 'DateTimeFormatter' && (width === 2 || letter === 'S'));
    const digits = new RegExp(isFixed ? `\\d{${width}}` : '[+-]?\\d{1,15}', 'y');
    digits.lastIndex = position;
    const [found] = digits.exec(text) ?? [];
    if (found === undefined) return undefined;
    const isFraction = letter === 'S' && dialect === 'DateTimeFormatter';
    fields.set(letter === 'L' ? 'M' : letter, isFraction ? Number(found.padEnd(3, '0').slice(0, 3)) : Number(found));
    if (/[yuY]/.test(letter) && width === 2 && found.length === 2) fields.set('century', 1);
    return position + found.length;
  };
}

/** Reads one of the names in full, or its first letters, in any case. */
function readName(letter: string, names: readonly string[], short: number): Reader {
  return (text, position, fields) => {
    for (const isLong of [true, false]) {
      for (const [index, name] of names.entries()) {
        const wanted = isLong ? name : name.slice(0, short || 3);
        if (text.slice(position, position + wanted.length).toLowerCase() !== wanted.toLowerCase()) continue;
        fields.set(letter, letter === 'M' ? index + 1 : index);
        return position + wanted.length;
      }
    }
    return undefined;
  };
}

const readZone: Reader = (text, position, fields) => {
  const zone = /(?:GMT|UTC)?[+-]\d{1,2}(?::?\d{2})?|[A-Za-z]+(?:\/[A-Za-z_+-]+)*/y;
  zone.lastIndex = position;
  const [found] = zone.exec(text) ?? [];
  if (found === undefined) return undefined;
  fields.set('zone', found);
  return position + found.length;
};

/** What a `DateTimeFormatter` takes, which then pulls 31 April back to 30 April. A day may end at 24:00. */
const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  M: [1, 12],
  d: [1, 31],
  D: [1, 366],
  H: [0, 24],
  h: [0, 12],
  K: [0, 11],
  k: [0, 24],
  m: [0, 59],
  s: [0, 59],
};

function isWithin(value: number | undefined, [least, most]: readonly [number, number]): boolean {
  return value === undefined || (value >= least && value <= most);
}

function instantFrom(fields: Fields, zone: string, dialect: DateDialect): number | undefined {
  const number = (letter: string): number | undefined => {
    const value = fields.get(letter);
    return typeof value === 'number' ? value : undefined;
  };
  const year = yearFrom(number, fields.has('century'), dialect);
  const month = (number('M') ?? 1) - 1;
  let day = number('d') ?? 1;
  const hour = number('H') ?? hourFrom(number);
  const minute = number('m') ?? 0;
  const second = number('s') ?? 0;
  const dayOfYear = number('D');
  if (dialect === 'DateTimeFormatter') {
    if (Object.entries(ranges).some(([letter, range]) => !isWithin(number(letter), range))) return undefined;
    if (hour === 24 && minute + second > 0) return undefined;
    day = Math.min(day, new Date(Date.UTC(2000 + (year % 400), month + 1, 0)).getUTCDate());
  }
  const wall = new Date(0);
  wall.setUTCFullYear(year, dayOfYear === undefined ? month : 0, dayOfYear ?? day);
  wall.setUTCHours(hour, minute, second, number('S') ?? Math.floor((number('n') ?? 0) / 1e6));
  if (Number.isNaN(wall.getTime())) return undefined;
  return instantIn(String(fields.get('zone') ?? zone), wall.getTime(), fields.has('zone'));
}

function instantIn(zone: string, wallMillis: number, isFromText: boolean): number | undefined {
  const offset = fixedOffset(zone);
  if (offset !== undefined) return wallMillis - offset * 60_000;
  try {
    zoneOffset(zone, wallMillis);
  } catch (error) {
    // A name in the text that is no zone means that the text does not fit.
    if (isFromText) return undefined;
    throw error;
  }
  return instantOf(zone, wallMillis);
}

function yearFrom(number: (letter: string) => number | undefined, isShort: boolean, dialect: DateDialect): number {
  const year = number('y') ?? (dialect === 'DateTimeFormatter' ? number('u') : undefined) ?? number('Y') ?? 1970;
  if (number('G') === 0) return 1 - year;
  if (!isShort) return year;
  if (dialect === 'DateTimeFormatter') return 2000 + year;
  // SimpleDateFormat takes two digits for a year from 80 years ago to 20 years ahead.
  const now = new Date().getUTCFullYear();
  const candidate = Math.floor(now / 100) * 100 + year;
  return candidate > now + 20 ? candidate - 100 : candidate < now - 80 ? candidate + 100 : candidate;
}

function hourFrom(number: (letter: string) => number | undefined): number {
  const afternoon = number('a') === 1 ? 12 : 0;
  const twelve = number('h') ?? number('K');
  if (twelve !== undefined) return (twelve % 12) + afternoon;
  return (number('k') ?? 0) % 24;
}
