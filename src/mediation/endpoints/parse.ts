import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import type { CompiledEndpoint, EndpointDefinition, SendOptions } from '../endpoint.ts';
import type { Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { readRemarks, restoreRemarks } from '../remarks.ts';
import { applyNamedValues, readNamedValues, serializeNamedValues, type NamedValue } from '../shared/named-value.ts';
import { withFaultSequence } from '../sequence.ts';
import { endpointTypes } from './index.ts';

/** Kinds that the original knows and that cannot be used yet. */
const unsupported = [
  'wsdl',
  'loadbalance',
  'dynamicLoadbalance',
  'serviceDynamicLoadbalance',
  'failover',
  'recipientlist',
  'class',
];

/** Parses an `<endpoint>`, inline or the root of an artifact; undefined when it is no endpoint that can be used. */
export function parseEndpoint(node: SourceNode, context: ParseContext): EndpointDefinition | undefined {
  node.knowOnly(['name', 'key', 'key-expression', 'template', 'uri', 'onError', 'description', 'statistics', 'trace']);
  const children = node.children();
  for (const type of endpointTypes) {
    const child = children.find((candidate) => candidate.local === type.element);
    if (!child) continue;
    node.knowOnlyChildren([type.element, 'property']);
    const read = type.read(child, node, context);
    const name = node.attribute('name');
    const onError = node.attribute('onError');
    const properties = readNamedValues(node);
    const remarks = readRemarks(node);
    return {
      name,
      position: node.position(),
      serialize: () => restoreRemarks(serialize({ name, onError, properties, inner: read.serialize() }), remarks),
      compile(compileContext) {
        const compiled = read.compile(name ?? compileContext.id, compileContext);
        return withSettings(compiled, { properties, onError }, compileContext);
      },
    };
  }
  const found = children.find((child) => unsupported.includes(child.local)) ?? children[0];
  const template = node.attribute('template');
  const what = template === undefined ? (found ? `<${found.local}>` : 'an empty endpoint') : 'an endpoint template';
  (found ?? node).error(`Invalid endpoint configuration. Expected one of address, http, default; found ${what}`, {
    code: 'MR_ENDPOINT_UNKNOWN',
  });
  return undefined;
}

function serialize(parts: {
  name: string | undefined;
  onError: string | undefined;
  properties: readonly NamedValue[];
  inner: XmlElement;
}): XmlElement {
  const element = synapseElement('endpoint', { name: parts.name, onError: parts.onError });
  appendChild(element, parts.inner);
  return serializeNamedValues(element, parts.properties);
}

/** Adds what stands on the `<endpoint>` itself: properties before each send, and a sequence for failures. */
function withSettings(
  endpoint: CompiledEndpoint,
  { properties, onError }: { properties: readonly NamedValue[]; onError: string | undefined },
  context: CompileContext,
): CompiledEndpoint {
  if (properties.length === 0 && onError === undefined) return endpoint;
  const sending = (options: SendOptions): Compiled => {
    const send: Compiled = (message) => endpoint.send(message, options);
    return onError === undefined ? send : withFaultSequence(send, onError, context);
  };
  const blocking = sending({ blocking: true });
  const waiting = sending({ blocking: false });
  return {
    name: endpoint.name,
    async send(message, options) {
      applyNamedValues(message, properties);
      return (options.blocking ? blocking : waiting)(message);
    },
  };
}
