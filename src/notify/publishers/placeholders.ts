/** A piece of a text: as it is, or the place of an attribute. */
export type Piece = string | { readonly name: string };

/** Cuts a text at its `{{name}}` places, once, when it is read. */
export function cutText(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push({ name: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}

/** Names of the attributes that a text has places for. */
export function placesIn(text: string): ReadonlySet<string> {
  return new Set(cutText(text).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name])));
}

/** Follows a JSON text from one piece to the next and says whether it stands within a string. */
export function createStringWatch(): (text: string) => boolean {
  let isInside = false;
  let isEscaped = false;
  return (text) => {
    for (const character of text) {
      if (isEscaped) isEscaped = false;
      else if (isInside && character === '\\') isEscaped = true;
      else if (character === '"') isInside = !isInside;
    }
    return isInside;
  };
}

/** A value as it stands within the quotes of a JSON string. */
export function insideString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
