import { guardWith, type PortRequest } from '#mediation';
import type { InboundDefinition } from '../definition.ts';
import { compileHandlers } from '../handlers.ts';
import { resolveParameters } from '../parameters.ts';
import { defineInbound, type CompiledInbound } from '../protocol.ts';
import { startSteered } from '../running.ts';
import { compileFrameModules } from './frame-modules.ts';
import { openSocketPort } from './open-port.ts';
import { compileFlowFor, type SocketFlow } from './socket-flow.ts';
import { readSocketPort, readSocketSettings, socketParameters } from './socket-parameters.ts';

/** An endpoint that takes WebSockets on a port of its own. */
export interface SocketInbound extends SocketFlow {
  readonly definition: InboundDefinition;
  readonly port: PortRequest;
}

/** `protocol="ws"` and `"wss"`: each frame of a client is a message (mediators 12.5). */
export const webSocket = defineInbound<SocketInbound>({
  names: ['ws', 'wss'],
  parameters: socketParameters,
  check(node, { sequence, protocol, parameters }) {
    if (sequence === undefined) {
      node.error('<inboundEndpoint> needs the attribute "sequence"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
    }
    if (protocol === 'wss') return;
    for (const { name, position, excerpt } of parameters) {
      if (!name.startsWith('wss.')) continue;
      const message = `the parameter "${name}" has no effect without protocol="wss"`;
      node.report({ code: 'MR_INBOUND_PARAMETER', severity: 'warning', message, position, excerpt });
    }
  },
  compile(definition, context) {
    const parameters = resolveParameters(definition.parameters, context.library);
    const socket = readSocketSettings(parameters);
    return {
      definition,
      port: readSocketPort(definition, parameters),
      socket,
      modules: compileFrameModules(definition, parameters, context),
      handlers: compileHandlers(definition.handlers, context),
      guard: guardWith({ key: definition.onError, inline: undefined }, context),
      flowFor: compileFlowFor(definition, socket, context),
    };
  },
  start({ definition, port, socket }, context) {
    return startSteered(definition, context, () => openSocketPort(port, socket, context));
  },
  // Clients stay while what is done with their frames changes: that is looked up in the world of each frame.
  runsAs: ({ definition: { suspend, preservesState }, port, socket: { shutdown, workers } }) =>
    JSON.stringify([port, shutdown, workers, suspend, preservesState]),
});

/** What an endpoint of this protocol compiled to; undefined for those of others. */
export function socketOf({ definition, compiled }: CompiledInbound): SocketInbound | undefined {
  return webSocket.names.includes(definition.protocol ?? '') ? (compiled as SocketInbound) : undefined;
}
