import { isDeepStrictEqual } from 'node:util';
import type { JavaRegex } from '#core/java';
import { guardWith, sequenceReference, type Compiled, type CompileContext, type FlowHandlers } from '#mediation';
import type { OpenPort, PortRequest } from '#mediation';
import { requireSequence } from '../background-endpoint.ts';
import { defineInbound, type AnyInboundProtocol, type CompiledInbound } from '../protocol.ts';
import { resolveParameters, type ParameterTable } from '../parameters.ts';
import { startSteered } from '../running.ts';
import type { InboundDefinition } from '../definition.ts';
import { compileHandlers } from '../handlers.ts';
import { SocketClients } from '../web-socket/socket-clients.ts';
import { compileSocketFlow, type SocketFlow } from '../web-socket/socket-flow.ts';
import { checkTls, httpParameters, httpWebSocketParameters, isSecure, readPort } from './http-parameters.ts';

/** An endpoint that serves a port of its own. */
export interface HttpInbound {
  readonly definition: InboundDefinition;
  readonly port: PortRequest;
  /** Requests whose whole target matches go to APIs and services, all others to `main`; undefined uses `sequence`. */
  readonly pattern: JavaRegex | undefined;
  /** The endpoint's own sequence, with its fault handling. */
  readonly flow: Compiled;
  /** Puts the fault sequence of the endpoint around a flow. */
  readonly guard: (run: Compiled) => Compiled;
  readonly handlers: FlowHandlers | undefined;
  /** What is done with WebSockets that come to the own sequence; undefined where they are requests as others. */
  readonly sockets: SocketFlow | undefined;
}

const unlessPattern = ', unless "dispatch.filter.pattern" says what goes to APIs and proxy services';

/** `protocol="http"` and `"https"`: a port of its own for APIs, proxy services or one sequence (mediators 12.1). */
export const http = defineHttp(['http', 'https'], httpParameters);

/** `protocol="httpws"` and `"httpswss"`: the same, and WebSockets of which each frame is a message. */
export const httpWebSocket = defineHttp(['httpws', 'httpswss', 'httpsWss'], httpWebSocketParameters);

function defineHttp(names: readonly string[], table: ParameterTable): AnyInboundProtocol {
  return defineInbound<HttpInbound>({
    names,
    parameters: table,
    check(node, definition) {
      const { parameters, protocol } = definition;
      const hasPattern = parameters.some(({ name }) => name === 'dispatch.filter.pattern');
      if (!hasPattern) requireSequence(node, definition, unlessPattern);
      if (isSecure(protocol)) checkTls(node, parameters);
    },
    compile(definition, context) {
      const parameters = resolveParameters(definition.parameters, context.library);
      const guard = guardWith({ key: definition.onError, inline: undefined }, context);
      const handlers = compileHandlers(definition.handlers, context);
      return {
        definition,
        port: readPort(definition, parameters),
        pattern: parameters.get('dispatch.filter.pattern', httpParameters['dispatch.filter.pattern']),
        flow: guard(ownFlow(definition, context)),
        guard,
        handlers,
        sockets:
          table === httpWebSocketParameters
            ? compileSocketFlow(definition, parameters, { guard, handlers, context })
            : undefined,
      };
    },
    start({ definition, port, sockets }, context) {
      const { ports } = context.services;
      let wanted = port;
      let open: OpenPort | undefined;
      const running = startSteered(definition, context, async () => {
        const asked = wanted;
        const clients = sockets && new SocketClients(sockets.socket.workers);
        open = await ports?.open({ ...asked, clients });
        if (asked !== wanted) await open?.change(wanted);
        return {
          async [Symbol.asyncDispose]() {
            const ending = open;
            open = undefined;
            // Where nobody opens ports, as when suites are run, there is nothing to end.
            await ending?.[Symbol.asyncDispose]();
            if (sockets) await clients?.close(sockets.socket.shutdown);
          },
        };
      });
      return Object.assign(running, {
        adopt(next: CompiledInbound): void {
          const own = httpOf(next);
          if (!own || isDeepStrictEqual(own.port, wanted)) return;
          wanted = own.port;
          void open?.change(wanted);
        },
      });
    },
    // The port stays open while key material and workers change, and what it leads to: that is looked up in the world of
    // each message.
    runsAs({ definition: { suspend, preservesState }, port: { port, host, takesOffset, tls }, sockets }) {
      const ofClients = sockets && [sockets.socket.workers, sockets.socket.shutdown];
      return JSON.stringify([port, host, takesOffset, tls !== undefined, ofClients, suspend, preservesState]);
    },
  });
}

/** What an endpoint of this protocol compiled to; undefined for those of others. */
export function httpOf({ definition, compiled }: CompiledInbound): HttpInbound | undefined {
  return [http, httpWebSocket].some(({ names }) => names.includes(definition.protocol ?? ''))
    ? (compiled as HttpInbound)
    : undefined;
}

function ownFlow({ sequence = 'main', sequencePosition }: InboundDefinition, context: CompileContext): Compiled {
  return sequenceReference(sequence, context, sequencePosition);
}
