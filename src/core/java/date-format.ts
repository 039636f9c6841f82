import { dayNames, halves, monthNames } from './date-names.ts';
import { type DateDialect, type DateToken, parseDatePattern } from './date-pattern.ts';
import { zoneName, zoneOffset } from './zones.ts';

const dayLength = 86_400_000;

/** What the letters of a pattern read. */
interface Moment {
  readonly epochMillis: number;
  readonly zone: string;
  /** Minutes east of UTC. */
  readonly offset: number;
  /** The zone's wall clock as if it were UTC. */
  readonly wall: Date;
  readonly dialect: DateDialect;
}

/**
 * Formats an instant with a pattern of `java.text.SimpleDateFormat`, in English.
 *
 * @param zone see `zoneOffset`
 * @throws MillraceError `MR_JAVA_DATE_PATTERN`, `MR_TIME_ZONE`
 */
export function formatJavaDate(epochMillis: number, pattern: string, zone: string): string {
  return format(epochMillis, zone, { pattern, dialect: 'SimpleDateFormat' });
}

/** Formats an instant with a pattern of `java.time.format.DateTimeFormatter`; see `formatJavaDate`. */
export function formatJavaDateTime(epochMillis: number, pattern: string, zone: string): string {
  return format(epochMillis, zone, { pattern, dialect: 'DateTimeFormatter' });
}

function format(epochMillis: number, zone: string, how: { pattern: string; dialect: DateDialect }): string {
  const tokens = parseDatePattern(how.pattern, how.dialect);
  const offset = zoneOffset(zone, epochMillis);
  const wall = new Date(epochMillis + offset * 60_000);
  return formatTokens(tokens, { epochMillis, zone, offset, wall, dialect: how.dialect });
}

function formatTokens(tokens: readonly DateToken[], moment: Moment): string {
  return tokens
    .map((token) => {
      if (token.kind === 'text') return token.text;
      if (token.kind === 'optional') return formatTokens(token.tokens, moment);
      return (fields[token.letter] ?? unknownField)(moment, token.width);
    })
    .join('');
}

function unknownField(): string {
  return '';
}

/** One row per letter. */
const fields: Readonly<Record<string, (moment: Moment, width: number) => string>> = {
  G: ({ wall }, width) => {
    const isBefore = wall.getUTCFullYear() < 1;
    return width === 4 ? (isBefore ? 'Before Christ' : 'Anno Domini') : isBefore ? 'BC' : 'AD';
  },
  y: ({ wall, dialect }, width) => yearText(eraYear(wall.getUTCFullYear()), width, dialect),
  u: ({ wall, dialect }, width) =>
    dialect === 'SimpleDateFormat' ? pad(isoDay(wall), width) : yearText(wall.getUTCFullYear(), width, dialect),
  Y: ({ wall, dialect }, width) => yearText(weekYear(wall), width, dialect),
  M: ({ wall }, width) => monthText(wall, width),
  L: ({ wall }, width) => monthText(wall, width),
  Q: ({ wall }, width) => quarterText(wall, width),
  q: ({ wall }, width) => quarterText(wall, width),
  w: ({ wall }, width) => pad(weekOfYear(wall), width),
  W: ({ wall }, width) => pad(weekOfMonth(wall), width),
  D: ({ wall }, width) => pad(dayOfYear(wall), width),
  d: ({ wall }, width) => pad(wall.getUTCDate(), width),
  F: ({ wall }, width) => pad(Math.ceil(wall.getUTCDate() / 7), width),
  E: ({ wall }, width) => dayText(wall, width),
  e: ({ wall }, width) => (width < 3 ? pad(wall.getUTCDay() + 1, width) : dayText(wall, width)),
  c: ({ wall }, width) => (width < 3 ? pad(wall.getUTCDay() + 1, width) : dayText(wall, width)),
  a: ({ wall }) => halves[wall.getUTCHours() < 12 ? 0 : 1] ?? '',
  H: ({ wall }, width) => pad(wall.getUTCHours(), width),
  k: ({ wall }, width) => pad(wall.getUTCHours() || 24, width),
  K: ({ wall }, width) => pad(wall.getUTCHours() % 12, width),
  h: ({ wall }, width) => pad(wall.getUTCHours() % 12 || 12, width),
  m: ({ wall }, width) => pad(wall.getUTCMinutes(), width),
  s: ({ wall }, width) => pad(wall.getUTCSeconds(), width),
  S: ({ wall, dialect }, width) => {
    const milliseconds = wall.getUTCMilliseconds();
    return dialect === 'SimpleDateFormat'
      ? pad(milliseconds, width)
      : pad(milliseconds, 3).padEnd(9, '0').slice(0, width);
  },
  A: ({ wall }, width) => pad(wall.getTime() - startOfDay(wall), width),
  n: ({ wall }, width) => pad(wall.getUTCMilliseconds() * 1_000_000, width),
  N: ({ wall }, width) => pad((wall.getTime() - startOfDay(wall)) * 1_000_000, width),
  V: ({ zone }) => zone,
  z: ({ zone, epochMillis }, width) => zoneName(zone, epochMillis, width >= 4 ? 'long' : 'short'),
  O: ({ offset }, width) => (offset === 0 ? 'GMT' : `GMT${offsetText(offset, width === 4 ? ':' : 'short')}`),
  Z: ({ offset, dialect }, width) => {
    if (dialect === 'DateTimeFormatter' && width === 4) return offset === 0 ? 'GMT' : `GMT${offsetText(offset, ':')}`;
    if (dialect === 'DateTimeFormatter' && width === 5) return offset === 0 ? 'Z' : offsetText(offset, ':');
    return offsetText(offset, '');
  },
  X({ offset, dialect }, width) {
    if (offset === 0) return 'Z';
    // SimpleDateFormat leaves the minutes out of the short form even when there are some.
    return dialect === 'SimpleDateFormat' && width === 1
      ? offsetText(offset, '').slice(0, 3)
      : isoOffset(offset, width);
  },
  x: ({ offset }, width) => isoOffset(offset, width),
};

function pad(value: number, width: number): string {
  const text = String(Math.abs(value)).padStart(width, '0');
  return value < 0 ? `-${text}` : text;
}

function eraYear(year: number): number {
  return year < 1 ? 1 - year : year;
}

function yearText(year: number, width: number, dialect: DateDialect): string {
  if (width === 2) return pad(year % 100, 2);
  const text = pad(year, width);
  // DateTimeFormatter marks years that need more digits than the pattern has.
  return dialect === 'DateTimeFormatter' && width >= 4 && year > 9999 && text.length > width ? `+${text}` : text;
}

function monthText(wall: Date, width: number): string {
  const month = wall.getUTCMonth();
  const name = monthNames[month] ?? '';
  if (width < 3) return pad(month + 1, width);
  return width === 3 ? name.slice(0, 3) : width === 5 ? name.slice(0, 1) : name;
}

function dayText(wall: Date, width: number): string {
  const name = dayNames[wall.getUTCDay()] ?? '';
  return width < 4 ? name.slice(0, 3) : width === 5 ? name.slice(0, 1) : name;
}

function quarterText(wall: Date, width: number): string {
  const quarter = Math.floor(wall.getUTCMonth() / 3) + 1;
  if (width < 3) return pad(quarter, width);
  return width === 3 ? `Q${quarter}` : `${['1st', '2nd', '3rd', '4th'][quarter - 1]} quarter`;
}

/** 1 for Monday to 7 for Sunday. */
function isoDay(wall: Date): number {
  return wall.getUTCDay() || 7;
}

function startOfDay(wall: Date): number {
  return Math.floor(wall.getTime() / dayLength) * dayLength;
}

function dayOfYear(wall: Date): number {
  return (startOfDay(wall) - yearStart(wall.getUTCFullYear())) / dayLength + 1;
}

function yearStart(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1);
}

/** Weeks as in the United States: they begin on Sunday, and week 1 holds the first of January. */
function weekOfYear(wall: Date): number {
  if (weekYear(wall) > wall.getUTCFullYear()) return 1;
  const firstDay = new Date(yearStart(wall.getUTCFullYear())).getUTCDay();
  return Math.floor((dayOfYear(wall) - 1 + firstDay) / 7) + 1;
}

function weekYear(wall: Date): number {
  const year = wall.getUTCFullYear();
  const saturday = startOfDay(wall) + (6 - wall.getUTCDay()) * dayLength;
  return saturday >= yearStart(year + 1) ? year + 1 : year;
}

function weekOfMonth(wall: Date): number {
  const firstDay = (wall.getUTCDay() - ((wall.getUTCDate() - 1) % 7) + 7) % 7;
  return Math.floor((wall.getUTCDate() - 1 + firstDay) / 7) + 1;
}

function offsetText(offset: number, separator: '' | ':' | 'short'): string {
  const sign = offset < 0 ? '-' : '+';
  const hours = Math.floor(Math.abs(offset) / 60);
  const minutes = Math.abs(offset) % 60;
  if (separator === 'short') return sign + hours + (minutes > 0 ? `:${pad(minutes, 2)}` : '');
  return sign + pad(hours, 2) + separator + pad(minutes, 2);
}

function isoOffset(offset: number, width: number): string {
  if (width === 1) return offset % 60 === 0 ? offsetText(offset, '').slice(0, 3) : offsetText(offset, '');
  return offsetText(offset, width === 2 || width === 4 ? '' : ':');
}
