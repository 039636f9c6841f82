import { MillraceError } from './base.ts';

/** A place in a source file; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One finding about an input file: what was expected, what was found, and where. */
export interface Problem {
  /** Stable code such as `MR_CONFIG_UNKNOWN_KEY`. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly position?: Position;
  /** The source line concerned, without its line end. */
  readonly excerpt?: string;
  /** What to do about it, such as the nearest known name. */
  readonly hint?: string;
}

/** Raised when a file cannot be used; carries everything that is wrong with it at once. */
export class ProblemsError extends MillraceError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const first = problems.find((problem) => problem.severity === 'error') ?? problems[0];
    super({
      code: first?.code ?? 'MR_PROBLEMS',
      message: problems.map((problem) => formatProblem(problem)).join('\n'),
    });
    this.problems = problems;
  }
}

/** `file:line:column` of a position, as editors and terminals understand it. */
export function formatPosition(position: Position): string {
  return `${position.file}:${position.line}:${position.column}`;
}

/**
 * One problem as text for a person: place, severity and message on the first line, then the source line with a
 * caret below the column, then the hint.
 */
export function formatProblem(problem: Problem): string {
  const place = problem.position ? `${formatPosition(problem.position)}: ` : '';
  const lines = [`${place}${problem.severity}: ${problem.message} [${problem.code}]`];
  if (problem.excerpt !== undefined && problem.position) {
    const number = String(problem.position.line);
    const shown = problem.excerpt.slice(0, 160);
    const indent = ' '.repeat(Math.max(0, Math.min(problem.position.column - 1, shown.length)));
    lines.push(`  ${number} | ${shown}`, `  ${' '.repeat(number.length)} | ${indent}^`);
  }
  if (problem.hint !== undefined) lines.push(`  ${problem.hint}`);
  return lines.join('\n');
}

/** The line of `text` at `line` (from 1), for use as an excerpt. */
export function excerptOf(text: string, line: number): string {
  return text.split(/\r\n|\n|\r/, line)[line - 1] ?? '';
}

/** The closest of `candidates` to `word` by edit distance, when it is close enough to be a likely typing error. */
export function nearestName(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      current.push(
        Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + cost),
      );
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
