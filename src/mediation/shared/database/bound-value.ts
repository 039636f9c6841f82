import { parseJavaDouble } from '#core/java';
import type { SqlValue } from '#db';
import { MillraceError, synapseCodes } from '#errors';

/** Types of parameters, each with the conversion of a text into what is bound (mediators 7.2). */
const conversions = {
  CHAR: textOf,
  VARCHAR: textOf,
  LONGVARCHAR: textOf,
  NUMERIC: decimalOf,
  DECIMAL: decimalOf,
  BIT: (text) => (/^(?:true|1)$/i.test(text) ? 1 : 0),
  TINYINT: (text) => integerOf(text, 'TINYINT', 2n ** 7n),
  SMALLINT: (text) => integerOf(text, 'SMALLINT', 2n ** 15n),
  INTEGER: (text) => integerOf(text, 'INTEGER', 2n ** 31n),
  BIGINT: (text) => integerOf(text, 'BIGINT', 2n ** 63n),
  REAL: (text) => numberOf(text, 'REAL'),
  FLOAT: (text) => numberOf(text, 'FLOAT'),
  DOUBLE: (text) => numberOf(text, 'DOUBLE'),
  DATE: (text) => matching(text, 'DATE', /^\d{4}-\d{1,2}-\d{1,2}$/),
  TIME: (text) => matching(text, 'TIME', /^\d{1,2}:\d{1,2}:\d{1,2}$/),
  TIMESTAMP: (text) => matching(text, 'TIMESTAMP', /^\d{4}-\d{1,2}-\d{1,2} \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d{1,9})?$/),
} as const satisfies Readonly<Record<string, (text: string) => SqlValue>>;

export type SqlType = keyof typeof conversions;
export const sqlTypes = Object.keys(conversions) as readonly SqlType[];

/**
 * The value that a text is bound as; nothing and an empty text bind NULL.
 *
 * @throws MillraceError for a text that is none of the type
 */
export function boundValue(text: string | undefined, type: SqlType): SqlValue {
  return text === undefined || text === '' ? null : conversions[type](text);
}

function textOf(text: string): SqlValue {
  return text;
}

function integerOf(text: string, type: string, limit: bigint): SqlValue {
  const trimmed = text.trim();
  if (!/^[+-]?\d{1,19}$/.test(trimmed)) throw mismatch(text, type);
  const value = BigInt(trimmed.replace(/^\+/, ''));
  if (value >= limit || value < -limit) throw mismatch(text, type);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Decimals that a double holds exactly as they are written are bound as numbers, others as their text. */
function decimalOf(text: string): SqlValue {
  const trimmed = text.trim();
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed)) throw mismatch(text, 'DECIMAL');
  const value = Number(trimmed);
  return String(value) === trimmed ? value : trimmed;
}

function numberOf(text: string, type: string): SqlValue {
  const value = parseJavaDouble(text.trim());
  if (value === undefined) throw mismatch(text, type);
  return value;
}

function matching(text: string, type: string, pattern: RegExp): SqlValue {
  if (!pattern.test(text.trim())) throw mismatch(text, type);
  return text.trim();
}

function mismatch(text: string, type: string): MillraceError {
  return new MillraceError({
    code: synapseCodes.mediation,
    message: `The parameter "${text.slice(0, 80)}" is not of type ${type}`,
  });
}
