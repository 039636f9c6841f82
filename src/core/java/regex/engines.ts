import { RE2JS } from 're2js';
import type { LinearSource } from './emit.ts';

/** Where a match lies and where its groups lie; the first entry is the whole match. */
export type Spans = readonly (readonly [start: number, end: number] | undefined)[];

/** One way to run a compiled pattern. */
export interface Engine {
  matches(text: string): boolean;
  find(text: string): boolean;
  /** The first match at or after `from`. */
  exec(text: string, from: number): Spans | undefined;
  /** The match of the whole text. */
  execWhole(text: string): Spans | undefined;
}

/** V8's engine; for patterns whose cost is bounded. */
export function createV8Engine(source: string, groupCount: number): Engine {
  const whole = new RegExp(`^(?:${source})$`, 'u');
  const wholeGroups = new RegExp(`^(?:${source})$`, 'ud');
  const search = new RegExp(source, 'u');
  const searchGroups = new RegExp(source, 'udg');
  const spansOf = (match: RegExpExecArray | null): Spans | undefined => {
    if (!match?.indices) return undefined;
    const spans: ([number, number] | undefined)[] = [match.indices[0]];
    for (let group = 1; group <= groupCount; group++) spans.push(match.indices.groups?.[`g${group}`]);
    return spans;
  };
  return {
    matches: (text) => whole.test(text),
    find: (text) => search.test(text),
    exec(text, from) {
      searchGroups.lastIndex = from;
      return spansOf(searchGroups.exec(text));
    },
    execWhole: (text) => spansOf(wholeGroups.exec(text)),
  };
}

/** The linear engine, for everything else. */
export function createLinearEngine(linear: LinearSource, groupCount: number): Engine {
  const plain = createRe2Engine(linear.source, groupCount);
  if (linear.beforeBreak === undefined) return plain;
  const beforeBreak = createRe2Engine(linear.beforeBreak, groupCount);
  return {
    ...plain,
    find: (text) => (hasLastBreakOnly(text) ? beforeBreak : plain).find(text) || plain.find(withoutBreak(text)),
    exec(text, from) {
      if (hasLastBreakOnly(text)) return beforeBreak.exec(text, from);
      return plain.exec(withoutBreak(text), from) ?? plain.exec(text, from);
    },
  };
}

function createRe2Engine(source: string, groupCount: number): Engine {
  const pattern = RE2JS.compile(source);
  const spansOf = (matcher: ReturnType<typeof pattern.matcher>): Spans => {
    const spans: ([number, number] | undefined)[] = [];
    for (let group = 0; group <= groupCount; group++) {
      const start = matcher.start(group);
      spans.push(start < 0 ? undefined : [start, matcher.end(group)]);
    }
    return spans;
  };
  return {
    matches: (text) => pattern.matches(text),
    find: (text) => pattern.test(text),
    exec(text, from) {
      if (from > text.length) return undefined;
      const matcher = pattern.matcher(text);
      return matcher.find(from) ? spansOf(matcher) : undefined;
    },
    execWhole(text) {
      const matcher = pattern.matcher(text);
      return matcher.matches() ? spansOf(matcher) : undefined;
    },
  };
}

function hasLastBreakOnly(text: string): boolean {
  return text.endsWith('\n') && text.indexOf('\n') === text.length - 1 && !text.endsWith('\r\n');
}

/** The text without the line end before which `$` matches too. */
function withoutBreak(text: string): string {
  return text.replace(/(?:\r\n|[\n\r\u0085\u2028\u2029])$/, '');
}
