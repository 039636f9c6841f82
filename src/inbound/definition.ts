import { readHandlers, serializeHandlers, type HandlerDefinition } from '#api';
import { readSequenceName, synapseElement, type ParseContext } from '#mediation';
import type { Position } from '#errors';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { readParameters, serializeParameters, type InboundParameter } from './parameters.ts';

/** An `<inboundEndpoint>` (mediators 12, runtime-core 1.1). */
export interface InboundDefinition {
  readonly name: string;
  readonly protocol: string | undefined;
  readonly className: string | undefined;
  readonly classPosition: Position;
  readonly sequence: string | undefined;
  readonly sequencePosition: Position;
  readonly onError: string | undefined;
  /** True when it is deployed without running; false when absent. */
  readonly suspend: boolean | undefined;
  /** Whether it stays over a restart what people have switched it to; true when absent. */
  readonly preservesState: boolean | undefined;
  readonly statistics: boolean;
  readonly trace: boolean;
  readonly parameters: readonly InboundParameter[];
  readonly handlers: readonly HandlerDefinition[];
}

const attributes = [
  'name',
  'protocol',
  'class',
  'sequence',
  'onError',
  'suspend',
  'preserve.state',
  'statistics',
  'trace',
  'description',
];

/** Reads what all inbound endpoints have in common. */
export function readInbound(node: SourceNode, context: ParseContext): InboundDefinition {
  node.knowOnly(attributes);
  node.knowOnlyChildren(['parameters', 'handlers']);
  return {
    name: node.attribute('name') ?? '',
    protocol: node.attribute('protocol')?.trim(),
    className: node.attribute('class')?.trim(),
    classPosition: node.position('class'),
    sequence: readSequenceName(node, 'sequence', context),
    sequencePosition: node.position('sequence'),
    onError: readSequenceName(node, 'onError', context),
    suspend: flagOf(node, 'suspend'),
    preservesState: flagOf(node, 'preserve.state'),
    statistics: node.attribute('statistics') === 'enable',
    trace: node.attribute('trace') === 'enable',
    parameters: readParameters(node),
    handlers: readHandlers(node),
  };
}

function flagOf(node: SourceNode, name: string): boolean | undefined {
  return node.attribute(name) === undefined ? undefined : node.flag(name, false);
}

/** Writes an endpoint back. */
export function serializeInbound(definition: InboundDefinition): XmlElement {
  const { name, protocol, className, sequence, onError, handlers } = definition;
  const element = synapseElement('inboundEndpoint', {
    name,
    protocol,
    class: className,
    sequence,
    onError,
    suspend: definition.suspend,
    'preserve.state': definition.preservesState,
    statistics: definition.statistics ? 'enable' : undefined,
    trace: definition.trace ? 'enable' : undefined,
  });
  const parameters = serializeParameters(definition.parameters);
  if (parameters) appendChild(element, parameters);
  if (handlers.length > 0) appendChild(element, serializeHandlers(handlers));
  return element;
}
