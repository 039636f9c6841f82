import { defineOperation, type Operation } from '#rest';
import { encodeEvents } from './event-stream.ts';
import type { Registry } from './registry.ts';

/** `/history` and `/events`: what happened to nodes and artifacts; `stopped` ends the streams. */
export function eventOperations(registry: Registry, stopped: AbortSignal): readonly Operation[] {
  return [
    defineOperation({
      id: 'listEvents',
      method: 'GET',
      path: '/history',
      summary: 'What happened to nodes and artifacts lately',
      responses: { 200: { description: 'Events, newest first' } },
      scope: 'view',
      handle: () => ({ list: registry.history.toReversed() }),
    }),
    defineOperation({
      id: 'followEvents',
      method: 'GET',
      path: '/events',
      summary: 'What happens to nodes and artifacts, as server-sent events',
      responses: { 200: { description: 'A stream', type: 'text/event-stream' } },
      scope: 'view',
      handle: ({ request }) => encodeEvents(registry, AbortSignal.any([request.signal, stopped])),
    }),
  ];
}
