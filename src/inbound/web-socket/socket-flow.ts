import type { World } from '#artifacts';
import { sequenceReference, type Compiled, type CompileContext, type FlowHandlers, type Library } from '#mediation';
import type { WebSocketLimits } from '#transport';
import type { InboundDefinition } from '../definition.ts';
import type { ResolvedParameters } from '../parameters.ts';
import { compileFrameModules, type FrameModules } from './frame-modules.ts';
import type { SocketClients } from './socket-clients.ts';
import { readSocketSettings, type SocketSettings } from './socket-parameters.ts';

/** What an endpoint does with handshakes and frames. */
export interface SocketFlow {
  readonly socket: SocketSettings;
  readonly modules: FrameModules;
  readonly handlers: FlowHandlers | undefined;
  /** Puts the fault sequence of the endpoint around a flow. */
  readonly guard: (run: Compiled) => Compiled;
  /** The sequence for the clients of a path. */
  readonly flowFor: (path: string, library: Library) => Compiled;
}

/** Where the clients of a port live. */
export interface SocketHost {
  /** The name of the endpoint. */
  readonly endpoint: string;
  readonly limits: WebSocketLimits;
  readonly clients: SocketClients;
  /** The world for what begins now. */
  world(): World;
  /** The endpoint in a world; undefined when it is there no more. */
  find(world: World): SocketFlow | undefined;
}

/** What was compiled of an endpoint before its WebSockets are looked at. */
interface SocketContext extends Pick<SocketFlow, 'guard' | 'handlers'> {
  readonly context: CompileContext;
}

/** Compiles what an endpoint does with WebSockets. @throws ProblemsError for values and classes that cannot be used */
export function compileSocketFlow(
  definition: InboundDefinition,
  parameters: ResolvedParameters,
  { guard, handlers, context }: SocketContext,
): SocketFlow {
  const socket = readSocketSettings(parameters);
  const modules = compileFrameModules(definition, parameters, context);
  return { socket, modules, handlers, guard, flowFor: compileFlowFor(definition, socket, context) };
}

/**
 * Makes the choice of a sequence: the endpoint's own, or, with `dispatch.custom.sequence`, the one that is named like
 * the path of the client with `-` for `/`, where there is one.
 */
function compileFlowFor(
  { sequence = 'main', sequencePosition }: InboundDefinition,
  { usesPathSequence }: SocketSettings,
  context: CompileContext,
): SocketFlow['flowFor'] {
  const own = sequenceReference(sequence, context, sequencePosition);
  if (!usesPathSequence) return () => own;
  return (path, library) => library.sequence(path.slice(1).replaceAll('/', '-')) ?? own;
}
