import { compileJavaRegex, type JavaRegex } from '#core/java';
import { MillraceError } from '#errors';
import { parseNumber } from '../numbers.ts';
import { TemplateFailure } from '../errors.ts';
import { numeric } from '../numbers.ts';
import { localeTag } from '../number-formats.ts';
import { TextMatch, TextMatches } from '../values.ts';
import { ofText, textArgument, wholeArgument, type Builtin, type BuiltinCall } from './builtin.ts';

/** Built-ins of texts. */
export const textBuiltins: Readonly<Record<string, Builtin>> = {
  upper_case: ofText((text, call) => text.toLocaleUpperCase(tagOf(call))),
  lower_case: ofText((text, call) => text.toLocaleLowerCase(tagOf(call))),
  cap_first: ofText((text) =>
    text.replace(/^(\s*)(\S)/u, (_, blanks: string, first: string) => blanks + first.toUpperCase()),
  ),
  uncap_first: ofText((text) =>
    text.replace(/^(\s*)(\S)/u, (_, blanks: string, first: string) => blanks + first.toLowerCase()),
  ),
  capitalize: ofText((text) =>
    text.replaceAll(/[^ \t\r\n]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()),
  ),
  // Java's trim takes every control character off.
  // eslint-disable-next-line no-control-regex
  trim: ofText((text) => text.replaceAll(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '')),
  length: ofText((text) => numeric(text.length)),
  chop_linebreak: ofText((text) => text.replace(/(?:\r\n|\r|\n)$/, '')),
  word_list: ofText((text) => text.split(/\s+/).filter((word) => word !== '')),
  number: ofText(toNumber),
  boolean: ofText((text, { operand }) => {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new TemplateFailure('other', `"${text.slice(0, 100)}" is neither true nor false`, operand);
  }),
  contains: ofText((text, call) => text.includes(textArgument(call, 0)), [1, 1]),
  starts_with: ofText((text, call) => text.startsWith(textArgument(call, 0)), [1, 1]),
  ends_with: ofText((text, call) => text.endsWith(textArgument(call, 0)), [1, 1]),
  index_of: ofText((text, call) => numeric(text.indexOf(textArgument(call, 0), wholeArgument(call, 1))), [1, 2]),
  last_index_of: ofText(
    (text, call) => {
      const from = wholeArgument(call, 1, text.length);
      return numeric(from < 0 ? -1 : text.lastIndexOf(textArgument(call, 0), from));
    },
    [1, 2],
  ),
  substring: ofText(
    (text, call) => {
      const start = wholeArgument(call, 0);
      const end = wholeArgument(call, 1, text.length);
      if (start < 0 || end < start || end > text.length) {
        throw new TemplateFailure(
          'other',
          `The string has ${text.length} characters, not ${start} to ${end}`,
          call.blamed,
        );
      }
      return text.slice(start, end);
    },
    [1, 2],
  ),
  keep_before: ofText(
    (text, call) => withRegex(call, () => cut(call, text, { isLast: false, keep: 'before' })),
    [1, 2],
  ),
  keep_before_last: ofText(
    (text, call) => withRegex(call, () => cut(call, text, { isLast: true, keep: 'before' })),
    [1, 2],
  ),
  keep_after: ofText((text, call) => withRegex(call, () => cut(call, text, { isLast: false, keep: 'after' })), [1, 2]),
  keep_after_last: ofText(
    (text, call) => withRegex(call, () => cut(call, text, { isLast: true, keep: 'after' })),
    [1, 2],
  ),
  remove_beginning: ofText(
    (text, call) => {
      const part = textArgument(call, 0);
      return text.startsWith(part) ? text.slice(part.length) : text;
    },
    [1, 1],
  ),
  remove_ending: ofText(
    (text, call) => {
      const part = textArgument(call, 0);
      return text.endsWith(part) ? text.slice(0, text.length - part.length) : text;
    },
    [1, 1],
  ),
  ensure_starts_with: ofText(
    (text, call) => {
      const start = textArgument(call, 0);
      if (call.args.length < 2) return text.startsWith(start) ? text : start + text;
      const regex = withRegex(call, () => regexOf(start, ''));
      return withRegex(call, () => regex.exec(text)?.index) === 0 ? text : textArgument(call, 1) + text;
    },
    [1, 3],
  ),
  ensure_ends_with: ofText(
    (text, call) => {
      const end = textArgument(call, 0);
      return text.endsWith(end) ? text : text + end;
    },
    [1, 1],
  ),
  left_pad: ofText((text, call) => padding(call, text) + text, [1, 2]),
  right_pad: ofText((text, call) => text + padding(call, text, text.length), [1, 2]),
  replace: ofText((text, call) => withRegex(call, () => replace(text, call)), [2, 3]),
  split: ofText((text, call) => withRegex(call, () => split(text, call)), [1, 2]),
  matches: ofText((text, call) => withRegex(call, () => matchesOf(call, text)), [1, 2]),
  groups: {
    evaluate(value, { operand }) {
      if (value instanceof TextMatch) return value.groups;
      if (value instanceof TextMatches) return (value.whole ?? value.items[0])?.groups ?? [];
      throw new TemplateFailure('type', 'Only the result of ?matches has groups', operand);
    },
  },
  truncate: ofText((text, call) => truncate(call, text, 'auto'), [1, 3]),
  truncate_c: ofText((text, call) => truncate(call, text, 'characters'), [1, 3]),
  truncate_w: ofText((text, call) => truncate(call, text, 'words'), [1, 3]),
};

function tagOf({ environment }: BuiltinCall): string {
  return localeTag(environment.settings.locale);
}

function toNumber(text: string, { operand }: BuiltinCall): ReturnType<typeof parseNumber> {
  const number = parseNumber(text);
  if (number) return number;
  throw new TemplateFailure('other', `"${text.slice(0, 100)}" is no number`, operand);
}

function matchesOf(call: BuiltinCall, text: string): TextMatches {
  const regex = regexOf(textArgument(call, 0), textArgument(call, 1));
  return new TextMatches(matchOf(regex.execWhole(text)), matchesIn(call, regex, text));
}

function matchOf(match: ReturnType<JavaRegex['exec']>): TextMatch | undefined {
  return match && new TextMatch(match.map((group) => group ?? ''));
}

function matchesIn(call: BuiltinCall, regex: JavaRegex, text: string): TextMatch[] {
  const items: TextMatch[] = [];
  for (let from = 0; from <= text.length;) {
    const match = regex.exec(text, from);
    if (!match) break;
    call.environment.step(call.blamed);
    items.push(new TextMatch(match.map((group) => group ?? '')));
    from = match.end > match.index ? match.end : match.end + 1;
  }
  return items;
}

/** Compiled patterns by flags and text. */
const patterns = new Map<string, JavaRegex>();

function regexOf(pattern: string, flags: string): JavaRegex {
  const key = `${flags}/${pattern}`;
  let regex = patterns.get(key);
  if (!regex) {
    const inline = flags.replaceAll(/[^imsc]/g, '').replaceAll('c', 'x');
    regex = compileJavaRegex(inline === '' ? pattern : `(?${inline})${pattern}`);
    if (patterns.size >= 500) patterns.clear();
    patterns.set(key, regex);
  }
  return regex;
}

/** Runs what works with regular expressions; patterns and replacements that are wrong fail the template. */
function withRegex<T>(call: BuiltinCall, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof MillraceError) || error instanceof TemplateFailure) throw error;
    throw new TemplateFailure('other', error.message, call.args[0] ?? call.blamed);
  }
}

function replace(text: string, call: BuiltinCall): string {
  const [from, to, flags] = [textArgument(call, 0), textArgument(call, 1), textArgument(call, 2)];
  const limit = call.blamed;
  let result: string;
  if (flags.includes('r')) {
    const regex = regexOf(from, flags);
    const only = flags.includes('f') ? regex.exec(text) : undefined;
    if (flags.includes('f') && !only) return text;
    result = only
      ? text.slice(0, only.index) + regex.replaceAll(text.slice(only.index, only.end), to) + text.slice(only.end)
      : regex.replaceAll(text, to);
  } else if (flags.includes('i')) {
    result = replaceAnyCase(text, { from, to, isFirstOnly: flags.includes('f') });
  } else {
    call.environment.checkLength(
      from === '' ? text.length * (to.length + 1) : (text.length / from.length) * to.length,
      limit,
    );
    result = flags.includes('f') ? text.replace(from, () => to) : text.replaceAll(from, () => to);
  }
  call.environment.checkLength(result.length, limit);
  return result;
}

function replaceAnyCase(text: string, how: { from: string; to: string; isFirstOnly: boolean }): string {
  const { from, to, isFirstOnly } = how;
  const pattern = new RegExp(from.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), isFirstOnly ? 'iu' : 'giu');
  return text.replace(pattern, () => to);
}

function split(text: string, call: BuiltinCall): readonly string[] {
  const [separator, flags] = [textArgument(call, 0), textArgument(call, 1)];
  call.environment.step(call.blamed, Math.ceil(text.length / Math.max(1, separator.length) / 8));
  if (flags.includes('r')) return regexOf(separator, flags).split(text);
  if (separator === '') return text.split('');
  if (!flags.includes('i')) return text.split(separator);
  return text.split(new RegExp(separator.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'iu'));
}

/** What stands before or after a separator; the whole text, or nothing, when there is none. */
function cut(call: BuiltinCall, text: string, how: { isLast: boolean; keep: 'before' | 'after' }): string {
  const [separator, flags] = [textArgument(call, 0), textArgument(call, 1)];
  let span = { index: how.isLast ? text.lastIndexOf(separator) : text.indexOf(separator), length: separator.length };
  if (flags !== '') {
    const escaped = flags.includes('r') ? separator : separator.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    span = spanOf(regexOf(escaped, flags), text, how.isLast);
  }
  if (span.index < 0) return how.keep === 'before' ? text : '';
  return how.keep === 'before' ? text.slice(0, span.index) : text.slice(span.index + span.length);
}

function spanOf(regex: JavaRegex, text: string, isLast: boolean): { index: number; length: number } {
  let span = { index: -1, length: 0 };
  for (let from = 0; from <= text.length;) {
    const match = regex.exec(text, from);
    if (!match) break;
    span = { index: match.index, length: match.end - match.index };
    if (!isLast) break;
    from = match.index + 1;
  }
  return span;
}

/** What is missing to a width; a filling of several characters keeps in step with the start of the result. */
function padding(call: BuiltinCall, text: string, phase = 0): string {
  const width = wholeArgument(call, 0);
  const filling = textArgument(call, 1, ' ');
  if (filling === '') throw new TemplateFailure('other', 'The filling must not be empty', call.blamed);
  call.environment.checkLength(width, call.blamed);
  const count = Math.max(0, width - text.length);
  const offset = phase % filling.length;
  return filling.repeat(Math.ceil((count + offset) / filling.length)).slice(offset, offset + count);
}

/** Between a word and the mark there is a blank; `auto` cuts within a word when too little of the text would stay. */
function truncate(call: BuiltinCall, text: string, mode: 'auto' | 'characters' | 'words'): string {
  const width = wholeArgument(call, 0);
  const mark = textArgument(call, 1, '[...]');
  if (width < 0) throw new TemplateFailure('other', 'The width must not be negative', call.blamed);
  if (text.length <= width) return text;
  const least = mode === 'auto' ? Math.max(0, Math.ceil(width * 0.75) - mark.length - 2) : 0;
  for (let end = width - mark.length - 2; mode !== 'characters' && end >= least; end--) {
    const isWordEnd = /\S/.test(text.charAt(end)) && /\s/.test(text.charAt(end + 1));
    if (isWordEnd) return `${text.slice(0, end + 1)} ${mark}`;
  }
  if (mode === 'words') return mark;
  const kept = text.slice(0, Math.max(0, width - mark.length));
  const trimmed = kept.trimEnd();
  return trimmed === kept || trimmed === '' ? trimmed + mark : `${trimmed} ${mark}`;
}
