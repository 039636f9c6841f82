import { MillraceError } from '#errors';

const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Minutes east of UTC in a zone at an instant.
 *
 * @param zone an IANA name, `UTC`, `GMT+2`, `GMT+05:30`, `+02:00` or `Z`
 * @throws MillraceError `MR_TIME_ZONE` for a zone that nobody knows
 */
export function zoneOffset(zone: string, epochMillis: number): number {
  if (zone === 'UTC' || zone === 'GMT' || zone === 'Z') return 0;
  const fixed = fixedOffset(zone);
  if (fixed !== undefined) return fixed;
  const name = formatterOf(zone)
    .formatToParts(epochMillis)
    .find((part) => part.type === 'timeZoneName')?.value;
  return fixedOffset(name ?? '') ?? 0;
}

/** The name of a zone at an instant: `short` as `CET`, `long` as `Central European Standard Time`. */
export function zoneName(zone: string, epochMillis: number, style: 'short' | 'long'): string {
  if (fixedOffset(zone) !== undefined) return zone;
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: style });
  return formatter.formatToParts(epochMillis).find((part) => part.type === 'timeZoneName')?.value ?? zone;
}

/** The instant at which clocks of a zone show a time that is given as if it were UTC. */
export function instantOf(zone: string, wallMillis: number): number {
  const first = wallMillis - zoneOffset(zone, wallMillis) * 60_000;
  // Near a change of clocks the guess lies on its other side.
  const second = wallMillis - zoneOffset(zone, first) * 60_000;
  return zoneOffset(zone, second) === zoneOffset(zone, first) ? second : first;
}

/** `+05:30` and the like in minutes, or undefined. */
export function fixedOffset(text: string): number | undefined {
  if (/^(?:Z|UTC|GMT)$/.test(text)) return 0;
  const match = /^(?:GMT|UTC?)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?\d{2})?$/.exec(text);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return match[1] === '-' ? -minutes : minutes;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (!formatter) {
    try {
      formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    } catch (cause) {
      throw new MillraceError({ code: 'MR_TIME_ZONE', message: `There is no time zone "${zone.slice(0, 60)}"`, cause });
    }
    formatters.set(zone, formatter);
  }
  return formatter;
}
