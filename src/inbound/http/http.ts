import { isDeepStrictEqual } from 'node:util';
import type { JavaRegex } from '#core/java';
import { guardWith, sequenceReference, type Compiled, type CompileContext, type FlowHandlers } from '#mediation';
import type { OpenPort, PortRequest } from '#mediation';
import { defineInbound, type AnyInboundProtocol, type CompiledInbound } from '../protocol.ts';
import { resolveParameters, type ParameterTable, type ResolvedParameters } from '../parameters.ts';
import { startSteered } from '../running.ts';
import type { InboundDefinition } from '../definition.ts';
import { compileHandlers } from '../handlers.ts';
import { compileFrameModules } from '../web-socket/frame-modules.ts';
import { endingWith } from '../web-socket/open-port.ts';
import { SocketClients } from '../web-socket/socket-clients.ts';
import { compileFlowFor, type SocketFlow } from '../web-socket/socket-flow.ts';
import { readSocketSettings } from '../web-socket/socket-parameters.ts';
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

const whyPattern = 'unless "dispatch.filter.pattern" says what goes to APIs and proxy services';

/** `protocol="http"` and `"https"`: a port of its own for APIs, proxy services or one sequence (mediators 12.1). */
export const http = defineHttp(['http', 'https'], httpParameters);

/** `protocol="httpws"` and `"httpswss"`: the same, and WebSockets of which each frame is a message. */
export const httpWebSocket = defineHttp(['httpws', 'httpswss', 'httpsWss'], httpWebSocketParameters);

function defineHttp(names: readonly string[], table: ParameterTable): AnyInboundProtocol {
  return defineInbound<HttpInbound>({
    names,
    parameters: table,
    check(node, definition) {
      const { sequence, parameters, protocol } = definition;
      const hasPattern = parameters.some(({ name }) => name === 'dispatch.filter.pattern');
      if (sequence === undefined && !hasPattern) {
        node.error(`<inboundEndpoint> needs the attribute "sequence", ${whyPattern}`, {
          code: 'MR_ARTIFACT_ATTRIBUTE',
        });
      }
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
            ? compileSockets(definition, parameters, { guard, handlers, context })
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
        const opened = open ?? nothing;
        return clients ? endingWith(opened, () => clients.close(sockets.socket.shutdown)) : opened;
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
    runsAs: ({ definition, port: { port, host, takesOffset, tls } }) =>
      JSON.stringify([port, host, takesOffset, tls !== undefined, definition.suspend, definition.preservesState]),
  });
}

/** What an endpoint of this protocol compiled to; undefined for those of others. */
export function httpOf({ definition, compiled }: CompiledInbound): HttpInbound | undefined {
  return [http, httpWebSocket].some(({ names }) => names.includes(definition.protocol ?? ''))
    ? (compiled as HttpInbound)
    : undefined;
}

/** Where nobody opens ports, as when suites are run, there is nothing to end. */
const nothing: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.resolve() };

function ownFlow({ sequence, sequencePosition }: InboundDefinition, context: CompileContext): Compiled {
  return sequence === undefined ? mainOf(context) : sequenceReference(sequence, context, sequencePosition);
}

/** The sequence `main`, whichever it is. */
function mainOf(context: CompileContext): Compiled {
  return sequenceReference('main', context);
}

function compileSockets(
  definition: InboundDefinition,
  parameters: ResolvedParameters,
  { guard, handlers, context }: Pick<SocketFlow, 'guard' | 'handlers'> & { readonly context: CompileContext },
): SocketFlow {
  const socket = readSocketSettings(parameters);
  const modules = compileFrameModules(definition, parameters, context);
  return { socket, modules, handlers, guard, flowFor: compileFlowFor(definition, socket, context) };
}
