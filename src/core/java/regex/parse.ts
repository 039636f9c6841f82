import { dot, unixDot, verticalSpace } from './char-names.ts';
import { charsOf, fullSet } from './char-set.ts';
import { isBounded } from './cost.ts';
import { parseClass } from './parse-class.ts';
import { RegexScanner } from './scanner.ts';
import type { ParsedRegex, QuantifierMode, RegexFlags, RegexNode } from './syntax.ts';

const flagNames: Readonly<Record<string, keyof RegexFlags>> = {
  i: 'caseInsensitive',
  m: 'multiline',
  s: 'dotAll',
  u: 'unicodeCase',
  x: 'comments',
  d: 'unixLines',
};

/** `\R`: any line break, `\r\n` as one. */
const lineBreak: RegexNode = {
  kind: 'choice',
  branches: [
    {
      kind: 'sequence',
      items: [
        { kind: 'set', set: charsOf('\r') },
        { kind: 'set', set: charsOf('\n') },
      ],
    },
    { kind: 'set', set: verticalSpace },
  ],
};

/**
 * Parses a pattern of java.util.regex.
 *
 * @throws RegexSyntaxError where Java would refuse it, RegexUnsupportedError for `\G`, `\X`, `\N{…}` and blocks
 */
export function parseRegex(pattern: string, flags: RegexFlags): ParsedRegex {
  const parser = new Parser(pattern, flags);
  return parser.parse();
}

class Parser {
  readonly #scanner: RegexScanner;
  readonly #names = new Map<string, number>();
  /** Groups that are complete, by number. */
  readonly #bodies = new Map<number, RegexNode>();
  #groups = 0;
  #depth = 0;

  constructor(pattern: string, flags: RegexFlags) {
    this.#scanner = new RegexScanner(pattern, flags);
  }

  parse(): ParsedRegex {
    const root = this.#parseChoice();
    if (!this.#scanner.done) this.#scanner.fail('Unmatched closing )');
    return { root, groupCount: this.#groups, names: this.#names };
  }

  #parseChoice(): RegexNode {
    if (++this.#depth > 200) this.#scanner.refuse('Nesting of more than 200 groups');
    const branches = [this.#parseSequence()];
    while (!this.#scanner.settle() && this.#scanner.take('|')) branches.push(this.#parseSequence());
    this.#depth--;
    return branches.length === 1 && branches[0] ? branches[0] : { kind: 'choice', branches };
  }

  #parseSequence(): RegexNode {
    const scanner = this.#scanner;
    const items: RegexNode[] = [];
    for (;;) {
      const quoted = scanner.settle();
      if (scanner.done || (!quoted && /[|)]/.test(scanner.peek()))) break;
      const atom = quoted ? this.#literal(scanner.next()) : this.#parseAtom();
      if (atom) items.push(this.#parseQuantifiers(atom));
    }
    return items.length === 1 && items[0] ? items[0] : { kind: 'sequence', items };
  }

  #parseAtom(): RegexNode | undefined {
    const scanner = this.#scanner;
    const start = scanner.position;
    const character = scanner.next();
    switch (character) {
      case '(':
        return this.#parseGroup(start);
      case '[':
        return { kind: 'set', set: parseClass(scanner) };
      case '.':
        return { kind: 'set', set: scanner.flags.dotAll ? fullSet : scanner.flags.unixLines ? unixDot : dot };
      case '^':
        return { kind: 'anchor', at: scanner.flags.multiline ? 'lineStart' : 'start' };
      case '$':
        return { kind: 'anchor', at: scanner.flags.multiline ? 'lineEnd' : 'finalEnd' };
      case '\\':
        return this.#parseEscape(start);
      case '*':
      case '+':
      case '?':
        return scanner.fail(`Dangling ${character}`, start);
      case '{':
        return scanner.fail('Illegal repetition', start);
      default:
        return this.#literal(character);
    }
  }

  #literal(character: string): RegexNode {
    return { kind: 'set', set: this.#scanner.setOf(character.codePointAt(0) ?? 0) };
  }

  #parseEscape(start: number): RegexNode {
    const scanner = this.#scanner;
    const set = scanner.takeClassEscape();
    if (set) return { kind: 'set', set };
    const anchor = scanner.takeMatch(/[bBAzZ](?!\{)/y)?.[0];
    const anchors = { b: 'word', B: 'notWord', A: 'start', z: 'end', Z: 'finalEnd' } as const;
    if (anchor !== undefined) return { kind: 'anchor', at: anchors[anchor as keyof typeof anchors] };
    if (scanner.take('R')) return lineBreak;
    if (/[GXNb]/.test(scanner.peek())) return scanner.refuse(`\\${scanner.peek()}`, start);
    const name = scanner.takeMatch(/k<(\w+)>/y)?.[1];
    if (name !== undefined) {
      const index = this.#names.get(name) ?? scanner.fail(`No group is called "${name}"`, start);
      return this.#reference(index, start);
    }
    if (/[1-9]/.test(scanner.peek())) return this.#parseReference(start);
    return { kind: 'set', set: scanner.setOf(scanner.takeCharEscape()) };
  }

  /** Takes as many digits as name a group that exists so far. */
  #parseReference(start: number): RegexNode {
    const scanner = this.#scanner;
    let index = Number(scanner.next());
    while (/\d/.test(scanner.peek()) && index * 10 + Number(scanner.peek()) <= this.#groups) {
      index = index * 10 + Number(scanner.next());
    }
    if (index > this.#groups) scanner.fail(`There is no group ${index} before this reference`, start);
    return this.#reference(index, start);
  }

  #reference(index: number, position: number): RegexNode {
    const body = this.#bodies.get(index);
    return { kind: 'reference', index, isBounded: body !== undefined && isBounded(body), position };
  }

  #parseGroup(start: number): RegexNode | undefined {
    const scanner = this.#scanner;
    const { flags } = scanner;
    const opening = scanner.takeMatch(
      /\?(?:<([A-Za-z][A-Za-z0-9]*)>|[:>=!]|<[=!]|([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)]))/y,
    );
    if (!opening && scanner.startsWith('?')) scanner.fail('Unknown group construct', start);
    if (opening?.[4] !== undefined) {
      scanner.flags = this.#changedFlags(opening, start);
      if (opening[4] === ')') return undefined;
    }
    const name = opening?.[1];
    const index = opening && name === undefined ? 0 : ++this.#groups;
    if (name !== undefined) {
      if (this.#names.has(name)) scanner.fail(`Two groups are called "${name}"`, start);
      this.#names.set(name, index);
    }
    const body = this.#parseChoice();
    if (scanner.settle() || !scanner.take(')')) scanner.fail('Unclosed group', start);
    // Flags set inside a group end with it.
    scanner.flags = flags;
    if (index > 0) {
      this.#bodies.set(index, body);
      return { kind: 'group', body, index, name };
    }
    return groupOf(opening?.[0] ?? '', body, start);
  }

  #changedFlags(opening: RegExpExecArray, start: number): RegexFlags {
    const flags: { -readonly [Name in keyof RegexFlags]: boolean } = { ...this.#scanner.flags };
    for (const [letters, value] of [
      [opening[2] ?? '', true],
      [opening[3] ?? '', false],
    ] as const) {
      for (const letter of letters) {
        if (letter === 'U') this.#scanner.refuse('The flag U', start);
        const name = flagNames[letter];
        if (!name) return this.#scanner.fail(`Unknown flag ${letter}`, start);
        flags[name] = value;
      }
    }
    return flags;
  }

  #parseQuantifiers(atom: RegexNode): RegexNode {
    const scanner = this.#scanner;
    let node = atom;
    for (;;) {
      if (scanner.settle()) return node;
      const position = scanner.position;
      const match = scanner.takeMatch(/([*+?]|\{(\d+)(?:(,)(\d*))?\})([?+]?)/y);
      if (!match) return scanner.startsWith('{') ? scanner.fail('Illegal repetition') : node;
      const [min, max] = rangeOf(match);
      if (max < min || min > 65_535) scanner.fail('Illegal repetition range', position);
      const mode: QuantifierMode = match[5] === '?' ? 'lazy' : match[5] === '+' ? 'possessive' : 'greedy';
      node = { kind: 'repeat', body: node, min, max, mode, position };
    }
  }
}

function groupOf(opening: string, body: RegexNode, position: number): RegexNode {
  switch (opening) {
    case '?>':
      return { kind: 'atomic', body, position };
    case '?=':
    case '?!':
      return { kind: 'look', body, ahead: true, negative: opening === '?!', position };
    case '?<=':
    case '?<!':
      return { kind: 'look', body, ahead: false, negative: opening === '?<!', position };
    default:
      return body;
  }
}

function rangeOf(match: RegExpExecArray): [number, number] {
  const [, sign = '', low, comma, high] = match;
  if (low === undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity];
  if (comma === undefined) return [Number(low), Number(low)];
  return [Number(low), high ? Number(high) : Infinity];
}
