/** What is wrong with an artifact file, on those nodes of a group where it is. */
export interface Problem {
  readonly group: string;
  readonly nodes: readonly string[];
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly excerpt?: string;
  readonly hint?: string;
  readonly application?: string;
  /** Keys of what runs of the file: of a file with errors the last good version. */
  readonly runs: readonly string[];
}

/** A file with everything that is wrong in it. */
export interface BrokenFile {
  readonly key: string;
  readonly group: string;
  readonly file: string;
  readonly application: string | undefined;
  readonly nodes: readonly string[];
  readonly runs: readonly string[];
  readonly problems: readonly Problem[];
}

/** Problems by the file that somebody has to open. */
export function brokenFiles(problems: readonly Problem[]): readonly BrokenFile[] {
  const byFile = Map.groupBy(problems, ({ group, file }) => `${group} ${file}`);
  return [...byFile].flatMap(([key, own]) => {
    const first = own[0];
    if (!first) return [];
    return [
      {
        key,
        group: first.group,
        file: first.file,
        application: first.application,
        nodes: [...new Set(own.flatMap(({ nodes }) => nodes))],
        runs: [...new Set(own.flatMap(({ runs }) => runs))],
        problems: own,
      },
    ];
  });
}

/** `file:line:column`, as editors take it. */
export function placeOf({ file, line, column }: Problem): string {
  return line === undefined ? file : column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

/** Columns of an excerpt that are shown before the place, so that it is seen. */
const shownBefore = 60;

/** The source line of a problem with a mark below its column, cut to what fits. */
export function markedLine({ line, column = 1, excerpt }: Problem): string | undefined {
  if (excerpt === undefined || line === undefined) return undefined;
  const cut = Math.max(0, column - 1 - shownBefore);
  const number = `${line} | `;
  const shown = `${cut > 0 ? '…' : ''}${excerpt.slice(cut, cut + 160)}`;
  const before = Math.min(column - 1 - cut + (cut > 0 ? 1 : 0), shown.length);
  return `${number}${shown}\n${' '.repeat(number.length + Math.max(0, before))}^`;
}
