import { formatPosition, type Position, type Problem } from '#errors';

/** Collects what is wrong with one configuration file, each finding with the line it is about. */
export class Findings {
  readonly file: string;
  readonly #lines: readonly string[];
  readonly #problems: Problem[] = [];

  constructor(file: string, text: string) {
    this.file = file;
    this.#lines = text.split(/\r\n|\n|\r/);
  }

  /** Everything found, in the order of the file; findings without a place come first. */
  get problems(): readonly Problem[] {
    return [...this.#problems].sort(
      (left, right) =>
        (left.position?.line ?? 0) - (right.position?.line ?? 0) ||
        (left.position?.column ?? 0) - (right.position?.column ?? 0),
    );
  }

  /** The source line at `position`, without its line end. */
  lineAt(position: Position): string {
    return this.#lines[position.line - 1] ?? '';
  }

  add(code: string, finding: Finding): void {
    const { position, message, hint, severity } = finding;
    this.#problems.push({
      code,
      severity: severity ?? 'error',
      message,
      ...(position && { position, excerpt: this.lineAt(position) }),
      ...(hint !== undefined && { hint }),
    });
  }
}

export interface Finding {
  readonly message: string;
  readonly position?: Position | undefined;
  readonly hint?: string | undefined;
  /** `error` when absent. */
  readonly severity?: 'error' | 'warning';
}

/** `line 12` of the same file, or the whole place when it is another one. */
export function placeOf(position: Position, file: string): string {
  return position.file === file ? `line ${position.line}` : formatPosition(position);
}
