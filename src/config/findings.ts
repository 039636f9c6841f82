import { formatPosition, type Position, type Problem } from '#errors';
import { masked } from './mask.ts';

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

  #excerptAt(position: Position): string {
    const above = this.#lines.slice(0, position.line).findLast((line) => /^\s*\[/.test(line));
    return hideSecrets(this.lineAt(position), /^\s*\[\s*["']?secrets["']?\s*\]/.test(above ?? ''));
  }

  add(code: string, finding: Finding): void {
    const { position, message, hint, severity } = finding;
    this.#problems.push({
      code,
      severity: severity ?? 'error',
      message,
      ...(position && { position, excerpt: this.#excerptAt(position) }),
      ...(hint !== undefined && { hint }),
    });
  }
}

/** Names of keys whose values must not be shown, also where the catalog does not know them. */
const secretName = /pass(word|wd)?\b|password|passwd|secret|credential|private|token_?value|api_?key|hash/i;

/** The line with the values of secret-looking keys as stars; all values when the line belongs to `[secrets]`. */
function hideSecrets(line: string, isSecretTable: boolean): string {
  return line.replace(
    /((?:"[^"]*"|'[^']*'|[\w.-]+)\s*=\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,#}]+)/g,
    (whole: string, name: string) => (isSecretTable || secretName.test(name) ? `${name}${masked}` : whole),
  );
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
