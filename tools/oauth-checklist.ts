import { requirements } from '../test/requirements/index.ts';

/** Where the checklist of the authorization server is. */
export const oauthChecklistPage = 'docs/reference/oauth-checklist.md';

interface Row {
  readonly standard: string;
  readonly sections: string;
  readonly text: string;
}

/** A page with every requirement that a test shows to be kept, by standard and section. */
export function renderOauthChecklist(): string {
  const rows = requirements.map(([name]) => rowOf(name));
  const standards = Map.groupBy(rows, ({ standard }) => standard);
  const parts = [...standards]
    .toSorted(([left], [right]) => left.localeCompare(right, 'en', { numeric: true }))
    .map(([standard, ofStandard]) => `## ${standard}\n\n${tableOf(ofStandard)}`);
  return `${intro(rows.length, standards.size)}\n${parts.join('\n')}`;
}

const intro = (count: number, standards: number): string => `# What the authorization server keeps of the standards

Each row is a test of its own: ${count} requirements of ${standards} standards, in \`test/requirements/\`. This page is made from them.
Where the server deviates on purpose is in [compatibility.md](compatibility.md).
`;

function rowOf(name: string): Row {
  const [, standard = '', sections = '', text = ''] = /^(.*?) ([\d.]+(?:, [\d.]+)*): (.*)$/.exec(name) ?? [];
  return { standard, sections, text };
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows
    .toSorted((left, right) => left.sections.localeCompare(right.sections, 'en', { numeric: true }))
    .map(({ sections, text }) => [sections, text.replaceAll('|', '\\|')] as const);
  const widths = ['Section', 'Requirement'].map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return `${[line(['Section', 'Requirement']), rule, ...cells.map(line)].join('\n')}\n`;
}
