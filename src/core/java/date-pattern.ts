import { MillraceError } from '#errors';

/** Which class of Java reads the pattern; they differ in `u`, `S`, `X` of width 1 to 3, `y` and optional parts. */
export type DateDialect = 'SimpleDateFormat' | 'DateTimeFormatter';

/** A part of a pattern: a field, a text, or an optional part. */
export type DateToken =
  | { readonly kind: 'field'; readonly letter: string; readonly width: number }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'optional'; readonly tokens: readonly DateToken[] };

const letters: Readonly<Record<DateDialect, RegExp>> = {
  SimpleDateFormat: /[GyYMLwWDdFEuaHkKhmsSzZX]/,
  DateTimeFormatter: /[GyuYMLQqwWDdFEecaHkKhmsSAnNVzOXxZ]/,
};
const cache = new Map<string, readonly DateToken[]>();

/**
 * Reads a date pattern; read ones are kept.
 *
 * @throws MillraceError `MR_JAVA_DATE_PATTERN` naming the character that Java would refuse
 */
export function parseDatePattern(pattern: string, dialect: DateDialect): readonly DateToken[] {
  const key = `${dialect}:${pattern}`;
  let tokens = cache.get(key);
  if (!tokens) {
    tokens = readTokens(pattern, dialect);
    // Patterns can come from messages.
    if (cache.size >= 500) cache.clear();
    cache.set(key, tokens);
  }
  return tokens;
}

function readTokens(pattern: string, dialect: DateDialect): readonly DateToken[] {
  const stack: DateToken[][] = [[]];
  const add = (token: DateToken): void => void stack.at(-1)?.push(token);
  const fail = (index: number, what: string): never => {
    throw new MillraceError({
      code: 'MR_JAVA_DATE_PATTERN',
      message: `${what} at character ${index + 1} of the date pattern ${JSON.stringify(pattern.slice(0, 100))}`,
    });
  };
  let index = 0;
  while (index < pattern.length) {
    const character = pattern.charAt(index);
    if (character === "'") {
      const [raw = '', text = ''] =
        /^'((?:[^']|'')*)'/s.exec(pattern.slice(index)) ?? fail(index, 'Unclosed quotation');
      add({ kind: 'text', text: text === '' ? "'" : text.replaceAll("''", "'") });
      index += raw.length;
    } else if (/[A-Za-z]/.test(character)) {
      if (!letters[dialect].test(character)) fail(index, `Unknown letter ${character}`);
      let width = 1;
      while (pattern.charAt(index + width) === character) width++;
      if (dialect === 'DateTimeFormatter' && width > 9) fail(index, 'Too many letters');
      add({ kind: 'field', letter: character, width });
      index += width;
    } else if (dialect === 'DateTimeFormatter' && /[[\]{}#]/.test(character)) {
      if (character === '[') stack.push([]);
      else if (character === ']' && stack.length > 1) {
        const tokens = stack.pop() ?? [];
        add({ kind: 'optional', tokens });
      } else fail(index, `Unexpected ${character}`);
      index++;
    } else {
      add({ kind: 'text', text: character });
      index++;
    }
  }
  // Java closes what is still open at the end.
  while (stack.length > 1) {
    const tokens = stack.pop() ?? [];
    add({ kind: 'optional', tokens });
  }
  return stack[0] ?? [];
}
