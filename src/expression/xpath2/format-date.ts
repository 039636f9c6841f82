/** Parts of a date and time that a picture can ask for. */
interface Moment {
  readonly date: Date;
}

const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/**
 * Writes a moment by a picture (XPath Functions 3.1, section 9.8): the components Y M D d F W H h P m s f Z z, with
 * names, widths and the modifiers 1, 01, I, i, N, n, Nn, o and w left out. English names; times are UTC.
 */
export function formatPicture(date: Date, picture: string): string {
  return picture.replaceAll(/\[\[|\]\]|\[([^\]]*)\]/g, (token, marker: string | undefined) => {
    if (marker === undefined) return token[0] ?? '';
    return component({ date }, marker.replaceAll(/\s/g, ''));
  });
}

function component(moment: Moment, marker: string): string {
  const [specification = '', width] = marker.split(',');
  const kind = specification[0] ?? '';
  const presentation = specification.slice(1).replace(/[ocat]$/, '') || defaultPresentation(kind);
  const [least = '', most] = width?.split('-') ?? [];
  const limits = { least: numberOf(least), most: numberOf(most ?? '') };
  const name = nameOf(moment, kind);
  if (name !== undefined && /^[Nn]/.test(presentation)) {
    const isShort = kind === 'P' && limits.most !== undefined && limits.most < name.length;
    return cased(isShort ? name.replaceAll('.', '') : name, presentation).slice(0, limits.most);
  }
  const value = valueOf(moment, kind);
  if (typeof value === 'string') return value;
  if (presentation === 'I') return roman(value);
  if (presentation === 'i') return roman(value).toLowerCase();
  const digits = Math.max(presentation.replaceAll(/\D/g, '').length, limits.least ?? 0);
  if (kind === 'f')
    return String(value)
      .padStart(3, '0')
      .slice(0, limits.most ?? Math.max(digits, 1))
      .padEnd(digits, '0');
  const text = String(value).padStart(digits, '0');
  const kept = limits.most ?? (kind === 'Y' && presentation.length >= 2 ? presentation.length : undefined);
  return kind === 'Y' && kept !== undefined ? text.slice(-kept) : text;
}

function defaultPresentation(kind: string): string {
  if (kind === 'F') return 'n';
  if (kind === 'P') return 'n';
  return kind === 'm' || kind === 's' ? '01' : '1';
}

function nameOf({ date }: Moment, kind: string): string | undefined {
  if (kind === 'M') return months[date.getUTCMonth()];
  if (kind === 'F') return days[date.getUTCDay()];
  return kind === 'P' ? (date.getUTCHours() < 12 ? 'a.m.' : 'p.m.') : undefined;
}

function cased(name: string, presentation: string): string {
  if (presentation.startsWith('Nn')) return name.slice(0, 1).toUpperCase() + name.slice(1).toLowerCase();
  return presentation.startsWith('N') ? name.toUpperCase() : name.toLowerCase();
}

function valueOf({ date }: Moment, kind: string): number | string {
  switch (kind) {
    case 'Y':
      return date.getUTCFullYear();
    case 'M':
      return date.getUTCMonth() + 1;
    case 'D':
      return date.getUTCDate();
    case 'd':
      return dayOfYear(date);
    case 'F':
      return date.getUTCDay() === 0 ? 7 : date.getUTCDay();
    case 'W':
      return weekOfYear(date);
    case 'H':
      return date.getUTCHours();
    case 'h':
      return date.getUTCHours() % 12 || 12;
    case 'm':
      return date.getUTCMinutes();
    case 's':
      return date.getUTCSeconds();
    case 'f':
      return date.getUTCMilliseconds();
    case 'Z':
      return '+00:00';
    case 'z':
      return 'GMT+00:00';
    default:
      return '';
  }
}

function dayOfYear(date: Date): number {
  const dayLength = 86_400_000;
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayLength) + 1;
}

/** The week of ISO 8601. */
function weekOfYear(date: Date): number {
  const thursday = new Date(date.getTime());
  thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  return Math.ceil(dayOfYear(thursday) / 7);
}

const numerals = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
] as const;

function roman(value: number): string {
  let rest = value;
  let text = '';
  for (const [amount, numeral] of numerals) {
    while (rest >= amount) {
      text += numeral;
      rest -= amount;
    }
  }
  return text;
}

function numberOf(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
