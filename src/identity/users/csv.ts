import { MillraceError, formatPosition } from '#errors';

/** A line of values with the place where it begins. */
export interface CsvLine {
  readonly values: readonly string[];
  readonly line: number;
}

/**
 * Reads values divided by commas; one in quotes may hold commas, line ends and doubled quotes (RFC 4180). Empty lines
 * are left out.
 *
 * @throws MillraceError `MR_USER_IMPORT` for quotes that do not end
 */
export function parseCsv(text: string, file: string): readonly CsvLine[] {
  const lines: CsvLine[] = [];
  const value = /[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|((?![ \t]*")[^,\r\n]*))(,|\r?\n|\r|$)/gy;
  const source = text.replace(/^\uFEFF/, '');
  let values: string[] = [];
  let line = 1;
  let begun = 1;
  while (value.lastIndex < source.length || values.length > 0) {
    const match = value.exec(source);
    if (!match) {
      const place = formatPosition({ file, line, column: 1 });
      throw new MillraceError({
        code: 'MR_USER_IMPORT',
        status: 400,
        message: `${place}: a value in quotes does not end`,
      });
    }
    const [whole, quoted, plain = '', end = ''] = match;
    values.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += whole.match(/\r\n|\r|\n/g)?.length ?? 0;
    if (end === ',') continue;
    if (values.some((each) => each !== '')) lines.push({ values, line: begun });
    values = [];
    begun = line;
    if (end === '') break;
  }
  return lines;
}
