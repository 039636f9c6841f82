import { childOf, namedValues, textOf } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';

/** `/inbound-endpoints` (management 1.6). */
export const inboundEndpoints: ArtifactResource = {
  path: '/inbound-endpoints',
  kind: 'inboundEndpoint',
  title: 'inbound endpoint',
  parameter: 'inboundEndpointName',
  missing: 'bare',
  observedAs: 'inbound_endpoint',
  item: ({ name, key, xml }, { deployer }) => ({
    name,
    protocol: textOf(xml, 'protocol'),
    status: deployer.isHeld(key) ? 'inactive' : 'active',
  }),
  detail: ({ name, key, xml, stats, tracing, configuration }, { deployer }) => ({
    name,
    protocol: textOf(xml, 'protocol'),
    status: deployer.isHeld(key) ? 'inactive' : 'active',
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
    set({ key }, isActive, { deployer }) {
      if (isActive) deployer.release(key);
      else deployer.hold(key);
    },
  },
};
