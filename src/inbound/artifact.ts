import { defineArtifact } from '#artifacts';
import { MillraceError, nearestName } from '#errors';
import type { SourceNode } from '#xml';
import { custom } from './custom/custom.ts';
import { readInbound, serializeInbound, type InboundDefinition } from './definition.ts';
import { checkParameters } from './parameters.ts';
import type { AnyInboundProtocol, CompiledInbound } from './protocol.ts';
import { protocols, protocolsNotServed } from './protocols.ts';

/** `<inboundEndpoint>`: takes messages in by itself: from a port, a folder or a module of one's own (mediators 12). */
export const inboundEndpoint = defineArtifact<InboundDefinition, CompiledInbound>({
  element: 'inboundEndpoint',
  folders: ['inbound-endpoints'],
  order: 10,
  nameOf: (node) => node.required('name'),
  parse(node, context) {
    const definition = readInbound(node, context);
    const protocol = protocolFor(node, definition);
    if (!protocol) return definition;
    if (definition.protocol !== undefined && definition.className !== undefined) {
      node.warn('"class" has no effect beside "protocol"', { attribute: 'class' });
    }
    checkParameters(node, definition.parameters, protocol);
    protocol.check(node, definition);
    return definition;
  },
  serialize: serializeInbound,
  compile(definition, context) {
    const protocol = protocolOf(definition);
    if (protocol) return protocol.compile(definition, context);
    throw new MillraceError({ code: 'MR_INBOUND_PROTOCOL', message: `${definition.name} has no protocol` });
  },
  start: (compiled, context) => compiled.start(context),
  runsAs: (compiled) => compiled.runsAs(),
});

function protocolOf({ protocol, className }: InboundDefinition): AnyInboundProtocol | undefined {
  if (protocol === undefined && className !== undefined) return custom;
  return protocols.find(({ names }) => names.includes(protocol ?? ''));
}

/** The protocol of an endpoint; reports one that is not there. */
function protocolFor(node: SourceNode, definition: InboundDefinition): AnyInboundProtocol | undefined {
  const found = protocolOf(definition);
  if (found) return found;
  const { protocol } = definition;
  const known = protocols.flatMap(({ names }) => names);
  const code = 'MR_INBOUND_PROTOCOL';
  if (protocol === undefined) {
    node.error(`<inboundEndpoint> needs the attribute "protocol" or "class"; known protocols are ${known.join(', ')}`, {
      code,
    });
  } else if (protocolsNotServed.has(protocol)) {
    const message = `inbound endpoints of the protocol "${protocol}" are not served`;
    node.error(message, { code, attribute: 'protocol' });
  } else {
    const near = nearestName(protocol, known);
    const message = `there is no inbound protocol "${protocol}"; known are ${known.join(', ')}`;
    node.error(message, { code, attribute: 'protocol', ...(near && { hint: `did you mean "${near}"?` }) });
  }
  return undefined;
}
