/** Options that every command has which shows something of a server. */
export const serverOptions = {
  server: {
    type: 'string',
    alias: 's',
    description: 'Name of the session; the latest one when absent',
    valueHint: 'NAME',
  },
  output: { type: 'string', alias: 'o', description: 'table or json', default: 'table', valueHint: 'FORM' },
} as const;

/** Aligns rows of cells under their headers, wide cells cut. */
export function tableOf(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headers.map((header) => header.toUpperCase()), ...rows];
  const widths = headers.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

/** One line for each field of an object; objects and lists inside it as JSON, long texts below their name. */
export function fieldsOf(value: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(value);
  const width = Math.max(...names.map((name) => name.length));
  return names
    .map((name) => {
      const text = textOf(value[name]);
      return text.includes('\n') ? `${name}:\n${text}` : `${name.padEnd(width)}   ${text}`;
    })
    .join('\n');
}

/** A value as people read it. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
