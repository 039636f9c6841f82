/** A value as it stands in a distinguished name (RFC 4514 §2.4). */
export function escapeDn(value: string): string {
  return value
    .replaceAll(/[\\"+,;<>=]/g, String.raw`\$&`)
    .replaceAll('\u0000', String.raw`\00`)
    .replace(/^[ #]/, String.raw`\$&`)
    .replace(/ $/, String.raw`\ `);
}

/** A value as it stands in a filter (RFC 4515 §3). */
export function escapeFilter(value: string): string {
  const escaped = value.replaceAll(/[\\*()]/g, (character) => `\\${character.charCodeAt(0).toString(16)}`);
  return escaped.replaceAll('\u0000', String.raw`\00`);
}

/** A name pattern with `*` as it stands in a filter. */
export function escapeFilterPattern(pattern: string): string {
  return pattern.split('*').map(escapeFilter).join('*');
}

/** A filter of the configuration with its `?` replaced. */
export function fillFilter(filter: string, name: string): string {
  return filter.replaceAll('?', () => escapeFilter(name));
}

/** A pattern such as `uid={0},ou=Users` with its place filled. */
export function fillDn(pattern: string, name: string): string {
  return pattern.replaceAll('{0}', () => escapeDn(name));
}

/** The name that somebody typed, with `\\` and an escaped character read as what they stand for. */
export function unescapeTyped(name: string): string {
  return name.replaceAll(/\\(.)/g, '$1');
}

/** The first value of a distinguished name: `cn=A\, B,ou=x` gives `A, B`. */
export function firstValueOf(dn: string): string {
  const [, raw = ''] = /^[^=]+=((?:\\.|[^,+\\])*)/.exec(dn) ?? [];
  const text = raw.trim();
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const hex = text[index] === '\\' ? /^[0-9a-fA-F]{2}/.exec(text.slice(index + 1))?.[0] : undefined;
    if (hex !== undefined) {
      bytes.push(Number.parseInt(hex, 16));
      index += 2;
      continue;
    }
    if (text[index] === '\\') index++;
    bytes.push(...Buffer.from(text[index] ?? ''));
  }
  return Buffer.from(bytes).toString('utf8');
}

/** A distinguished name in the form in which two of them are compared. */
export function foldDn(dn: string): string {
  return dn.replaceAll(/\s*([,=+])\s*/g, '$1').toLowerCase();
}
