import type { Position } from '#errors';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { libraryOf, type CompileContext, type ParseContext } from './context.ts';
import type { Compiled } from './mediator.ts';
import { synapseElement } from './reading.ts';
import {
  compileSequence,
  parseSequence,
  readSequenceName,
  serializeSteps,
  withFaultHandler,
  type SequenceDefinition,
} from './sequence.ts';
import { sequenceReference } from './shared/branch.ts';

/** A sequence of a resource or a proxy service: named, inline, or not there. */
export interface OwnSequence {
  readonly key: string | undefined;
  /** Where the key stands, for a fault when it names nothing. */
  readonly position?: Position | undefined;
  readonly inline: SequenceDefinition | undefined;
}

/** The three sequences through which an artifact that serves requests takes its messages. */
export interface OwnSequences {
  readonly inSequence: OwnSequence;
  readonly outSequence: OwnSequence;
  readonly faultSequence: OwnSequence;
}

const names = ['inSequence', 'outSequence', 'faultSequence'] as const;

/** Reads the sequence `name` of an element: the attribute names one, a child of that name holds one. */
export function readOwnSequence(node: SourceNode, name: (typeof names)[number], context: ParseContext): OwnSequence {
  const key = readSequenceName(node, name, context);
  const child = key === undefined ? node.child(name) : undefined;
  if (!child) return { key, inline: undefined, ...(key === undefined ? {} : { position: node.position(name) }) };
  // `<inSequence key="…"/>` is an older spelling of the attribute.
  const childKey = readSequenceName(child, 'key', context);
  if (childKey !== undefined) return { key: childKey, inline: undefined, position: child.position('key') };
  child.knowOnly(['onError', 'key', 'name', 'description', 'trace', 'statistics']);
  return { key: undefined, inline: parseSequence(child, context) };
}

/** Appends the inline ones of the three sequences to their element; the named ones are attributes of it. */
export function serializeInline(element: XmlElement, sequences: OwnSequences): XmlElement {
  for (const name of names) {
    const { inline } = sequences[name];
    if (inline) appendChild(element, serializeSteps(synapseElement(name, { onError: inline.onError }), inline.steps));
  }
  return element;
}

/** Compiles one of the sequences; undefined when it is not there. */
export function compileOwnSequence(sequence: OwnSequence, context: CompileContext): Compiled | undefined {
  const { key, inline, position } = sequence;
  if (key !== undefined) return sequenceReference(key, context, position);
  return inline && compileSequence(inline, context);
}

/**
 * Puts the fault sequence, and the sequence `fault` around it, around a flow: the latter runs when there is no fault
 * sequence, when its key names nothing, and when it fails itself (runtime-core 3.6).
 */
export function guardWith({ key, inline }: OwnSequence, context: CompileContext): (run: Compiled) => Compiled {
  const own = inline && compileSequence(inline, context.at('fault'));
  return (run) => {
    const inner =
      key === undefined && !own
        ? run
        : withFaultHandler(
            run,
            (message, fault) => {
              const handler = own ?? libraryOf(message).sequence(key ?? '');
              if (!handler) throw fault;
              return handler(message);
            },
            context,
          );
    return withFaultHandler(
      inner,
      (message, fault) => {
        const handler = libraryOf(message).sequence('fault');
        if (!handler) throw fault;
        return handler(message);
      },
      context,
    );
  };
}
