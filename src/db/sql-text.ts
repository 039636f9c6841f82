/**
 * A piece of SQL: text that may hold placeholders and separators, or a string, quoted name or comment that must be
 * left alone.
 */
interface Piece {
  readonly isCode: boolean;
  readonly text: string;
}

/** Strings, quoted names, comments and PostgreSQL's dollar quotes. An unclosed one reaches to the end. */
const quoted =
  /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?(?:\1|$)/g;

/** The statement with `?` replaced by `$1`, `$2` and so on, as PostgreSQL wants them. */
export function numberPlaceholders(sql: string): string {
  let number = 0;
  return piecesOf(sql)
    .map(({ isCode, text }) => (isCode ? text.replaceAll('?', () => `$${++number}`) : text))
    .join('');
}

/** How many `?` a statement has. */
export function countPlaceholders(sql: string): number {
  return piecesOf(sql).reduce((sum, { isCode, text }) => sum + (isCode ? text.split('?').length - 1 : 0), 0);
}

/** The statements of a text that holds several, separated by semicolons; empty ones are left out. */
export function splitStatements(sql: string): readonly string[] {
  const statements = [''];
  const append = (text: string): void => {
    statements[statements.length - 1] += text;
  };
  for (const { isCode, text } of piecesOf(sql)) {
    const [first = '', ...others] = isCode ? text.split(';') : [text];
    append(first);
    statements.push(...others);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

/** Whether a statement gives rows rather than a count. */
export function givesRows(sql: string): boolean {
  return /^\s*(?:select|with|show|values|pragma|explain|call|describe)\b/i.test(sql) || /\breturning\b/i.test(sql);
}

function piecesOf(sql: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of sql.matchAll(quoted)) {
    pieces.push({ isCode: true, text: sql.slice(end, match.index) }, { isCode: false, text: match[0] });
    end = match.index + match[0].length;
  }
  pieces.push({ isCode: true, text: sql.slice(end) });
  return pieces;
}
