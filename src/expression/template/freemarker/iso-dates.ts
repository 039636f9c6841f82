import { fixedOffset, instantOf, zoneOffset } from '#core/java';
import type { DateValue } from './values.ts';

export interface IsoOptions {
  /** XML Schema demands all digits of seconds and writes a zone with dates. */
  readonly isXml: boolean;
  readonly accuracy: string | undefined;
  readonly zone: 'never' | 'always' | 'default';
  readonly isUtc: boolean;
}

/** Writes a date by ISO 8601:2004, or by XML Schema. */
export function formatIso(date: DateValue, options: IsoOptions, zone: string): string {
  const offset = options.isUtc ? 0 : zoneOffset(zone, date.millis);
  const wall = new Date(date.millis + offset * 60_000);
  const day = `${yearText(wall.getUTCFullYear())}-${pad(wall.getUTCMonth() + 1)}-${pad(wall.getUTCDate())}`;
  const hasZone = options.zone === 'always' || (options.zone === 'default' && (options.isXml || date.type !== 'date'));
  const suffix = hasZone ? zoneText(offset, options) : '';
  if (date.type === 'date') return day + (options.isXml ? suffix : '');
  const time = timeText(wall, options);
  return (date.type === 'time' ? time : `${day}T${time}`) + suffix;
}

function timeText(wall: Date, { accuracy, isXml }: IsoOptions): string {
  const hours = pad(wall.getUTCHours());
  if (accuracy === 'h' && !isXml) return hours;
  const minutes = `${hours}:${pad(wall.getUTCMinutes())}`;
  if (accuracy === 'm' && !isXml) return minutes;
  const seconds = `${minutes}:${pad(wall.getUTCSeconds())}`;
  const millis = String(wall.getUTCMilliseconds()).padStart(3, '0');
  if (accuracy === 'ms') return `${seconds}.${millis}`;
  const fraction = millis.replace(/0+$/, '');
  return accuracy === 's' || fraction === '' ? seconds : `${seconds}.${fraction}`;
}

function zoneText(offset: number, { isUtc, isXml }: IsoOptions): string {
  if (isUtc || (offset === 0 && !isXml)) return 'Z';
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

function yearText(year: number): string {
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0');
}

const day = /^(-?\d{4,})-?(\d{2})-?(\d{2})/;
const time = /^(\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?/;

/** Reads a date by ISO 8601; undefined when the text is none of this type. */
export function parseIso(text: string, type: DateValue['type'], zone: string): number | undefined {
  const dayMatch = type === 'time' ? undefined : day.exec(text);
  if (type !== 'time' && !dayMatch) return undefined;
  let rest = text.slice(dayMatch?.[0].length ?? 0);
  if (type === 'datetime') {
    if (!rest.startsWith('T')) return undefined;
    rest = rest.slice(1);
  }
  const timeMatch = type === 'date' ? undefined : time.exec(rest);
  if (type !== 'date' && !timeMatch) return undefined;
  rest = rest.slice(timeMatch?.[0].length ?? 0);
  const offset = rest === '' ? undefined : /^(?:Z|[+-]\d{2}(?::?\d{2})?)$/.test(rest) ? fixedOffset(rest) : Number.NaN;
  if (Number.isNaN(offset)) return undefined;
  const [, year = '1970', month = '1', date = '1'] = dayMatch ?? [];
  const [, hours = '0', minutes = '0', seconds = '0', fraction = '0'] = timeMatch ?? [];
  const wall = new Date(0);
  wall.setUTCFullYear(Number(year), Number(month) - 1, Number(date));
  wall.setUTCHours(Number(hours), Number(minutes), Number(seconds), Number(fraction.padEnd(3, '0').slice(0, 3)));
  const isExact = wall.getUTCDate() === Number(date) || Number(hours) === 24;
  if (!isExact || Number(hours) > 24 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  return offset === undefined ? instantOf(zone, wall.getTime()) : wall.getTime() - offset * 60_000;
}
