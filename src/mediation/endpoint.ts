import type { Position } from '#errors';
import type { Message } from '#message';
import type { SourceNode, XmlElement } from '#xml';
import type { CompileContext, Library, ParseContext } from './context.ts';
import type { EndpointStatus } from './endpoints/endpoint-statistics.ts';
import type { Flow } from './flow.ts';
import { readRemarks, restoreRemarks } from './remarks.ts';
import type { NamedValue } from './shared/named-value.ts';

export interface SendOptions {
  /** A blocking call treats answers of 400 and above as faults unless the message says otherwise. */
  readonly blocking: boolean;
  /** What happens to each answer of an endpoint that asks several back ends at once, before its flow goes on. */
  readonly deliver?: (answer: Message) => Flow | Promise<Flow>;
  /** Called when the message goes out; true where the other side says that it has it, as brokers do. */
  readonly begun?: (isConfirmed: boolean) => void;
  /** How many endpoints named each other on the way here. */
  readonly depth?: number;
}

/** An endpoint ready to be used: sends the message and turns it into the answer. */
export interface CompiledEndpoint {
  readonly name: string;
  /**
   * True when a message may be sent now, whose world has the library: endpoints that name others find them there, here
   * and below. A group is ready when one of its members is (runtime-core 5.6).
   */
  isReady(library: Library): boolean;
  /**
   * Resolves with `CONTINUE` when the answer's head has come, the message then holding it, or with `STOP` when the
   * flow ends here: the endpoint's own fault sequence dealt with a failure, or the answers went another way. Rejects
   * with an `EndpointFault` that carries the original's code when the back end cannot be reached, is suspended, or
   * does not answer in time.
   */
  send(message: Message, options: SendOptions): Promise<Flow>;
  /** Its state and counters and those of its members, for administration. */
  status(library: Library): EndpointStatus;
  /** Lets no message through until it is switched on again; a group does so with its members (runtime-core 5.5). */
  switchOff(library: Library): void;
  switchOn(library: Library): void;
  /** How often it may still fail before it is suspended, while it is marked for that; undefined in any other state. */
  retriesLeft?(library: Library): number | undefined;
  /** Leaves it out for so many milliseconds. */
  rest?(milliseconds: number, library: Library): void;
}

/** A parsed endpoint, inline or named. */
export interface EndpointDefinition {
  readonly name: string | undefined;
  readonly position: Position;
  /** The `<property>` elements of the `<endpoint>`. */
  readonly properties: readonly NamedValue[];
  serialize(): XmlElement;
  compile(context: CompileContext): CompiledEndpoint;
}

/** Parses an `<endpoint>`; undefined when it is none that can be used, which is reported. */
export type ParseEndpoint = (node: SourceNode, context: ParseContext) => EndpointDefinition | undefined;

/** What kinds need that hold or find other endpoints. */
export interface EndpointParseContext extends ParseContext {
  readonly parseEndpoint: ParseEndpoint;
}

/** One kind of endpoint: the element inside `<endpoint>` that chooses it. */
export interface EndpointType<D> {
  readonly element: string;
  readonly attributes: readonly string[];
  /** Elements that it reads; `<description>` is welcome everywhere. */
  readonly children: readonly string[];
  /** Elements that it reads from the `<endpoint>` around it, besides its own. */
  readonly siblings?: readonly string[];
  /** `node` is the kind's own element, `outer` the `<endpoint>` around it. */
  parse(node: SourceNode, outer: SourceNode, context: EndpointParseContext): D;
  /** The kind's own element, and those that stand before it in the `<endpoint>`. */
  serialize(definition: D): XmlElement;
  serializeSiblings?(definition: D): readonly XmlElement[];
  compile(definition: D, name: string, context: CompileContext): CompiledEndpoint;
}

/** A kind as the registry holds it. */
export interface AnyEndpointType {
  readonly element: string;
  readonly siblings: readonly string[];
  read(node: SourceNode, outer: SourceNode, context: EndpointParseContext): ReadEndpoint;
}

export interface ReadEndpoint {
  /** What the `<endpoint>` itself says for this kind, such as `key`. */
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  /** The expressions in these attributes, for the namespaces that they need. */
  readonly sources?: readonly { readonly text: string; readonly namespaces: ReadonlyMap<string, string> }[];
  /** What the `<endpoint>` holds for this kind. */
  serialize(): readonly XmlElement[];
  compile(name: string, context: CompileContext): CompiledEndpoint;
}

/** Declares a kind of endpoint; the result goes into the list of `endpoints/index.ts`. */
export function defineEndpoint<D>(type: EndpointType<D>): AnyEndpointType {
  return {
    element: type.element,
    siblings: type.siblings ?? [],
    read(node, outer, context) {
      node.knowOnly([...type.attributes, 'statistics', 'trace', 'description']);
      node.knowOnlyChildren(type.children);
      const definition = Object.freeze(type.parse(node, outer, context));
      const remarks = readRemarks(node);
      return {
        serialize: () => [
          ...(type.serializeSiblings?.(definition) ?? []),
          restoreRemarks(type.serialize(definition), remarks),
        ],
        compile: (name, compileContext) => type.compile(definition, name, compileContext),
      };
    },
  };
}
