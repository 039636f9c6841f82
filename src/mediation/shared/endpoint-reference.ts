import { synapseCodes } from '#errors';
import type { SourceNode, XmlElement } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import type { CompiledEndpoint } from '../endpoint.ts';
import { addressedByMessage } from '../endpoints/default.ts';
import { parseEndpoint } from '../endpoints/parse.ts';
import { Fault } from '../fault.ts';
import { declareNamespaces, expressionSource, readValue, synapseElement } from '../reading.ts';

/** The `<endpoint>` of a mediator: inline, named by key, or found by an expression. */
export interface EndpointReference {
  /** True when finding the endpoint reads the payload. */
  readonly needsBody: boolean;
  serialize(): XmlElement;
  compile(context: CompileContext): CompiledEndpoint;
}

/** Reads an `<endpoint>` inside a mediator (runtime-core 5.1). */
export function readEndpointReference(node: SourceNode, context: ParseContext): EndpointReference | undefined {
  if (node.attribute('key') !== undefined) return readKeyReference(node, 'key', context);
  if (node.attribute('key-expression') !== undefined) return readKeyReference(node, 'key-expression', context);
  const endpoint = parseEndpoint(node, context);
  if (!endpoint) return undefined;
  return {
    needsBody: false,
    serialize: () => endpoint.serialize(),
    compile: (compileContext) => endpoint.compile(compileContext),
  };
}

/** What `send` and `call` use without an endpoint: the address in `To`. */
export function defaultEndpointReference(): EndpointReference {
  return {
    needsBody: false,
    serialize: () => synapseElement('endpoint', {}, [synapseElement('default')]),
    compile: (context) => addressedByMessage(context),
  };
}

function readKeyReference(
  node: SourceNode,
  attribute: 'key' | 'key-expression',
  context: ParseContext,
): EndpointReference | undefined {
  const text = node.attribute(attribute) ?? '';
  if (attribute === 'key') {
    const source = readValue(node, attribute);
    if (source?.value.literal !== undefined)
      context.refer({ kind: 'endpoint', key: source.value.literal, node, attribute });
    return source && keyReference(attribute, source, source.value);
  }
  const source = expressionSource(node, text, attribute);
  return (
    source &&
    keyReference(attribute, source, {
      literal: undefined,
      contentAware: source.expression.contentAware,
      evaluate: (message) => source.expression.evaluateString(message),
    })
  );
}

function keyReference(
  attribute: string,
  source: { text: string; namespaces: ReadonlyMap<string, string> },
  key: {
    readonly literal?: string | undefined;
    readonly contentAware: boolean;
    evaluate(message: Parameters<CompiledEndpoint['send']>[0]): string | undefined;
  },
): EndpointReference {
  return {
    needsBody: key.contentAware,
    serialize: () => declareNamespaces(synapseElement('endpoint', { [attribute]: source.text }), [source]),
    compile({ library }) {
      let resolved: CompiledEndpoint | undefined;
      return {
        name: source.text,
        send(message, options) {
          const name = key.literal ?? key.evaluate(message) ?? '';
          const endpoint = key.literal === undefined ? library.endpoint(name) : (resolved ??= library.endpoint(name));
          if (endpoint) return endpoint.send(message, options);
          return Promise.reject(
            new Fault({
              code: synapseCodes.endpointKeyNotFound,
              message: `Couldn't find the endpoint with the key : ${name}`,
            }),
          );
        },
      };
    },
  };
}
