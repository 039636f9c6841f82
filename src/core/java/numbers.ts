/** The text of a double as `Double.toString` writes it: `9.0`, `2.0E9`, `1.0E-5`, `NaN`, `Infinity`. */
export function formatJavaNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-3 && magnitude < 1e7) return withFraction(String(value));
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${withFraction(digits)}E${Number(exponent)}`;
}

/** `Integer.parseInt`; undefined where Java raises a NumberFormatException. Text is not trimmed. */
export function parseJavaInteger(text: string): number | undefined {
  const value = parseJavaLong(text);
  return value !== undefined && value >= -0x8000_0000n && value <= 0x7fff_ffffn ? Number(value) : undefined;
}

/** `Long.parseLong`; undefined where Java raises a NumberFormatException. */
export function parseJavaLong(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const decimal = /^[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/;
const hexadecimal = /^([+-]?)0[xX]([\dA-Fa-f]*)\.?([\dA-Fa-f]*)[pP]([+-]?\d+)[fFdD]?$/;

/** `Double.parseDouble`, which trims and knows `1d`, `1f`, hexadecimal floats; undefined where Java raises. */
export function parseJavaDouble(text: string): number | undefined {
  // Java's trim takes every control character off.
  // eslint-disable-next-line no-control-regex
  const trimmed = text.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '');
  if (decimal.test(trimmed)) return Number(/[fFdD]$/.test(trimmed) ? trimmed.slice(0, -1) : trimmed);
  const [, sign, whole = '', fraction = '', exponent] = hexadecimal.exec(trimmed) ?? [];
  if (exponent === undefined || whole + fraction === '') return undefined;
  const mantissa = Number(`0x${whole}${fraction}`);
  return (sign === '-' ? -mantissa : mantissa) * 2 ** (Number(exponent) - 4 * fraction.length);
}

function withFraction(digits: string): string {
  return digits.includes('.') ? digits : `${digits}.0`;
}
