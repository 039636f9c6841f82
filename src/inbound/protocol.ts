import type { CompileContext, LiveContext } from '#mediation';
import type { SourceNode } from '#xml';
import type { InboundDefinition } from './definition.ts';
import type { ParameterTable } from './parameters.ts';
import type { RunningInbound } from './running.ts';

/** A kind of inbound endpoint: how messages come in. */
export interface InboundProtocol<C> {
  /** Values of the attribute `protocol` that mean it. */
  readonly names: readonly string[];
  readonly parameters: ParameterTable;
  /** True when parameters with other names are read, too. */
  readonly hasOwnParameters?: true;
  /** Reports what is wrong with an endpoint besides single parameters. */
  check(node: SourceNode, definition: InboundDefinition): void;
  /** @throws MillraceError or ProblemsError for what cannot be used */
  compile(definition: InboundDefinition, context: CompileContext): C;
  /** Begins to take messages, while the endpoint is part of the current world. */
  start(compiled: C, context: LiveContext): RunningInbound;
  /** What has to stay the same for what was started to go on, as text. */
  runsAs(compiled: C): string;
}

/** An endpoint of a world. */
export interface CompiledInbound {
  readonly definition: InboundDefinition;
  /** What its protocol compiled. */
  readonly compiled: unknown;
  start(context: LiveContext): RunningInbound;
  runsAs(): string;
}

/** A protocol as the list of them holds it. */
export interface AnyInboundProtocol {
  readonly names: readonly string[];
  readonly parameters: ParameterTable;
  readonly hasOwnParameters: boolean;
  check(node: SourceNode, definition: InboundDefinition): void;
  compile(definition: InboundDefinition, context: CompileContext): CompiledInbound;
}

/** Declares a protocol; `protocols.ts` lists them. */
export function defineInbound<C>(protocol: InboundProtocol<C>): AnyInboundProtocol {
  const { names, parameters } = protocol;
  return {
    names,
    parameters,
    hasOwnParameters: protocol.hasOwnParameters === true,
    check: (node, definition) => protocol.check(node, definition),
    compile(definition, context) {
      const compiled = protocol.compile(definition, context);
      return {
        definition,
        compiled,
        start: (live) => protocol.start(compiled, live),
        runsAs: () => protocol.runsAs(compiled),
      };
    },
  };
}
