function replacing(pattern: RegExp, replacements: Readonly<Record<string, string>>): (text: string) => string {
  return (text) => text.replace(pattern, (character) => replacements[character] ?? character);
}

const common = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeHtml = replacing(/[&<>"']/g, { ...common, "'": '&#39;' });
export const escapeXml = replacing(/[&<>"']/g, { ...common, "'": '&apos;' });
export const escapeRtf = replacing(/[\\{}]/g, { '\\': '\\\\', '{': '\\{', '}': '\\}' });

/** Text for a string literal of Java: quotes, backslashes and control characters. */
export function escapeJava(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/["\\\u0000-\u001f]/g, (character) => javaEscapes[character] ?? unicodeEscape(character));
}

const javaEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** Text for a string literal of JavaScript, in either kind of quotes and within HTML. */
export function escapeJavaScript(text: string): string {
  return escapeScript(text, false);
}

/** Text for a JSON string. */
export function escapeJsonString(text: string): string {
  return escapeScript(text, true);
}

/**
 * FreeMarker's escaping of both: `/` after `<` or at the start, `>` after `]]` or `--` or at the start, and `<` before
 * `!`, `?` or at the end are escaped, so that the text cannot end a script element or a CDATA section.
 */
function escapeScript(text: string, isJson: boolean): string {
  let result = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    result += scriptEscape(text, index, isJson) ?? character;
  }
  return result;
}

function scriptEscape(text: string, index: number, isJson: boolean): string | undefined {
  const character = text.charAt(index);
  switch (character) {
    case '"':
    case '\\':
    case '\b':
    case '\f':
    case '\n':
    case '\r':
    case '\t':
      return javaEscapes[character];
    case "'":
      return isJson ? undefined : "\\'";
    case '/':
      return index === 0 || text.charAt(index - 1) === '<' ? '\\/' : undefined;
    case '>': {
      const before = text.slice(Math.max(0, index - 2), index);
      const isDangerous = index === 0 || before === ']]' || before === '--' || (index === 1 && /[\]-]/.test(before));
      return isDangerous ? (isJson ? '\\u003E' : '\\>') : undefined;
    }
    case '<': {
      const next = text.charAt(index + 1);
      return next === '' || next === '!' || next === '?' ? (isJson ? '\\u003C' : '\\x3C') : undefined;
    }
    default:
      return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(character) // eslint-disable-line no-control-regex
        ? isJson
          ? unicodeEscape(character)
          : hexEscape(character)
        : undefined;
  }
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function hexEscape(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}` : unicodeEscape(character);
}
