import type { Clock } from '#core';
import { defineOperation, RestError, type Operation } from '#rest';
import { nodeNames } from './ask-nodes.ts';
import { minute } from './rollup-tiers.ts';
import type { Rollups } from './rollups.ts';

/** Points of one answer. */
const mostPoints = 1440;

/** `/rollups`: figures of the nodes over a time range, without calling a node. */
export function rollupOperations({ rollups, clock }: { rollups: Rollups; clock: Clock }): readonly Operation[] {
  return [
    defineOperation({
      id: 'readRollups',
      method: 'GET',
      path: '/rollups',
      summary:
        'Messages, errors and times of APIs and proxy services over time: in sum, by step and by artifact. ' +
        'Times in milliseconds: `meanTime` of a message in its steps, `p50`, `p95` and `p99` of its longest step. ' +
        'The dashboard keeps a day, minute by minute, and a month, hour by hour, of what runtimes count',
      parameters: {
        query: (z) =>
          z.object({
            group: z.string().optional(),
            node: z
              .union([z.string(), z.array(z.string())])
              .optional()
              .describe('One node or several'),
            /** Such as `api:Orders`. */
            artifact: z.string().optional(),
            mediator: z
              .string()
              .optional()
              .describe('Its identity, such as `api:Orders/resource:0/in/1`; known for an hour'),
            from: z.iso.datetime({ offset: true }).optional().describe('An hour before `to` when absent'),
            to: z.iso.datetime({ offset: true }).optional().describe('Now when absent'),
            step: z.coerce.number().int().min(60).max(86_400).default(60).describe('Seconds, a multiple of 60'),
          }),
      },
      responses: { 200: { description: 'Points, their total, and the artifacts by group, the busiest first' } },
      scope: 'view',
      handle({ query }) {
        const { group, artifact, mediator } = query;
        const nodes = nodeNames(query);
        const step = query.step * 1000;
        if (step % minute !== 0) throw wrong(`step must be a multiple of 60; found ${query.step}`);
        const end = query.to === undefined ? clock.now() : Date.parse(query.to);
        const to = Math.ceil(end / minute) * minute;
        const from =
          Math.floor((query.from === undefined ? to - 60 * minute : Date.parse(query.from)) / minute) * minute;
        if (from >= to) throw wrong('from must be before to');
        if ((to - from) / step > mostPoints)
          throw wrong(`the range has more than ${mostPoints} steps; choose a longer step`);
        const { points, ...rest } = rollups.query({ group, nodes, artifact, mediator, from, to, step });
        return {
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          step: query.step,
          points: points.map(({ at, ...facts }) => ({ at: new Date(at).toISOString(), ...facts })),
          ...rest,
        };
      },
    }),
  ];
}

function wrong(message: string): RestError {
  return new RestError({ code: 'MR_DASHBOARD_RANGE', status: 400, message });
}
