import { defineOperation, type Operation } from '#rest';
import { askableNodes, type NodesAsker } from './ask-nodes.ts';
import { asList, asNumber, asRecord } from './json-shape.ts';
import type { Registry } from './registry.ts';

/** Traces of one answer; a runtime keeps 200. */
const mostTraces = 1000;

/** `/traces`: messages that were traced on the nodes of a scope, the latest first. */
export function traceOperations(parts: {
  readonly registry: Registry;
  readonly asker: NodesAsker;
}): readonly Operation[] {
  const { registry, asker } = parts;
  return [
    defineOperation({
      id: 'listTraces',
      method: 'GET',
      path: '/traces',
      summary:
        'Traced messages of several nodes, the latest first: `q` looks in everything that was recorded of them; ' +
        'runtimes that did not say are named',
      parameters: {
        query: (z) =>
          z.object({
            group: z.string().optional(),
            node: z.union([z.string(), z.array(z.string())]).optional(),
            artifact: z.string().optional(),
            q: z.string().max(200).optional(),
            failed: z.enum(['true', 'false']).optional(),
          }),
      },
      responses: { 200: { description: 'Traces under list, nodes that did not answer under silent' } },
      scope: 'administer',
      async handle({ query }) {
        const { artifact, q, failed } = query;
        const asked = new URLSearchParams({ ...(artifact !== undefined && { artifact }), ...(q && { q }) });
        const { answers, silent } = await asker.ask(
          askableNodes(registry, query),
          `millrace/traces?${asked.toString()}`,
          ({ list }, { group, id }) => asList(list).map((item) => ({ group, node: id, ...asRecord(item) })),
        );
        const list = answers
          .flat()
          .filter((trace) => failed === undefined || (asRecord(trace)['failed'] === true) === (failed === 'true'))
          .toSorted((left, right) => atOf(right) - atOf(left));
        return { list: list.slice(0, mostTraces), silent };
      },
    }),
  ];
}

function atOf(trace: unknown): number {
  return asNumber(asRecord(trace)['at']) ?? 0;
}
