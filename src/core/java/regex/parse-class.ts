import { type CharSet, charSet, complement, emptySet, intersect, unite } from './char-set.ts';
import type { RegexScanner } from './scanner.ts';

/** Parses a character class whose `[` was taken: ranges, nested classes, `&&` and escapes, up to its `]`. */
export function parseClass(scanner: RegexScanner): CharSet {
  const start = scanner.position - 1;
  const negated = scanner.take('^');
  let left: CharSet | undefined;
  let current: CharSet | undefined;
  for (;;) {
    const quoted = scanner.settle();
    if (scanner.done) scanner.fail('Unclosed character class', start);
    if (!quoted && scanner.startsWith(']') && (current !== undefined || left !== undefined)) {
      scanner.position++;
      break;
    }
    if (!quoted && scanner.take('&&')) {
      // `&&&` and `&&` at the edges add nothing, as in java.util.regex.
      left = both(left, current);
      current = undefined;
      continue;
    }
    current = unite(current ?? emptySet, parseMember(scanner, quoted));
  }
  const set = both(left, current) ?? emptySet;
  return negated ? complement(set) : set;
}

function both(left: CharSet | undefined, right: CharSet | undefined): CharSet | undefined {
  return left && right ? intersect(left, right) : (left ?? right);
}

function parseMember(scanner: RegexScanner, quoted: boolean): CharSet {
  if (!quoted) {
    if (scanner.take('[')) return parseClass(scanner);
    if (scanner.startsWith('\\')) {
      scanner.position++;
      const set = scanner.takeClassEscape();
      if (set) return set;
      scanner.position--;
    }
  }
  const low = parseCharacter(scanner, quoted);
  const before = scanner.position;
  const stillQuoted = scanner.settle();
  if (stillQuoted || !scanner.take('-')) return scanner.setOf(low);
  const quotedEnd = scanner.settle();
  const endsHere = !quotedEnd && (scanner.startsWith(']') || scanner.startsWith('[') || scanner.startsWith('&&'));
  if (endsHere) {
    scanner.position = before;
    return scanner.setOf(low);
  }
  const high = parseCharacter(scanner, quotedEnd);
  if (high < low) scanner.fail('A range that ends before it begins', before);
  return scanner.withCase(charSet([low, high]));
}

function parseCharacter(scanner: RegexScanner, quoted: boolean): number {
  if (!quoted && scanner.take('\\')) return scanner.takeCharEscape();
  return scanner.next().codePointAt(0) ?? 0;
}
