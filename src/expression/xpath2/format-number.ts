/**
 * Writes a number by a picture of `format-number` (XPath Functions 3.1, section 4.7) with the default decimal format:
 * digits, grouping, percent, and a second picture for negative numbers.
 */
export function numberPicture(value: number, picture: string): string {
  if (Number.isNaN(value)) return 'NaN';
  const [positive = '', negative] = picture.split(';');
  const isNegative = value < 0;
  const chosen = isNegative && negative !== undefined ? negative : positive;
  const match = /^([^#0.,]*)([#0,]*)(?:\.([#0]*))?([^#0.,]*)$/.exec(chosen);
  if (!match) throw new Error(`the picture "${picture}" of format-number is not valid`);
  const [, before = '', whole = '', fraction = '', after = ''] = match;
  const scale = chosen.includes('%') ? 100 : chosen.includes('‰') ? 1000 : 1;
  const sign = isNegative && negative === undefined ? '-' : '';
  return `${sign}${before}${magnitude(Math.abs(value) * scale, whole, fraction)}${after}`;
}

function magnitude(value: number, whole: string, fraction: string): string {
  if (value === Infinity) return 'Infinity';
  const least = fraction.replaceAll('#', '').length;
  const [integer = '0', rest = ''] = roundHalfEven(value, fraction.length).split('.');
  const leastWhole = whole.replaceAll(/[^0]/g, '').length;
  const digits = (integer === '0' ? '' : integer).padStart(leastWhole, '0');
  const grouping = whole.includes(',') ? whole.length - 1 - whole.lastIndexOf(',') : 0;
  const shown = grouping > 0 ? digits.replaceAll(new RegExp(`(?<=\\d)(?=(?:\\d{${grouping}})+$)`, 'g'), ',') : digits;
  const decimals = rest.replace(/0+$/, '').padEnd(least, '0');
  if (shown === '' && decimals === '') return '0';
  return decimals === '' ? shown : `${shown}.${decimals}`;
}

function roundHalfEven(value: number, digits: number): string {
  const fixed = value.toFixed(digits);
  const factor = 10 ** digits;
  const scaled = value * factor;
  const isHalf = Math.abs(scaled - Math.trunc(scaled)) === 0.5;
  if (!isHalf) return fixed;
  const down = Math.trunc(scaled);
  return ((down % 2 === 0 ? down : down + 1) / factor).toFixed(digits);
}
