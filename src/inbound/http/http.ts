import type { JavaRegex } from '#core/java';
import { guardWith, sequenceReference, type Compiled, type CompileContext, type FlowHandlers } from '#mediation';
import type { PortRequest } from '#mediation';
import { defineInbound, type CompiledInbound } from '../protocol.ts';
import { resolveParameters } from '../parameters.ts';
import { startSteered } from '../running.ts';
import type { InboundDefinition } from '../definition.ts';
import { compileHandlers } from '../handlers.ts';
import { checkTls, httpParameters, readPort } from './http-parameters.ts';

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
}

const whyPattern = 'unless "dispatch.filter.pattern" says what goes to APIs and proxy services';

/** `protocol="http"` and `"https"`: a port of its own for APIs, proxy services or one sequence (mediators 12.1). */
export const http = defineInbound<HttpInbound>({
  names: ['http', 'https'],
  parameters: httpParameters,
  check(node, definition) {
    const { sequence, parameters, protocol } = definition;
    const hasPattern = parameters.some(({ name }) => name === 'dispatch.filter.pattern');
    if (sequence === undefined && !hasPattern) {
      node.error(`<inboundEndpoint> needs the attribute "sequence", ${whyPattern}`, {
        code: 'MR_ARTIFACT_ATTRIBUTE',
      });
    }
    if (protocol === 'https') checkTls(node, parameters);
  },
  compile(definition, context) {
    const parameters = resolveParameters(definition.parameters, context.library);
    const guard = guardWith({ key: definition.onError, inline: undefined }, context);
    return {
      definition,
      port: readPort(definition, parameters),
      pattern: parameters.get('dispatch.filter.pattern', httpParameters['dispatch.filter.pattern']),
      flow: guard(ownFlow(definition, context)),
      guard,
      handlers: compileHandlers(definition.handlers, context),
    };
  },
  start({ definition, port }, context) {
    const { ports } = context.services;
    return startSteered(definition, context, async () => (ports ? await ports.open(port) : nothing));
  },
  // The port stays open while what it leads to changes: that is looked up in the world of each message.
  runsAs: ({ definition, port }) => JSON.stringify([port, definition.suspend, definition.preservesState]),
});

/** What an endpoint of this protocol compiled to; undefined for those of others. */
export function httpOf({ definition, compiled }: CompiledInbound): HttpInbound | undefined {
  return http.names.includes(definition.protocol ?? '') ? (compiled as HttpInbound) : undefined;
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
