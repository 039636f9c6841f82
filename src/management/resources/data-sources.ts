import { defineOperation, type Operation } from '#rest';
import { listOf, queryText, refusal, searched } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/data-sources` (management 1.6): those of the configuration, with whatever their facts are; passwords stay away. */
export function dataSourceOperations({ dataSources }: ManagedRuntime): readonly Operation[] {
  return [
    defineOperation({
      id: 'getDataSources',
      method: 'GET',
      path: '/data-sources',
      summary: 'Data sources, or the one that name names',
      responses: { 200: { description: 'The list under count and list, or the details of one' } },
      scope: 'read',
      handle({ query }) {
        const name = queryText(query, 'name');
        if (name === undefined) {
          const all = dataSources.map((source) => ({ ...source, type: 'RDBMS' }));
          return listOf(searched(all, query).map(({ name: each, type }) => ({ name: each, type })));
        }
        const found = dataSources.find((source) => source.name === name);
        if (!found) throw refusal(404, `There is no data source "${name}"`);
        return { description: '', type: 'RDBMS', ...found };
      },
    }),
  ];
}
