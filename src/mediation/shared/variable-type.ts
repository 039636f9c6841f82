import { parseJavaDouble, parseJavaLong } from '#core/java';
import { MillraceError, synapseCodes } from '#errors';
import { JsonNumber, parseJson, type JsonValue } from '#json';
import { parseXml, XmlElement } from '#xml';
import { textOfValue } from './typed-value.ts';

/** Types of variables and arguments. `OM` is what some artifacts write for `XML`. */
export const variableTypes = ['STRING', 'BOOLEAN', 'INTEGER', 'LONG', 'DOUBLE', 'JSON', 'XML', 'OM'] as const;
export type VariableType = (typeof variableTypes)[number];

/** The conversions of each type; undefined says that the value does not fit. */
const conversions: Readonly<Record<VariableType, (raw: unknown) => unknown>> = {
  STRING: textOfValue,
  BOOLEAN: (raw) => (/^(?:true|false)$/i.test(textOfValue(raw)) ? /^true$/i.test(textOfValue(raw)) : undefined),
  INTEGER: wholeNumber,
  LONG: wholeNumber,
  DOUBLE: (raw) => parseJavaDouble(textOfValue(raw)),
  JSON: jsonOf,
  XML: elementOf,
  OM: elementOf,
};

/** Converts a value to its declared type; nothing stays nothing. @throws MillraceError when it does not fit */
export function convertVariable(raw: unknown, type: VariableType): unknown {
  if (raw === undefined || raw === null) return raw;
  const converted = conversions[type](raw);
  if (converted !== undefined) return converted;
  throw new MillraceError({
    code: synapseCodes.mediation,
    message: `Expression result does not match the expected data type '${type}': found ${describe(raw)}`,
  });
}

function describe(raw: unknown): string {
  const kind = raw instanceof JsonNumber ? 'number' : raw instanceof XmlElement ? 'XML' : typeof raw;
  return `${kind} '${textOfValue(raw).slice(0, 80)}'`;
}

/** A number of JSON loses its fraction; text has to be a whole number already (mediators 2.3). */
function wholeNumber(raw: unknown): number | undefined {
  const text = textOfValue(raw);
  const value = parseJavaLong(text);
  if (value !== undefined) return Number(value);
  const cut = raw instanceof JsonNumber ? Math.trunc(Number(text)) : Number.NaN;
  return Math.abs(cut) < 2 ** 63 ? cut : undefined;
}

function jsonOf(raw: unknown): JsonValue | undefined {
  if (typeof raw !== 'string') return raw as JsonValue;
  try {
    return parseJson(raw);
  } catch {
    return undefined;
  }
}

function elementOf(raw: unknown): XmlElement | undefined {
  if (raw instanceof XmlElement) return raw;
  try {
    return parseXml(textOfValue(raw)).root;
  } catch {
    return undefined;
  }
}
