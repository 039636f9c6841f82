/** The units that durations are kept in; the text `5m` is converted to the unit of its key. */
export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd';

const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds in one `unit`. */
export function millisecondsPer(unit: DurationUnit): number {
  return milliseconds[unit] ?? 1;
}

/**
 * Reads a duration such as `15m`, `10 h`, `90` or `-1` as a number in `unit`. A fraction is cut before the conversion
 * and the conversion truncates, as in the original. The result is a text saying what was expected when it cannot be read.
 */
export function parseDuration(text: string, unit: DurationUnit): number | string {
  const match = /^\s*([+-]?\d+)(?:\.\d+)?\s*([A-Za-z]*)\s*$/.exec(text);
  if (!match) return `a duration such as 90 or "5m" (units d, h, m, s, ms; ${unit} when none is written)`;
  const amount = Number(match[1]);
  const written = match[2] ?? '';
  if (written === '') return amount;
  const factor = milliseconds[written];
  if (factor === undefined) return `a duration with one of the units d, h, m, s and ms; "${written}" is none`;
  const converted = Math.trunc((amount * factor) / millisecondsPer(unit));
  if (converted === 0 && amount !== 0) return `a duration of at least 1${unit}; this one becomes 0`;
  return converted;
}
