import type { SourceNode, XmlElement } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import type { CompiledEndpoint } from '../endpoint.ts';
import { addressedByMessage } from '../endpoints/default.ts';
import { parseEndpoint } from '../endpoints/parse.ts';
import { synapseElement } from '../reading.ts';

/** The `<endpoint>` of a mediator: inline, named by key, or found by an expression. */
export interface EndpointReference {
  serialize(): XmlElement;
  compile(context: CompileContext): CompiledEndpoint;
}

/** Reads an `<endpoint>` inside a mediator (runtime-core 5.1). */
export function readEndpointReference(node: SourceNode, context: ParseContext): EndpointReference | undefined {
  return parseEndpoint(node, context);
}

/** What `send` and `call` use without an endpoint: the address in `To`. */
export function defaultEndpointReference(): EndpointReference {
  return {
    serialize: () => synapseElement('endpoint', {}, [synapseElement('default')]),
    compile: (context) => addressedByMessage(context),
  };
}
