import { getLogger } from '#core';
import { messageOf } from '#errors';
import { escapeAttribute, escapeText } from '#xml';
import { isSecretName, maskText } from './masking.ts';
import {
  compileRules,
  failedRule,
  markOf,
  secretNamesRule,
  type CompiledRules,
  type MaskingRule,
} from './masking-rules.ts';
import { maskStructure, mostInner } from './mask-structure.ts';

/** What people who look at messages do not see. */
export interface Masking {
  /** True when a rule looks into payloads: then they are looked at even where they are not recorded. */
  readonly looksIntoPayloads: boolean;
  /** Begins with one message, and whatever it becomes. */
  begin(): Cover;
}

/** The values of one message that nobody may see: one that a rule has covered once is masked wherever it turns up again. */
export interface Cover {
  /** Grows with each value that was covered for the first time. */
  readonly covered: number;
  header(name: string, value: string): string;
  /** A property or variable. */
  property(name: string, value: string): string;
  /** A payload, or any other text without a name. */
  text(text: string): string;
  /** Masks what was covered since the text was masked. */
  readonly again: (text: string) => string;
}

export interface MaskingSettings {
  readonly rules: readonly MaskingRule[];
  /** False when names that look like those of secrets mask nothing. */
  readonly secretNames: boolean;
}

/** Shorter values turn up everywhere: they are masked only where a rule finds them. */
const shortest = 4;
/** Values of one message that are looked for everywhere. */
const mostCovered = 1000;
/** A text in which another one may stand that needs unescaping first. */
const nested = /\\["u]|&lt;|<!\[CDATA\[|&#/;

const log = getLogger('mediation');

/**
 * Compiles the rules once.
 *
 * @throws MillraceError `MR_MASKING_RULE`, or what an expression is refused with
 */
export function createMasking({ rules, secretNames }: MaskingSettings): Masking {
  const compiled = compileRules(rules);
  return {
    looksIntoPayloads: compiled.xpaths.length + compiled.jsonPaths.length + compiled.texts.length > 0,
    begin: () => createCover(compiled, secretNames),
  };
}

const secretMark = markOf(secretNamesRule);

function createCover(rules: CompiledRules, secretNames: boolean): Cover {
  /** Marks by the forms in which a covered value may stand in a text. */
  const marks = new Map<string, string>();
  let pattern: RegExp | undefined;
  let covered = 0;
  const learn = (value: string, mark: string): void => {
    const text = value.trim();
    if (text.length < shortest || ['true', 'false', 'null'].includes(text)) return;
    if (marks.has(text) || covered >= mostCovered) return;
    covered++;
    for (const form of formsOf(text)) marks.set(form, mark);
    pattern = undefined;
  };
  const again = (text: string): string => {
    if (marks.size === 0) return text;
    pattern ??= anyOf(marks.keys());
    return text.replace(pattern, (found) => marks.get(found) ?? found);
  };
  const looksInside = rules.xpaths.length + rules.jsonPaths.length + rules.texts.length > 0;
  const masked = (text: string, depth: number): string => {
    let shown = text;
    if (depth <= mostInner && (looksInside || depth > 0 || (secretNames && nested.test(text)))) {
      shown = maskStructure(shown, depth, { rules, learn, maskInner: masked });
    }
    for (const { mark, finder } of rules.texts) {
      let rest = '';
      let from = 0;
      for (let match = finder.exec(shown); match && match.end > match.index; match = finder.exec(shown, from)) {
        learn(shown.slice(match.index, match.end), mark);
        rest += `${shown.slice(from, match.index)}${mark}`;
        from = match.end;
      }
      shown = rest + shown.slice(from);
    }
    shown = again(shown);
    return secretNames ? maskText(shown, secretMark) : shown;
  };
  /** What cannot be looked at is not shown: a failing rule must not fail its message, nor show what it covers. */
  const guarded = (mask: () => string): string => {
    try {
      return mask();
    } catch (error) {
      log.warn({ cause: messageOf(error) }, 'a masking rule cannot be applied; the whole value is masked');
      return markOf(failedRule);
    }
  };
  const named = (names: CompiledRules['headers'], name: string, value: string): string => {
    const rule = names.find(({ finder }) => finder.test(name));
    if (rule && value !== '') {
      learn(value, rule.mark);
      return rule.mark;
    }
    return secretNames && isSecretName(name) ? secretMark : guarded(() => masked(value, 0));
  };
  return {
    get covered() {
      return covered;
    },
    header: (name, value) => named(rules.headers, name, value),
    property: (name, value) => named(rules.properties, name, value),
    text: (text) => guarded(() => masked(text, 0)),
    again,
  };
}

/** A value as it stands in plain text, JSON, JSON within JSON, XML, XML within XML, and addresses. */
function formsOf(text: string): ReadonlySet<string> {
  const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);
  const simple = [text, inJson(text), escapeText(text), escapeAttribute(text)];
  return new Set([
    ...simple,
    ...simple.flatMap((form) => [inJson(form), escapeText(form)]),
    encodeURIComponent(text.toWellFormed()),
    new URLSearchParams([['', text]]).toString().slice(1),
  ]);
}

/** The longest first, so that no part of a value stays. */
function anyOf(texts: Iterable<string>): RegExp {
  const ordered = [...texts].toSorted((left, right) => right.length - left.length);
  // Marks that stand there already stay whole.
  return new RegExp([String.raw`\*{5}\[[\w.-]+\]`, ...ordered.map((text) => RegExp.escape(text))].join('|'), 'g');
}
