import type { SourceNode, XmlElement } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import { synapseElement } from '../reading.ts';
import { readSequenceName } from '../sequence.ts';
import {
  appendParameters,
  deployParameters,
  flagParameter,
  knowParameters,
  readParameters,
  textParameter,
  type Parameters,
} from './parameters.ts';
import { commonParameters, type MessageStore } from './message-store.ts';
import { classOf, storeKinds, type StoreKind } from './kinds/index.ts';

/** A `<messageStore>`. */
export interface StoreDefinition {
  readonly name: string;
  readonly className: string | undefined;
  readonly sequence: string | undefined;
  readonly parameters: Parameters;
  readonly kind: StoreKind | undefined;
}

/** A store of a world, with what happens to messages before they reach it. */
export interface CompiledStore {
  readonly store: MessageStore;
  /** Name of the sequence that each message runs through before it is stored. */
  readonly sequence: string | undefined;
  /** Name of the store that takes what this one refuses. */
  readonly failover: string | undefined;
}

export function parseStore(node: SourceNode, context: ParseContext): StoreDefinition {
  node.knowOnly(['name', 'class', 'sequence', 'description']);
  node.knowOnlyChildren(['parameter', 'description']);
  const className = node.attribute('class');
  const parameters = readParameters(node);
  const kind = classOf(className);
  if (!kind) {
    const known = storeKinds.flatMap(({ classes }) => classes).join(', ');
    node.error(`There is no message store of class ${className ?? ''}; known are ${known}`, {
      attribute: 'class',
      code: 'MR_STORE_CLASS',
    });
  } else {
    knowParameters(parameters, (name) => isKnown(kind, name), 'the message store');
    kind.check?.(node, parameters);
    isGuaranteed(parameters);
  }
  return {
    name: node.attribute('name') ?? '',
    className,
    sequence: readSequenceName(node, 'sequence', context),
    parameters,
    kind,
  };
}

export function serializeStore({ name, className, sequence, parameters }: StoreDefinition): XmlElement {
  return appendParameters(synapseElement('messageStore', { name, class: className, sequence }), parameters);
}

export function compileStore(definition: StoreDefinition, context: CompileContext): CompiledStore {
  const { kind, sequence } = definition;
  if (!kind) throw new Error(`the message store ${definition.name} has no kind`);
  const parameters = deployParameters(definition.parameters, context.library);
  return {
    store: kind.open({ ...definition, parameters }, context),
    sequence,
    failover: isGuaranteed(parameters) ? textParameter(parameters, 'store.failover.message.store.name') : undefined,
  };
}

function isGuaranteed(parameters: Parameters): boolean {
  return flagParameter(parameters, 'store.producer.guaranteed.delivery.enable', false);
}

function isKnown({ parameters }: StoreKind, name: string): boolean {
  return [...commonParameters, ...parameters].some((known) =>
    known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : known === name,
  );
}
