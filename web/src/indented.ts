/** Pieces of a document: notes, character data, tags, and the text between them. */
const pieces = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[^>]+>|[^<]+/g;

/**
 * A document that came in one line, with a line for each element; elements that hold text stay as they are, since spaces
 * may count there. One that has lines of its own keeps them.
 */
export function indented(source: string): string {
  if (source.trim().includes('\n')) return source;
  const all = source.trim().match(pieces) ?? [];
  let depth = 0;
  let text = '';
  for (const [index, piece] of all.entries()) {
    const before = all[index - 1] ?? '';
    const isClosing = piece.startsWith('</');
    if (isClosing) depth--;
    const isAtText = !piece.startsWith('<') || !before.startsWith('<') || isCharacters(piece) || isCharacters(before);
    const isEmptyElement = isClosing && /^<[^/!?][^>]*[^/]?>$/.test(before) && !before.endsWith('/>');
    text += index === 0 || isAtText || isEmptyElement ? piece : `\n${'  '.repeat(depth)}${piece}`;
    if (/^<[^/!?]/.test(piece) && !piece.endsWith('/>')) depth++;
  }
  return text;
}

function isCharacters(piece: string): boolean {
  return piece.startsWith('<![CDATA[');
}
