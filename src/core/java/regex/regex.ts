import { costOf } from './cost.ts';
import { emitLinear, emitV8 } from './emit.ts';
import { createLinearEngine, createV8Engine, type Engine, type Spans } from './engines.ts';
import { literalOf, matchesLiteral } from './literal.ts';
import { parseRegex } from './parse.ts';
import { parseReplacement } from './replacement.ts';
import { type ParsedRegex, type RegexFlags, type RegexNode, RegexUnsupportedError } from './syntax.ts';

/** A match; entry 0 is the whole of it, the others are its groups, undefined where they took no part. */
export interface JavaMatch extends ReadonlyArray<string | undefined> {
  /** Where it begins, in UTF-16 units. */
  readonly index: number;
  /** Where it ends. */
  readonly end: number;
}

/** A regular expression with the meaning that java.util.regex gives it, in time linear in the text. */
export interface JavaRegex {
  readonly pattern: string;
  readonly groupCount: number;
  /** `Matcher.matches`: the whole text. */
  matches(text: string): boolean;
  /** `Matcher.find`: anywhere in the text. */
  find(text: string): boolean;
  /** The first match at or after `from`. */
  exec(text: string, from?: number): JavaMatch | undefined;
  /** The match of the whole text. */
  execWhole(text: string): JavaMatch | undefined;
  /** Number of a named group. */
  groupNamed(name: string): number | undefined;
  /**
   * Replaces every match; the replacement knows `$1`, `${name}` and `\`.
   *
   * @throws MillraceError `MR_JAVA_REGEX_REPLACEMENT` for a malformed replacement
   */
  replaceAll(text: string, replacement: string): string;
  /** `String.split`: empty parts at the end are dropped, as is an empty first part of an empty match. */
  split(text: string): string[];
}

/** Up to this length V8 may also run patterns of quadratic cost: some ten thousand steps at most. */
const shortText = 128;
/** Up to this length it searches with patterns of quadratic cost that only it can do: a few million steps. */
const longestQuadraticText = 2048;

/**
 * Compiles a pattern of java.util.regex. It runs on V8 when its cost there is proven to be linear, otherwise on a
 * linear engine; texts with or without `.*` around them need no engine at all.
 *
 * Known differences: `\b` is ASCII (as from Java 19), a reference to a group that took no part matches nothing
 * instead of failing, and on the linear engine `(?m)` knows `\n` only and `$` before a last line end prefers the
 * shorter text where there are several lines. A loop over what can match nothing may stop elsewhere than in Java.
 *
 * @throws RegexSyntaxError `MR_JAVA_REGEX_SYNTAX` where Java refuses the pattern, RegexUnsupportedError
 *   `MR_JAVA_REGEX_UNSUPPORTED` for look-around, back-references and atomic groups whose cost is not bounded; a
 *   search with such a pattern in a text of more than 2048 characters raises it too
 */
export function compileJavaRegex(pattern: string, flags: RegexFlags = {}): JavaRegex {
  const parsed = parseRegex(pattern, flags);
  const literal = literalOf(parsed.root);
  const choose = engineChoice(pattern, parsed);
  const exec = (text: string, from: number): Spans | undefined => {
    return choose('groups', text.length).exec(text, from);
  };
  const regex: JavaRegex = {
    pattern,
    groupCount: parsed.groupCount,
    matches(text) {
      const quick = literal && matchesLiteral(literal, text);
      return quick ?? choose('whole', text.length).matches(text);
    },
    find(text) {
      // With `.*` around it a text is found exactly where it stands.
      return literal ? text.includes(literal.text) : choose('search', text.length).find(text);
    },
    exec: (text, from = 0) => matchOf(text, exec(text, from)),
    execWhole: (text) => matchOf(text, choose('wholeGroups', text.length).execWhole(text)),
    groupNamed: (name) => parsed.names.get(name),
    replaceAll(text, replacement) {
      const parts = parseReplacement(replacement, parsed.groupCount, parsed.names);
      let result = '';
      let position = 0;
      for (const spans of allMatches(text, exec)) {
        const [start, end] = spans[0] ?? [0, 0];
        result += text.slice(position, start);
        for (const part of parts) result += typeof part === 'string' ? part : sliceOf(text, spans[part]);
        position = end;
      }
      return result + text.slice(position);
    },
    split(text) {
      const parts: string[] = [];
      let position = 0;
      for (const spans of allMatches(text, exec)) {
        const [start, end] = spans[0] ?? [0, 0];
        if (end === 0) continue;
        parts.push(text.slice(position, start));
        position = end;
      }
      if (parts.length === 0) return [text];
      parts.push(text.slice(position));
      while (parts.at(-1) === '') parts.pop();
      return parts;
    },
  };
  return regex;
}

type Purpose = 'whole' | 'wholeGroups' | 'search' | 'groups';

/** Decides once per purpose which engine runs; engines are made when they are first used. */
function engineChoice(pattern: string, parsed: ParsedRegex): (purpose: Purpose, length: number) => Engine {
  const cost = costOf(parsed.root);
  const emitted = emitLinear(parsed.root, cost.harmless);
  const hasLinear = 'source' in emitted;
  const unsupported = (node: RegexNode): RegexUnsupportedError => {
    return new RegexUnsupportedError(pattern, positionOf(node), describe(node));
  };
  if (!hasLinear && cost.whole > 1) throw unsupported(emitted.unsupported);
  let v8: Engine | undefined;
  let linear: Engine | undefined;
  // In a loop Java and the linear engine keep what a group took in an earlier round, V8 does not.
  const loopsOverGroup = hasLinear && hasGroupInLoop(parsed.root, false);
  return (purpose, length) => {
    const degree = purpose === 'whole' || purpose === 'wholeGroups' ? cost.whole : cost.search;
    const isQuick = degree <= 1 || (degree === 2 && length <= shortText);
    const wantsGroups = purpose === 'groups' || purpose === 'wholeGroups';
    if (hasLinear && (!isQuick || (wantsGroups && loopsOverGroup))) {
      return (linear ??= createLinearEngine(emitted, parsed.groupCount));
    }
    if (!hasLinear && !isQuick && (degree > 2 || length > longestQuadraticText)) {
      throw unsupported(emitted.unsupported);
    }
    return (v8 ??= createV8Engine(emitV8(parsed.root, cost.harmless), parsed.groupCount));
  };
}

function describe(node: RegexNode): string {
  switch (node.kind) {
    case 'look':
      return `A look-${node.ahead ? 'ahead' : 'behind'} in a pattern that may take more than linear time`;
    case 'reference':
      return 'A back-reference in a pattern that may take more than linear time';
    case 'repeat':
      return node.mode === 'possessive'
        ? 'A possessive quantifier in a pattern that may take more than linear time'
        : 'A repetition of more than 1000 times';
    default:
      return 'An atomic group in a pattern that may take more than linear time';
  }
}

function positionOf(node: RegexNode): number {
  return 'position' in node ? node.position : 0;
}

function hasGroupInLoop(node: RegexNode, inLoop: boolean): boolean {
  switch (node.kind) {
    case 'group':
      return inLoop || hasGroupInLoop(node.body, inLoop);
    case 'repeat':
      return hasGroupInLoop(node.body, inLoop || node.max > 1);
    case 'sequence':
      return node.items.some((item) => hasGroupInLoop(item, inLoop));
    case 'choice':
      return node.branches.some((branch) => hasGroupInLoop(branch, inLoop));
    case 'look':
    case 'atomic':
      return hasGroupInLoop(node.body, inLoop);
    default:
      return false;
  }
}

function* allMatches(text: string, exec: (text: string, from: number) => Spans | undefined): Iterable<Spans> {
  let from = 0;
  while (from <= text.length) {
    const spans = exec(text, from);
    if (!spans?.[0]) return;
    yield spans;
    const [start, end] = spans[0];
    from = end > start ? end : end + (isPairAt(text, end) ? 2 : 1);
  }
}

function isPairAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}

function matchOf(text: string, spans: Spans | undefined): JavaMatch | undefined {
  const whole = spans?.[0];
  if (!spans || !whole) return undefined;
  const groups = spans.map((span) => span && text.slice(span[0], span[1]));
  return Object.assign(groups, { index: whole[0], end: whole[1] });
}

function sliceOf(text: string, span: readonly [number, number] | undefined): string {
  return span ? text.slice(span[0], span[1]) : '';
}
