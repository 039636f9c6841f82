import { synapseCodes } from '#errors';
import type { Message } from '#message';
import type { SourceNode } from '#xml';
import { libraryOf, type CompileContext, type Library } from '../context.ts';
import type { CompiledEndpoint, EndpointParseContext, ReadEndpoint } from '../endpoint.ts';
import { expressionSource, readValue } from '../reading.ts';
import { EndpointFault } from './endpoint-fault.ts';
import { createEndpointFinder, type EndpointFinder } from './find-endpoint.ts';

/** Endpoints may name each other; beyond so many they must be going round in circles. */
const maximumDepth = 32;

/** How the key of an endpoint comes about. */
interface KeySource {
  readonly literal?: string | undefined;
  readonly contentAware: boolean;
  evaluate(message: Message): string | undefined;
}

/** `<endpoint key="…">`: another endpoint by name, local entry or registry key; `{…}` is found per message (5.1). */
export function readKeyReference(node: SourceNode, context: EndpointParseContext): ReadEndpoint | undefined {
  node.knowOnlyChildren(['property']);
  if (node.attribute('key') === undefined) return referenceTo({ key: '' }, { ...noKey, literal: '' }, context);
  const source = readValue(node, 'key');
  if (!source) return undefined;
  const { literal } = source.value;
  if (literal !== undefined) context.refer({ kind: 'endpoint', key: literal, node, attribute: 'key' });
  return { ...referenceTo({ key: source.text }, source.value, context), sources: [source] };
}

/** `<endpoint key-expression="…">`: the key is computed for each message. */
export function readKeyExpression(node: SourceNode, context: EndpointParseContext): ReadEndpoint | undefined {
  node.knowOnlyChildren(['property']);
  const source = expressionSource(node, node.attribute('key-expression') ?? '', 'key-expression');
  if (!source) return undefined;
  const { expression } = source;
  const key: KeySource = {
    contentAware: expression.contentAware,
    evaluate: (message) => expression.evaluateString(message),
  };
  return { ...referenceTo({ 'key-expression': source.text }, key, context), sources: [source] };
}

const noKey: KeySource = { contentAware: false, evaluate: () => '' };

function referenceTo(
  attributes: Readonly<Record<string, string>>,
  key: KeySource,
  { parseEndpoint }: EndpointParseContext,
): ReadEndpoint {
  return {
    attributes,
    serialize: () => [],
    compile: (name, context) => {
      const find = createEndpointFinder(parseEndpoint, context);
      return compileReference({ name: Object.values(attributes)[0] ?? name, key, find }, context);
    },
  };
}

interface ReferenceParts {
  readonly name: string;
  readonly key: KeySource;
  readonly find: EndpointFinder;
}

function compileReference({ name, key, find }: ReferenceParts, { services }: CompileContext): CompiledEndpoint {
  let isAsking = false;
  /** Asks the endpoint behind a fixed key, and not again when the question comes back in a circle. */
  const ask = <T>(library: Library, question: (endpoint: CompiledEndpoint) => T, otherwise: T): T => {
    const endpoint = key.literal === undefined || isAsking ? undefined : find(key.literal, library);
    if (!endpoint) return otherwise;
    isAsking = true;
    try {
      return question(endpoint);
    } finally {
      isAsking = false;
    }
  };
  return {
    name,
    isReady: (library) => ask(library, (endpoint) => endpoint.isReady(library), key.literal === undefined),
    retriesLeft: (library) => ask(library, (endpoint) => endpoint.retriesLeft?.(library), undefined),
    rest: (milliseconds, library) => ask(library, (endpoint) => endpoint.rest?.(milliseconds, library), undefined),
    switchOff: (library) => ask(library, (endpoint) => endpoint.switchOff(library), undefined),
    switchOn: (library) => ask(library, (endpoint) => endpoint.switchOn(library), undefined),
    status(library) {
      const status = ask(library, (endpoint) => endpoint.status(library), undefined);
      return { name, state: status?.state ?? 'active', members: status ? [status] : [] };
    },
    async send(message, options) {
      if (key.contentAware && !message.payload.loaded) await message.payload.load(services.settings.maxBodyBytes);
      const wanted = key.literal ?? key.evaluate(message) ?? '';
      const depth = (options.depth ?? 0) + 1;
      const endpoint = depth > maximumDepth ? undefined : find(wanted, libraryOf(message));
      if (endpoint) return endpoint.send(message, { ...options, depth });
      throw new EndpointFault({
        code: synapseCodes.endpointKeyNotFound,
        message:
          depth > maximumDepth
            ? `The endpoint with the key : ${wanted} leads back to itself`
            : `Couldn't find the endpoint with the key : ${wanted}`,
      });
    },
  };
}
