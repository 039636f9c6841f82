import { MillraceError } from '#errors';
import { instantOf, zoneOffset } from './zones.ts';

/** A schedule in the syntax of Quartz. */
export interface QuartzCron {
  /** The first instant after `after` (milliseconds since the epoch); undefined when there is none any more. */
  next(after: number): number | undefined;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

/** The day fields of an expression; one of them is `?`. */
type DayRule = (year: number, month: number) => readonly number[];

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
/** Quartz counts weekdays from Sunday, 1. */
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const second: Field = { name: 'second', least: 0, most: 59 };
const minute: Field = { name: 'minute', least: 0, most: 59 };
const hour: Field = { name: 'hour', least: 0, most: 23 };
const dayOfMonth: Field = { name: 'day of month', least: 1, most: 31 };
const monthOfYear: Field = { name: 'month', least: 1, most: 12, names: monthNames };
const dayOfWeek: Field = { name: 'day of week', least: 1, most: 7, names: dayNames };
const yearOfTime: Field = { name: 'year', least: 1970, most: 2099 };

const dayMillis = 86_400_000;

/**
 * Compiles a cron expression of Quartz: seconds, minutes, hours, day of month, month, day of week and, if written, year
 * (runtime-core 1.3).
 *
 * @param zone the time zone of its hours and days, as `zoneOffset` knows them
 * @throws MillraceError `MR_CRON` naming the field
 */
export function compileQuartzCron(expression: string, zone: string): QuartzCron {
  const fields = expression.trim().toUpperCase().split(/\s+/);
  if (fields.length < 6 || fields.length > 7) {
    throw refused(expression, `it has ${fields.length} fields and needs 6 or 7, the first being seconds`);
  }
  const [seconds = '', minutes = '', hours = '', days = '', months = '', weekdays = '', years = '*'] = fields;
  const valuesOf = (text: string, field: Field): readonly number[] => readField(text, field, expression);
  const plan = {
    seconds: valuesOf(seconds, second),
    minutes: valuesOf(minutes, minute),
    hours: valuesOf(hours, hour),
    months: valuesOf(months, monthOfYear),
    years: valuesOf(years, yearOfTime),
    days: readDays(days, weekdays, expression),
  };
  // An instant that no zone knows is found here and not when the first run is due.
  zoneOffset(zone, 0);
  return {
    next(after) {
      const wall = after + zoneOffset(zone, after) * 60_000;
      for (const candidate of wallTimes(plan, Math.floor(wall / 1000) * 1000)) {
        const instant = instantOf(zone, candidate);
        // A time that a change of clocks leaves out has no run; of one that it shows twice the second counts, as in Java.
        const isShown = instant + zoneOffset(zone, instant) * 60_000 === candidate;
        if (isShown && instant > after) return instant;
      }
      return undefined;
    },
  };
}

interface Plan {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[];
  readonly years: readonly number[];
  readonly days: DayRule;
}

/** The times of a plan, as clocks show them, from `from` on (as if it were UTC). */
function* wallTimes(plan: Plan, from: number): Generator<number> {
  const start = new Date(from);
  const firstDay = Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate());
  for (const year of plan.years) {
    if (year < start.getUTCFullYear()) continue;
    for (const month of plan.months) {
      if (Date.UTC(year, month, 0) < firstDay) continue;
      for (const day of plan.days(year, month)) {
        const midnight = Date.UTC(year, month - 1, day);
        if (midnight < firstDay) continue;
        yield* timesOfDay(plan, midnight, from);
      }
    }
  }
}

function* timesOfDay(plan: Plan, midnight: number, from: number): Generator<number> {
  for (const hours of plan.hours) {
    if (midnight + (hours + 1) * 3_600_000 <= from) continue;
    for (const minutes of plan.minutes) {
      const time = midnight + hours * 3_600_000 + minutes * 60_000;
      if (time + 60_000 <= from) continue;
      for (const seconds of plan.seconds) if (time + seconds * 1000 >= from) yield time + seconds * 1000;
    }
  }
}

/** Values of a field in ascending order: lists, ranges, steps, names. */
function readField(text: string, field: Field, expression: string): readonly number[] {
  const values = new Set<number>();
  for (const part of text.split(',')) for (const value of readPart(part, field, expression)) values.add(value);
  return [...values].sort((left, right) => left - right);
}

function readPart(part: string, field: Field, expression: string): readonly number[] {
  const { least, most } = field;
  const fail = (): never => {
    throw refused(expression, `"${part}" is no ${field.name}`);
  };
  const [range = '', stepText, ...rest] = part.split('/');
  if (rest.length > 0) fail();
  const step = stepText === undefined ? 1 : /^\d+$/.test(stepText) ? Number(stepText) : fail();
  if (step < 1 || step > most) fail();
  const numberOf = (word: string): number => {
    const index = field.names?.indexOf(word) ?? -1;
    const value = index >= 0 ? index + least : /^\d+$/.test(word) ? Number(word) : Number.NaN;
    return value >= least && value <= most ? value : fail();
  };
  const [first = '', last] = range === '' || range === '*' ? [String(least), String(most)] : range.split('-', 2);
  const begin = numberOf(first);
  const end = last === undefined ? (stepText === undefined ? begin : most) : numberOf(last);
  // A range such as FRI-MON or 22-2 goes on from the start.
  const size = most - least + 1;
  const length = end >= begin ? end - begin : end - begin + size;
  const values: number[] = [];
  for (let offset = 0; offset <= length; offset += step) values.push(((begin - least + offset) % size) + least);
  return values;
}

function readDays(days: string, weekdays: string, expression: string): DayRule {
  if (days === '?' && weekdays === '?') throw refused(expression, 'only one of the two day fields can be "?"');
  if (days !== '?' && weekdays !== '?') {
    throw refused(expression, 'a day of month and a day of week exclude each other; one of them must be "?"');
  }
  return weekdays === '?' ? readDaysOfMonth(days, expression) : readDaysOfWeek(weekdays, expression);
}

/** `L`, `L-3`, `LW`, `15W`, or values. */
function readDaysOfMonth(text: string, expression: string): DayRule {
  const fromEnd = /^L(?:-(\d{1,2}))?(W)?$/.exec(text);
  if (fromEnd) {
    const [, offset = '0', nearest] = fromEnd;
    if (Number(offset) > 30) throw refused(expression, `"${text}" is no ${dayOfMonth.name}`);
    return (year, month) => {
      const day = lastDay(year, month) - Number(offset);
      if (day < 1) return [];
      return [nearest === undefined ? day : nearestWorkday(year, month, day)];
    };
  }
  const workday = /^(\d{1,2})W$/.exec(text);
  if (workday) {
    const wanted = readPart(workday[1] ?? '', dayOfMonth, expression)[0] ?? 1;
    return (year, month) => (wanted > lastDay(year, month) ? [] : [nearestWorkday(year, month, wanted)]);
  }
  const values = readField(text, dayOfMonth, expression);
  return (year, month) => values.filter((day) => day <= lastDay(year, month));
}

/** `L`, `6L`, `6#3`, or values. */
function readDaysOfWeek(text: string, expression: string): DayRule {
  const special = /^(\w+?)(?:L|#([1-5]))$/.exec(text);
  if (special) {
    const [, name = '', number] = special;
    const weekday = readPart(name, dayOfWeek, expression)[0] ?? 1;
    return (year, month) => {
      const matching = daysWith(year, month, [weekday]);
      const day = number === undefined ? matching.at(-1) : matching[Number(number) - 1];
      return day === undefined ? [] : [day];
    };
  }
  const values = text === 'L' ? [7] : readField(text, dayOfWeek, expression);
  return (year, month) => daysWith(year, month, values);
}

function daysWith(year: number, month: number, weekdays: readonly number[]): number[] {
  const days = Array.from({ length: lastDay(year, month) }, (_, index) => index + 1);
  return days.filter((day) => weekdays.includes(weekdayOf(year, month, day)));
}

/** The working day closest to a day, in the same month. */
function nearestWorkday(year: number, month: number, day: number): number {
  switch (weekdayOf(year, month, day)) {
    case 7:
      return day === 1 ? 3 : day - 1;
    case 1:
      return day === lastDay(year, month) ? day - 2 : day + 1;
    default:
      return day;
  }
}

function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
}

function lastDay(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 1) - dayMillis).getUTCDate();
}

function refused(expression: string, reason: string): MillraceError {
  return new MillraceError({
    code: 'MR_CRON',
    message: `The cron expression "${expression.slice(0, 100)}" is refused: ${reason}`,
  });
}
