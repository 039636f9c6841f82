import { textOf } from '#expression';
import { itemsOf, scriptName, type MappingSchema } from './schema.ts';

/** Lines of CSV as objects whose members are those of the schema, in its order, or the names of the header line. */
export function csvToValue(text: string, schema: MappingSchema): unknown {
  const rows = parseRows(text, schema.delimiter ?? ',');
  const names = schema.header === true ? (rows.shift() ?? []) : columnsOf(schema);
  return rows.map((row) =>
    Object.fromEntries(row.map((value, index) => [scriptName(names[index] ?? `column${index + 1}`), value])),
  );
}

/** A result as CSV: one line for each item of the list, or of the first list in it. */
export function valueToCsv(value: unknown, schema: MappingSchema): string {
  const delimiter = schema.delimiter ?? ',';
  const items = listIn(value);
  const declared = columnsOf(schema);
  const names = declared.length > 0 ? declared.map(scriptName) : Object.keys(items[0] ?? {});
  const line = (values: readonly unknown[]): string => values.map((each) => quoted(each, delimiter)).join(delimiter);
  const head = schema.header === true ? [line(declared.length > 0 ? declared : names)] : [];
  const body = items.map((item) => line(names.map((name) => (item as Readonly<Record<string, unknown>>)[name])));
  return [...head, ...body].map((each) => `${each}\n`).join('');
}

function columnsOf(schema: MappingSchema): readonly string[] {
  const items = schema.type === 'array' ? itemsOf(schema) : schema;
  const members = items?.properties ?? {};
  const [only] = Object.values(members);
  const inner = Object.keys(members).length === 1 && only?.type === 'array' ? itemsOf(only) : items;
  return Object.keys(inner?.properties ?? {});
}

function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [];
  const list = Object.values(value).find((member) => Array.isArray(member)) as readonly unknown[] | undefined;
  return list ?? [value];
}

function quoted(value: unknown, delimiter: string): string {
  if (value === undefined || value === null) return '';
  const text = textOf(value);
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180: quoted values may hold delimiters, line ends and doubled quotes. */
function parseRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let value = '';
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (isQuoted) {
      if (character !== '"') value += character;
      else if (text.charAt(index + 1) === '"') value += text.charAt(++index);
      else isQuoted = false;
    } else if (character === '"' && value === '') isQuoted = true;
    else if (text.startsWith(delimiter, index)) {
      row.push(value);
      value = '';
      index += delimiter.length - 1;
    } else if (character === '\n' || character === '\r') {
      if (character === '\r' && text.charAt(index + 1) === '\n') index++;
      rows.push([...row, value]);
      row = [];
      value = '';
    } else value += character;
  }
  if (value !== '' || row.length > 0) rows.push([...row, value]);
  return rows.filter((each) => each.length > 1 || each[0] !== '');
}
