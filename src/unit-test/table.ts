import { formatPosition, formatProblem } from '#errors';
import type { FailedAssertion } from './assertions.ts';
import { describeMissed } from './coverage.ts';
import { isPassed, type CaseResult, type SuiteResult } from './result.ts';

/** Results as text for a person: cases, what failed and where, what never ran, and the count of everything. */
export function tableOf(results: readonly SuiteResult[]): string {
  const cases = results.flatMap((result) => result.cases);
  const failed = cases.filter((result) => !isPassed(result)).length;
  const broken = results.filter(({ ran }) => !ran).length;
  const counts = [`${cases.length} cases`, `${cases.length - failed} passed`, `${failed} failed`];
  if (broken > 0) counts.push(`${broken} suites did not run`);
  return [...results.map(suiteText), counts.join(', ')].join('\n');
}

function suiteText(result: SuiteResult): string {
  const lines = [result.file];
  for (const problem of result.problems) lines.push(...indented(formatProblem(problem)));
  for (const each of result.cases) lines.push(...caseLines(each));
  if (!result.ran) lines.push('  did not run');
  for (const { artifact, executed, total, missed } of result.coverage) {
    lines.push(`  ${artifact}: ${executed} of ${total} mediators ran (${percent(executed, total)} %)`);
    for (const each of missed) lines.push(`    ${describeMissed(each)}`);
  }
  return `${lines.join('\n')}\n`;
}

function caseLines(result: CaseResult): string[] {
  const { name, position, duration, error, failures } = result;
  const first = `  ${isPassed(result) ? 'passed' : 'FAILED'}  ${name} (${Math.round(duration)} ms)`;
  const reason = error === undefined ? [] : [`    ${formatPosition(position)}: ${error}`];
  return [first, ...reason, ...failures.flatMap((failure) => indented(describeFailure(failure), '    '))];
}

/** An assertion that does not hold, as text: where, what it is about, what was expected and what was there. */
export function describeFailure({ type, expression, actual, expected, message, position }: FailedAssertion): string {
  const said = message === '' ? '' : `: ${message}`;
  const wanted = expected === undefined ? 'a value' : expected;
  return `${formatPosition(position)}: ${type} ${expression}${said}\n  expected: ${wanted}\n  actual:   ${actual ?? 'nothing'}`;
}

function indented(text: string, indent = '  '): string[] {
  return text.split('\n').map((line) => `${indent}${line}`);
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.floor((part / whole) * 100);
}
