import type { Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { libraryOf, type CompileContext, type ParseContext } from '../context.ts';
import type {
  CompiledEndpoint,
  EndpointDefinition,
  EndpointParseContext,
  ReadEndpoint,
  SendOptions,
} from '../endpoint.ts';
import type { Flow } from '../flow.ts';
import { declareNamespaces, synapseElement } from '../reading.ts';
import { readRemarks, restoreRemarks } from '../remarks.ts';
import { readSequenceName, withFaultHandler } from '../sequence.ts';
import { applyNamedValues, readNamedValues, serializeNamedValues, type NamedValue } from '../shared/named-value.ts';
import { endpointTypes, unsupportedEndpoints } from './index.ts';
import { readKeyExpression, readKeyReference } from './reference.ts';
import { readTemplateEndpoint } from './template-endpoint.ts';

const attributes = [
  'name',
  'key',
  'key-expression',
  'template',
  'uri',
  'onError',
  'description',
  'statistics',
  'trace',
];

/** Parses an `<endpoint>`, inline or the root of an artifact; undefined when it is no endpoint that can be used. */
export function parseEndpoint(node: SourceNode, context: ParseContext): EndpointDefinition | undefined {
  node.knowOnly(attributes);
  const read = readKind(node, { ...context, parseEndpoint });
  if (!read) return undefined;
  const name = node.attribute('name');
  const onError = readSequenceName(node, 'onError', context);
  const properties = readNamedValues(node);
  const remarks = readRemarks(node);
  return {
    name,
    position: node.position(),
    properties,
    serialize: () => restoreRemarks(serialize(read, { name, onError }, properties), remarks),
    compile(compileContext) {
      const compiled = read.compile(name ?? compileContext.id, compileContext);
      return withSettings(compiled, { properties, onError }, compileContext);
    },
  };
}

/** Finds out of which kind the endpoint is, in the order of the original (runtime-core 5.1). */
function readKind(node: SourceNode, context: EndpointParseContext): ReadEndpoint | undefined {
  if (node.rawAttribute('key') !== undefined) return readKeyReference(node, context);
  if (node.attribute('key-expression') !== undefined) return readKeyExpression(node, context);
  if (node.attribute('template') !== undefined) return readTemplateEndpoint(node, context);
  const children = node.children();
  for (const type of endpointTypes) {
    const child = children.find((candidate) => candidate.local === type.element);
    if (!child) continue;
    node.knowOnlyChildren([type.element, 'property', ...type.siblings]);
    return type.read(child, node, context);
  }
  const unsupported = children.find(({ local }) => unsupportedEndpoints.has(local));
  if (unsupported) {
    const reason = unsupportedEndpoints.get(unsupported.local) ?? '';
    unsupported.error(`<${unsupported.local}> cannot be used: ${reason}`, { code: 'MR_ENDPOINT_UNSUPPORTED' });
    return undefined;
  }
  const known = endpointTypes.map(({ element }) => element).join(', ');
  const found = children[0] ? `<${children[0].local}>` : 'an empty endpoint';
  (children[0] ?? node).error(`Invalid endpoint configuration. Expected one of ${known}; found ${found}`, {
    code: 'MR_ENDPOINT_UNKNOWN',
  });
  return undefined;
}

function serialize(
  read: ReadEndpoint,
  { name, onError }: { name: string | undefined; onError: string | undefined },
  properties: readonly NamedValue[],
): XmlElement {
  const element = synapseElement('endpoint', { name, ...read.attributes, onError });
  for (const part of read.serialize()) appendChild(element, part);
  return declareNamespaces(serializeNamedValues(element, properties), read.sources ?? []);
}

/** Adds what stands on the `<endpoint>` itself: properties before each send, and a sequence for failures. */
function withSettings(
  endpoint: CompiledEndpoint,
  { properties, onError }: { properties: readonly NamedValue[]; onError: string | undefined },
  context: CompileContext,
): CompiledEndpoint {
  if (properties.length === 0 && onError === undefined) return endpoint;
  const { services } = context;
  const readsPayload = properties.some(({ expression }) => expression?.expression.contentAware === true);
  const send = (message: Message, options: SendOptions): Flow | Promise<Flow> => {
    const handler = onError === undefined ? undefined : libraryOf(message).sequence(onError);
    if (handler) return withFaultHandler((sent) => endpoint.send(sent, options), handler, context)(message);
    if (onError !== undefined) {
      services.log.warn({ onError, at: context.id }, 'the fault sequence of the endpoint does not exist');
    }
    return endpoint.send(message, options);
  };
  return {
    ...endpoint,
    async send(message, options) {
      if (readsPayload && !message.payload.loaded) await message.payload.load(services.settings.maxBodyBytes);
      applyNamedValues(message, properties);
      return send(message, options);
    },
  };
}
