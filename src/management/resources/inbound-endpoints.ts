import { messageOf } from '#errors';
import type { RunningInbound } from '#inbound';
import { childOf, namedValues, textOf } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
import { refusal } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/inbound-endpoints` (management 1.6). */
export const inboundEndpoints: ArtifactResource = {
  path: '/inbound-endpoints',
  kind: 'inboundEndpoint',
  title: 'inbound endpoint',
  parameter: 'inboundEndpointName',
  missing: 'bare',
  observedAs: 'inbound_endpoint',
  item: ({ name, key, xml }, runtime) => ({
    name,
    protocol: textOf(xml, 'protocol'),
    status: statusOf(key, runtime),
  }),
  detail: ({ name, key, xml, stats, tracing, configuration }, runtime) => ({
    name,
    protocol: textOf(xml, 'protocol'),
    status: statusOf(key, runtime),
    sequence: textOf(xml, 'sequence'),
    error: textOf(xml, 'onError'),
    stats,
    tracing,
    parameters: Object.entries(namedValues(childOf(xml, 'parameters') ?? xml, 'parameter')).map(([each, value]) => ({
      name: each,
      value,
    })),
    configuration,
  }),
  status: {
    audit: 'inbound_endpoint',
    unknown: 400,
    async set({ key, name }, isActive, { deployer }) {
      const running = deployer.live(key) as RunningInbound | undefined;
      if (!running) throw refusal(500, `The inbound endpoint ${name} does not run on this node`);
      try {
        await (isActive ? running.activate() : running.deactivate());
      } catch (error) {
        throw refusal(500, messageOf(error));
      }
    },
  },
};

function statusOf(key: string, { deployer }: ManagedRuntime): string {
  const running = deployer.live(key) as RunningInbound | undefined;
  return running?.isActive === true ? 'active' : 'inactive';
}
