import { guardWith, type PortRequest } from '#mediation';
import { requireSequence } from '../background-endpoint.ts';
import type { InboundDefinition } from '../definition.ts';
import { compileHandlers } from '../handlers.ts';
import { resolveParameters } from '../parameters.ts';
import { defineInbound, type CompiledInbound } from '../protocol.ts';
import { startSteered } from '../running.ts';
import { openSocketPort } from './open-port.ts';
import { compileSocketFlow, type SocketFlow } from './socket-flow.ts';
import { readSocketPort, socketParameters } from './socket-parameters.ts';

/** An endpoint that takes WebSockets on a port of its own. */
export interface SocketInbound extends SocketFlow {
  readonly definition: InboundDefinition;
  readonly port: PortRequest;
}

/** `protocol="ws"` and `"wss"`: each frame of a client is a message (mediators 12.5). */
export const webSocket = defineInbound<SocketInbound>({
  names: ['ws', 'wss'],
  parameters: socketParameters,
  check(node, definition) {
    const { protocol, parameters } = definition;
    requireSequence(node, definition);
    if (protocol === 'wss') return;
    for (const { name, position, excerpt } of parameters) {
      if (!name.startsWith('wss.')) continue;
      const message = `the parameter "${name}" has no effect without protocol="wss"`;
      node.report({ code: 'MR_INBOUND_PARAMETER', severity: 'warning', message, position, excerpt });
    }
  },
  compile(definition, context) {
    const parameters = resolveParameters(definition.parameters, context.library);
    const handlers = compileHandlers(definition.handlers, context);
    const guard = guardWith({ key: definition.onError, inline: undefined }, context);
    return {
      definition,
      port: readSocketPort(definition, parameters),
      ...compileSocketFlow(definition, parameters, { guard, handlers, context }),
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
