/** A set of code points: ranges from low to high, ends included, apart from each other. */
export type CharSet = readonly (readonly [low: number, high: number])[];

const lastCodePoint = 0x10ffff;

/** No code point. */
export const emptySet: CharSet = [];
/** Every code point. */
export const fullSet: CharSet = [[0, lastCodePoint]];

/** The set of the ranges in any order, overlapping or not. */
export function charSet(...ranges: readonly (readonly [number, number])[]): CharSet {
  const merged: [number, number][] = [];
  for (const [low, high] of ranges.toSorted((left, right) => left[0] - right[0])) {
    const last = merged.at(-1);
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

/** The set of the characters of a text. */
export function charsOf(text: string): CharSet {
  return charSet(...Array.from(text, (character) => single(character.codePointAt(0) ?? 0)));
}

/** What is in any of the sets. */
export function unite(...sets: readonly CharSet[]): CharSet {
  return charSet(...sets.flat());
}

/** What is not in the set. */
export function complement(set: CharSet): CharSet {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [low, high] of set) {
    if (low > next) gaps.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= lastCodePoint) gaps.push([next, lastCodePoint]);
  return gaps;
}

/** What is in both sets. */
export function intersect(left: CharSet, right: CharSet): CharSet {
  return complement(unite(complement(left), complement(right)));
}

/** Whether a code point is in both sets. */
export function overlaps(left: CharSet, right: CharSet): boolean {
  let index = 0;
  for (const [low, high] of left) {
    while ((right[index]?.[1] ?? Infinity) < low) index++;
    if ((right[index]?.[0] ?? Infinity) <= high) return true;
  }
  return false;
}

/** The only code point of a set, or undefined. */
export function singleOf(set: CharSet): number | undefined {
  const [first] = set;
  return set.length === 1 && first && first[0] === first[1] ? first[0] : undefined;
}

/**
 * Adds the other case of every letter: of ASCII only, as Java's `(?i)` does, or of all with `(?iu)`.
 */
export function ignoreCase(set: CharSet, unicode: boolean): CharSet {
  const limit = unicode ? 0x1ffff : 0x7f;
  const added: [number, number][] = [];
  for (const [low, high] of set) {
    for (let code = low; code <= Math.min(high, limit); code++) {
      const character = String.fromCodePoint(code);
      for (const other of [character.toLowerCase(), character.toUpperCase()]) {
        const otherCode = other.codePointAt(0) ?? 0;
        if (otherCode !== code && other === String.fromCodePoint(otherCode)) added.push(single(otherCode));
      }
    }
  }
  return added.length > 0 ? unite(set, added) : set;
}

function single(code: number): [number, number] {
  return [code, code];
}
