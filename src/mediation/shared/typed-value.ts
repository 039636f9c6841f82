import { parseJavaDouble, parseJavaLong } from '#core/java';
import { MillraceError, messageOf, synapseCodes } from '#errors';
import { textOf } from '#expression';
import { parseJson } from '#json';
import { parseXml, type XmlElement } from '#xml';

export const propertyTypes = [
  'STRING',
  'BOOLEAN',
  'INTEGER',
  'LONG',
  'SHORT',
  'FLOAT',
  'DOUBLE',
  'OM',
  'JSON',
] as const;
export type PropertyType = (typeof propertyTypes)[number];

/** A value that is not what its declared type asks for. */
class TypeMismatch extends MillraceError {
  constructor(text: string, type: string, cause?: unknown) {
    super({ code: synapseCodes.mediation, message: `The value "${text.slice(0, 80)}" is not of type ${type}`, cause });
  }
}

/** The conversions of the property mediator, by type (mediators 2.2). `truncate` cuts the fraction of an integer. */
const conversions: Readonly<Record<PropertyType, (text: string, truncate: boolean) => unknown>> = {
  STRING: (text) => text,
  BOOLEAN: (text) => /^(?:true|yes|1)$/i.test(text.trim()),
  INTEGER: (text, truncate) => integerOf(text, truncate, 'INTEGER'),
  SHORT: (text, truncate) => integerOf(text, truncate, 'SHORT'),
  LONG: (text) => integerOf(text, false, 'LONG'),
  FLOAT: (text) => decimalOf(text, 'FLOAT'),
  DOUBLE: (text) => decimalOf(text, 'DOUBLE'),
  OM: (text) => elementOf(text),
  JSON: (text) => jsonTextOf(text),
};

/** Converts the text of a property to its declared type. @throws MillraceError when the text does not fit */
export function convertProperty(text: string, type: PropertyType, truncate: boolean): unknown {
  return conversions[type](text, truncate);
}

function integerOf(text: string, truncate: boolean, type: string): number {
  const whole = truncate ? Math.trunc(decimalOf(text, type)) : parseJavaLong(text.trim());
  if (whole === undefined || Number.isNaN(whole)) throw new TypeMismatch(text, type);
  return Number(whole);
}

function decimalOf(text: string, type: string): number {
  const value = parseJavaDouble(text);
  if (value === undefined) throw new TypeMismatch(text, type);
  return value;
}

function elementOf(text: string): XmlElement {
  try {
    return parseXml(text).root;
  } catch (error) {
    throw new TypeMismatch(text, `OM (${messageOf(error)})`, error);
  }
}

/** JSON text as it is; what is no JSON is taken as a string (mediators 2.2). */
function jsonTextOf(text: string): string {
  try {
    parseJson(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** Anything that a property or expression holds, as text for logs, headers and addresses. */
export function textOfValue(value: unknown): string {
  return value instanceof Error ? value.message : textOf(value);
}
