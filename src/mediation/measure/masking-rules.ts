import { compileJavaRegex, type JavaRegex } from '#core/java';
import { MillraceError } from '#errors';
import { compileJsonPath, compileXPath, type JsonPath, type Namespaces, type XPath } from '#expression';
import { masked } from './masking.ts';

/** By what a rule finds the values that nobody may see. */
export type MaskingKind = 'header' | 'property' | 'xpath' | 'jsonpath' | 'text';

/** What is masked beside the values of secret-looking names (management 5.3). */
export interface MaskingRule {
  /** Stands where a value stood. */
  readonly name: string;
  readonly kind: MaskingKind;
  /** A name in which `*` stands for anything, a path, or a regular expression of Java. */
  readonly expression: string;
  /** Of the prefixes in an XPath. */
  readonly namespaces?: Namespaces | undefined;
}

/** A rule that is ready to run. */
interface Covering<Finder> {
  readonly mark: string;
  readonly finder: Finder;
}

/** Rules by what they look at, in the order of the configuration. */
export interface CompiledRules {
  readonly headers: readonly Covering<RegExp>[];
  readonly properties: readonly Covering<RegExp>[];
  readonly xpaths: readonly Covering<XPath>[];
  readonly jsonPaths: readonly Covering<JsonPath>[];
  readonly texts: readonly Covering<JavaRegex>[];
}

/** Names of the built-in rule, and of what stands where a rule could not be applied. */
export const secretNamesRule = 'secret-names';
export const failedRule = 'not-applicable';

/** What stands where the rule of this name masked something. */
export function markOf(rule: string): string {
  return `${masked}[${rule}]`;
}

const ruleName = /^[\w.-]{1,60}$/;

/**
 * Makes a rule ready to run, so that no message waits for it.
 *
 * @throws MillraceError `MR_MASKING_RULE` for a name that cannot stand in a text, and that of the expression
 */
export function compileRules(rules: readonly MaskingRule[]): CompiledRules {
  for (const rule of rules) checkRule(rule);
  return {
    headers: compiled(rules, 'header', ({ expression }) => namePattern(expression, 'i')),
    properties: compiled(rules, 'property', ({ expression }) => namePattern(expression, '')),
    xpaths: compiled(rules, 'xpath', ({ expression, namespaces = new Map<string, string>() }) =>
      compileXPath(expression, namespaces),
    ),
    jsonPaths: compiled(rules, 'jsonpath', ({ expression }) => compileJsonPath(expression)),
    texts: compiled(rules, 'text', ({ expression }) => compileJavaRegex(expression)),
  };
}

/** Refuses names that a reader could not tell from the text around them. */
function checkRule({ name, expression }: MaskingRule): void {
  if (!ruleName.test(name) || name === secretNamesRule || name === failedRule) {
    throw wrong(
      `expected a name of letters, digits, "_", "." and "-" other than ${secretNamesRule} and ${failedRule}; found "${name}"`,
    );
  }
  if (expression.trim() === '') throw wrong(`the rule ${name} has no expression`);
}

function compiled<Finder>(
  rules: readonly MaskingRule[],
  kind: MaskingKind,
  compile: (rule: MaskingRule) => Finder,
): readonly Covering<Finder>[] {
  return rules.filter((rule) => rule.kind === kind).map((rule) => ({ mark: markOf(rule.name), finder: compile(rule) }));
}

function namePattern(expression: string, flags: string): RegExp {
  return new RegExp(
    `^${expression
      .split('*')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    flags,
  );
}

function wrong(message: string): MillraceError {
  return new MillraceError({ code: 'MR_MASKING_RULE', message });
}
