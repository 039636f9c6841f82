import { defineOperation, type Operation } from '#rest';
import { askableNodes, type NodesAsker } from './ask-nodes.ts';
import { asList, asNumber, asRecord, asText, type Loose } from './json-shape.ts';
import type { Registry, RuntimeNode } from './registry.ts';

export interface ProblemParts {
  readonly registry: Registry;
  readonly asker: NodesAsker;
}

/** What is wrong with an artifact file, on those nodes of a group where it is. */
interface GroupProblem {
  readonly group: string;
  readonly nodes: readonly string[];
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  /** Below the home of the runtime. */
  readonly file: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly excerpt: string | undefined;
  readonly hint: string | undefined;
  /** The archive that the file belongs to. */
  readonly application: string | undefined;
  /** Keys of what runs of the file: of a file with errors the last good version. */
  readonly runs: readonly string[];
}

/** `/problems`: what is wrong with the artifact files of the runtimes, the same on several nodes told once. */
export function problemOperations({ registry, asker }: ProblemParts): readonly Operation[] {
  return [
    defineOperation({
      id: 'listProblems',
      method: 'GET',
      path: '/problems',
      summary: 'What is wrong with the artifact files of runtimes, errors first; runtimes that did not say are named',
      parameters: {
        query: (z) =>
          z.object({
            group: z.string().optional(),
            node: z.union([z.string(), z.array(z.string())]).optional(),
          }),
      },
      responses: { 200: { description: 'Problems under list, nodes that did not answer under silent' } },
      scope: 'view',
      async handle({ query }) {
        const { answers, silent } = await asker.ask(
          askableNodes(registry, query),
          'millrace/problems',
          ({ list }, node) => asList(list).map((item) => problemOf(node, asRecord(item))),
        );
        return { list: mergedProblems(answers.flat()), silent };
      },
    }),
  ];
}

function problemOf({ group, id }: RuntimeNode, item: Loose): GroupProblem {
  const position = asRecord(item['position']);
  return {
    group,
    nodes: [id],
    severity: item['severity'] === 'warning' ? 'warning' : 'error',
    code: asText(item['code']) ?? '',
    message: asText(item['message']) ?? '',
    file: asText(item['file']) ?? asText(position['file']) ?? '',
    line: asNumber(position['line']),
    column: asNumber(position['column']),
    excerpt: asText(item['excerpt']),
    hint: asText(item['hint']),
    application: asText(item['application']),
    runs: asList(item['runs']).flatMap((key) => asText(key) ?? []),
  };
}

/** The same problem of several nodes of a group as one, errors first, then by file. */
export function mergedProblems(problems: readonly GroupProblem[]): readonly GroupProblem[] {
  const byContent = Map.groupBy(problems, (problem) => JSON.stringify({ ...problem, nodes: [] }));
  return [...byContent.values()]
    .flatMap((same) => (same[0] ? [{ ...same[0], nodes: same.flatMap(({ nodes }) => nodes) }] : []))
    .toSorted(
      (left, right) =>
        compare(left.severity, right.severity) ||
        compare(left.group, right.group) ||
        compare(left.file, right.file) ||
        (left.line ?? 0) - (right.line ?? 0),
    );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
