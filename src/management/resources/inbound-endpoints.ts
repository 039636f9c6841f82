import { messageOf } from '#errors';
import type { RunningInbound } from '#inbound';
import { maskText } from '#mediation';
import { childElements, firstElement, serializeXml, type XmlElement } from '#xml';
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
    parameters: parametersOf(xml),
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

/** Values that are XML, such as key stores, are shown as markup without its secrets. */
function parametersOf(xml: XmlElement): readonly { readonly name: string; readonly value: string }[] {
  const parent = childOf(xml, 'parameters');
  if (!parent) return [];
  const texts = namedValues(parent, 'parameter');
  return childElements(parent).map((parameter) => {
    const name = textOf(parameter, 'name');
    const content = firstElement(parameter);
    return { name, value: content ? maskText(serializeXml(content)) : (texts[name] ?? '') };
  });
}

function statusOf(key: string, { deployer }: ManagedRuntime): string {
  const running = deployer.live(key) as RunningInbound | undefined;
  return running?.isActive === true ? 'active' : 'inactive';
}
