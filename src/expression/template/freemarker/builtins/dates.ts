import { TemplateFailure } from '../errors.ts';
import { isZone, parseDate } from '../date-formats.ts';
import { formatIso } from '../iso-dates.ts';
import { plainText, wrongType } from '../convert.ts';
import { DateValue, type Value } from '../values.ts';
import { textArgument, type Builtin, type BuiltinCall } from './builtin.ts';

type DateType = DateValue['type'];

/** Built-ins of dates. */
export const dateBuiltins: Readonly<Record<string, Builtin>> = {
  date: conversion('date'),
  time: conversion('time'),
  datetime: conversion('datetime'),
  date_if_unknown: asItIs(),
  time_if_unknown: asItIs(),
  datetime_if_unknown: asItIs(),
  ...isoBuiltins(),
};

/** Of a text: reads it, in the format of a member such as `.iso` or of an argument. Of a date: its part. */
function conversion(type: DateType): Builtin {
  return {
    arity: [0, 1],
    evaluate(value, call) {
      if (value instanceof DateValue) return partOf(value, type, call);
      const text = plainText(call.environment, value, call.operand);
      const format = textArgument(call, 0, call.environment.settings[`${type}_format`]);
      return parseDate(text, { format, type }, { environment: call.environment, blamed: call.operand });
    },
  };
}

function partOf(value: DateValue, type: DateType, { operand }: BuiltinCall): Value {
  if (value.type === type) return value;
  if (value.type === 'datetime') return new DateValue(value.millis, type);
  throw new TemplateFailure('type', `A ${value.type} cannot become a ${type}`, operand);
}

function asItIs(): Builtin {
  return {
    evaluate(value, { operand }) {
      if (value instanceof DateValue) return value;
      throw wrongType('a date', value, operand);
    },
  };
}

/** `?iso_utc`, `?iso_local_ms_nz`, `?iso_m("Europe/Vienna")` and so on. */
function isoBuiltins(): Record<string, Builtin> {
  const all: Record<string, Builtin> = {};
  for (const zone of ['', '_utc', '_local'] as const) {
    for (const accuracy of ['', '_ms', '_m', '_h'] as const) {
      for (const mark of ['', '_nz', ...(zone === '_utc' && accuracy === '' ? ['_fz'] : [])]) {
        all[`iso${zone}${accuracy}${mark}`] = iso(zone, accuracy.slice(1), mark);
      }
    }
  }
  return all;
}

function iso(zone: '' | '_utc' | '_local', accuracy: string, mark: string): Builtin {
  return {
    ...(zone === '' ? { arity: [1, 1] as const } : {}),
    evaluate(value, call) {
      if (!(value instanceof DateValue)) throw wrongType('a date', value, call.operand);
      const name = zone === '' ? textArgument(call, 0) : call.environment.settings.time_zone;
      if (!isZone(name))
        throw new TemplateFailure('other', `There is no time zone "${name}"`, call.args[0] ?? call.blamed);
      const options = {
        isXml: false,
        accuracy: accuracy === '' ? 's' : accuracy,
        zone: mark === '_nz' ? ('never' as const) : ('default' as const),
        isUtc: zone === '_utc',
      };
      return formatIso(value, options, name);
    },
  };
}
