/** For each ASCII code: 2 starts a name, 1 may follow in one, 0 may not (XML 1.0 section 2.3). */
const nameClass = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_:]/.test(character)) nameClass[code] = 2;
  else if (/[0-9.-]/.test(character)) nameClass[code] = 1;
}

const wideStart =
  '\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}-\\u{200D}\\u{2070}-\\u{218F}' +
  '\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}';
const wideName = new RegExp(
  `^[:A-Z_a-z${wideStart}][:A-Z_a-z0-9.\\-\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}${wideStart}]*`,
  'u',
);

const nameStart = new RegExp(`^[:A-Z_a-z${wideStart}]$`, 'u');
const nameCharacter = new RegExp(`^[:A-Z_a-z0-9.\\-\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}${wideStart}]$`, 'u');

/** True for a character with which a name can begin (XML 1.0 section 2.3). */
export function isNameStart(character: string): boolean {
  return nameStart.test(character);
}

/** True for a character that a name can have behind its first one. */
export function isNameCharacter(character: string): boolean {
  return nameCharacter.test(character);
}

/** The end of the name that begins at `start`; `start` itself when there is none. */
export function endOfName(source: string, start: number): number {
  let at = start;
  let code = source.charCodeAt(at);
  if (code < 128 && nameClass[code] !== 2) return start;
  while (code < 128 && nameClass[code] !== 0) code = source.charCodeAt(++at);
  if (!(code >= 128)) return at;
  // Beyond ASCII the grammar's table decides; no name is longer than the limit that the reader sets.
  return start + (wideName.exec(source.slice(start, start + 4096))?.[0].length ?? 0);
}

/** Characters that XML does not allow, `]]>`, references and carriage returns: what plain text does not contain. */
// eslint-disable-next-line no-control-regex
export const unusualText = /[&\r\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\]\]>/;

/** The same for attribute values, where `<` is not allowed and white space is normalised. */
// eslint-disable-next-line no-control-regex
export const unusualValue = /[&<\t\n\r\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/** Characters that XML does not allow. */
// eslint-disable-next-line no-control-regex
export const forbidden = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/** True for text that XML can have, as it is or by references. */
export function isXmlText(text: string): boolean {
  return !forbidden.test(text) && text.isWellFormed();
}

function predefined(name: string): string | undefined {
  switch (name) {
    case 'amp':
      return '&';
    case 'lt':
      return '<';
    case 'gt':
      return '>';
    case 'quot':
      return '"';
    case 'apos':
      return "'";
    default:
      return undefined;
  }
}

/** What a reference between `&` and `;` stands for; undefined for unknown entities and impossible characters. */
export function resolveReference(name: string): string | undefined {
  if (name.charCodeAt(0) !== 0x23) return predefined(name);
  const match = /^#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,9}))$/.exec(name);
  if (!match) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (code > 0x10ffff || isSurrogate) return undefined;
  const character = String.fromCodePoint(code);
  return forbidden.test(character) ? undefined : character;
}
