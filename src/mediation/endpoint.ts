import type { Position } from '#errors';
import type { Message } from '#message';
import type { SourceNode, XmlElement } from '#xml';
import type { CompileContext, ParseContext } from './context.ts';
import type { Flow } from './flow.ts';
import { readRemarks, restoreRemarks } from './remarks.ts';

export interface SendOptions {
  /** A blocking call treats answers of 400 and above as faults unless the message says otherwise. */
  readonly blocking: boolean;
}

/** An endpoint ready to be used: sends the message and turns it into the answer. */
export interface CompiledEndpoint {
  readonly name: string;
  /**
   * Resolves with `CONTINUE` when the answer's head has come, the message then holding it, or with `STOP` when the
   * endpoint's own fault sequence dealt with a failure. Rejects with a `Fault` that carries the original's code when
   * the back end cannot be reached, is suspended, or does not answer in time.
   */
  send(message: Message, options: SendOptions): Promise<Flow>;
}

/** A parsed endpoint, inline or named. */
export interface EndpointDefinition {
  readonly name: string | undefined;
  readonly position: Position;
  serialize(): XmlElement;
  compile(context: CompileContext): CompiledEndpoint;
}

/** One kind of endpoint: the element inside `<endpoint>` that chooses it. */
export interface EndpointType<D> {
  readonly element: string;
  readonly attributes: readonly string[];
  /** `node` is the kind's own element, `outer` the `<endpoint>` around it. */
  parse(node: SourceNode, outer: SourceNode, context: ParseContext): D;
  serialize(definition: D): XmlElement;
  compile(definition: D, name: string, context: CompileContext): CompiledEndpoint;
}

/** A kind as the registry holds it. */
export interface AnyEndpointType {
  readonly element: string;
  read(node: SourceNode, outer: SourceNode, context: ParseContext): ReadEndpoint;
}

export interface ReadEndpoint {
  serialize(): XmlElement;
  compile(name: string, context: CompileContext): CompiledEndpoint;
}

/** Declares a kind of endpoint; the result goes into the list of `endpoints/index.ts`. */
export function defineEndpoint<D>(type: EndpointType<D>): AnyEndpointType {
  return {
    element: type.element,
    read(node, outer, context) {
      node.knowOnly([...type.attributes, 'statistics', 'trace', 'description']);
      const definition = Object.freeze(type.parse(node, outer, context));
      const remarks = readRemarks(node);
      return {
        serialize: () => restoreRemarks(type.serialize(definition), remarks),
        compile: (name, compileContext) => type.compile(definition, name, compileContext),
      };
    },
  };
}
